// Receives a directory of the workspace; returns its tree as a stream of tar bytes.
// Invariant: the archive is a snapshot of the tree at the time of the call; only one chunk of file content is in memory at once.
import { createTarPacker, type TarHeader } from "modern-tar"
import type { TreeNode } from "../tree/node-store.ts"
import { nameOf } from "../paths.ts"
import type { Workspace } from "../workspace.ts"

const BLOCK = 512

/** Throws WorkspaceError when nothing is at the path. Names are relative to it; a single file keeps its own name. */
export const exportArchive = (workspace: Workspace, path: string): ReadableStream<Uint8Array> => {
  const root = workspace.realpath(path)
  const { type } = workspace.stat(root)
  const nodes = type === "directory" ? workspace.nodes.below(root) : [[root, workspace.nodes.get(root)] as const]
  const skip = root === "/" ? 1 : root.length + 1
  const entries = nodes
    .flatMap(([at, node]) => (node === null ? [] : [[at === root ? nameOf(at) : at.slice(skip), node] as const]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return packed(workspace, entries)
}

type Entry = readonly [name: string, node: TreeNode]

const packed = (workspace: Workspace, entries: ReadonlyArray<Entry>): ReadableStream<Uint8Array> => {
  const { readable, controller } = createTarPacker()
  const made = readable.getReader()
  const pieces = piecesOf(workspace, entries, controller)
  /** Bytes that the packer has received at least, and bytes read from it. Without this backpressure it would buffer the tree. */
  let [fed, read] = [0, 0]
  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        while (fed <= read) {
          const piece = await pieces.next()
          if (piece.done === true) break
          fed += piece.value
        }
        const { done, value } = await made.read()
        if (done) return out.close()
        read += value.byteLength
        out.enqueue(value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Passes the tree to the packer, piece by piece, and yields the least number of bytes that each piece adds to the archive. */
async function* piecesOf(
  workspace: Workspace,
  entries: ReadonlyArray<Entry>,
  controller: ReturnType<typeof createTarPacker>["controller"],
): AsyncGenerator<number, void> {
  for (const [name, node] of entries) {
    const body = controller.add(headerOf(name, node)).getWriter()
    yield BLOCK
    for (let chunk = 0, last = node.size === 0; !last; chunk += 1) {
      const found = workspace.blobs.chunkOf(node.hash, chunk)
      last = found.last
      await body.write(found.data)
      yield found.data.byteLength
    }
    await body.close()
    yield (BLOCK - (node.size % BLOCK)) % BLOCK
  }
  controller.finalize()
  yield 2 * BLOCK
}

const TYPES = { file: "file", directory: "directory", symlink: "symlink" } as const

const headerOf = (name: string, node: TreeNode): TarHeader => ({
  name: node.type === "directory" ? `${name}/` : name,
  type: TYPES[node.type],
  size: node.size,
  mode: node.mode,
  // The header has whole seconds; an extended (pax) record keeps the milliseconds.
  mtime: new Date(node.mtime),
  ...(node.type === "symlink" ? { linkname: node.target } : {}),
  ...(node.mtime % 1000 === 0 ? {} : { pax: { mtime: (node.mtime / 1000).toFixed(3) } }),
})

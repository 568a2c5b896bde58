// Downloads the changes of a session's workspace into a folder of this machine: only what differs, deletions included.
// Invariant: unless `force` is set, a file of the folder that changed since the last synchronization is left as it is and
// reported as a conflict; without a saved state of that synchronization every file that differs is.
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import fs from "node:fs/promises"
import path from "node:path"
import { createTarDecoder } from "modern-tar"
import { NotFoundError } from "../api/perch-error.ts"
import { IgnoreRules } from "./ignore-rules.ts"
import { entryAt, HAS_MODES, isMissing, type LeftOut } from "./local-tree.ts"
import { LocalWriter, NotWritten } from "./local-writer.ts"
import { makeFolder } from "./make-folder.ts"
import { expectFolder, readRemote, remotePath } from "./remote-tree.ts"
import type { SyncOptions, SyncReport } from "./sync-options.ts"
import { planSync, type SyncPlan } from "./sync-plan.ts"
import { loadBase, saveBase, type SyncPair } from "./sync-state.ts"
import { sameEntry, type Tree, type TreeEntry } from "./tree-entry.ts"

/** Up to this many files are downloaded one by one; more are downloaded as an archive of the tree. */
const FEW = 40
const AT_ONCE = 6

/** Creates the folder when it does not exist. `selection.ignore` applies, `.gitignore` files do not. */
export const pullFolder = async (options: SyncOptions): Promise<SyncReport> => {
  const { files, folder, remote, signal, force = false, dryRun = false, selection = {} } = options
  const isNew = !existsSync(folder)
  if (!dryRun) makeFolder(folder)
  const root = await realpathOf(folder)
  const pair: SyncPair = { url: options.url, session: options.session, remote, local: root }
  // A folder that was removed as a whole is downloaded as a whole: its files were not removed one by one.
  const base = isNew ? null : await loadBase(pair)
  const rules = new IgnoreRules(selection.ignore === undefined ? {} : { ignore: selection.ignore })
  const remoteTree = await readRemote(files, remote, signal)
  if (remoteTree.isLink) throw new TypeError(`remote must be a folder. ${remote} is a link of the session.`)
  // A folder that was synchronized before and is gone now is a removal.
  if (options.isNamed === true && base === null && remoteTree.tree.size === 0) await expectFolder(files, remote, signal)
  const ignored = [...remoteTree.tree].flatMap(([at, { type }]) =>
    rules.ignoresWhole(at, type === "directory") ? [at] : [],
  )
  const source = without(remoteTree.tree, ignored)
  const before = base === null ? null : without(base, ignored)
  const { moved, target } = await changedPaths({ root, source, before, signal })
  const all = planSync({
    source: only(source, moved),
    target,
    base: before === null ? null : only(before, moved),
    replaceUnknown: false,
    force,
    modes: HAS_MODES,
  })
  const known = new Map(base ?? [])
  for (const at of all.same) {
    const same = source.get(at)
    if (same !== undefined) known.set(at, same)
  }
  for (const at of moved) if (!source.has(at) && !target.has(at)) known.delete(at)
  const puller = new Puller(options, root, source, known)
  let stateError: string | null = null
  if (!dryRun) {
    try {
      await puller.apply(all, target)
    } finally {
      if (moved.size > 0 || base === null) stateError = await saveBase(pair, known)
    }
  }
  return {
    folder: root,
    remote,
    written: dryRun ? all.write : puller.written.toSorted(),
    removed: dryRun ? all.remove : puller.removed,
    bytes: puller.bytes,
    transferred: puller.transferred,
    unchanged: source.size - all.write.length - all.conflicts.filter((at) => source.has(at)).length,
    conflicts: all.conflicts,
    ignored,
    leftOut: puller.leftOut,
    stateError,
  }
}

/**
 * The paths that changed in the session since the last synchronization (`moved`), and what this machine's folder has at them
 * (`target`). Files at other paths are not even read.
 */
const changedPaths = async ({ root, source, before, signal }: Changes) => {
  const target = new Map<string, TreeEntry>()
  const moved = new Set<string>()
  for (const at of new Set([...source.keys(), ...(before?.keys() ?? [])])) {
    signal?.throwIfAborted()
    if (before !== null && sameEntry(source.get(at), before.get(at), HAS_MODES)) continue
    moved.add(at)
    const localEntry = await entryAt(root, at)
    if (localEntry !== undefined) target.set(at, localEntry)
  }
  return { moved, target }
}

interface Changes {
  /** The real path of this machine's folder. */
  readonly root: string
  /** What the session has now. */
  readonly source: Tree
  /** What both sides had after the last synchronization; null when that is not known. */
  readonly before: Tree | null
  readonly signal: AbortSignal | undefined
}

const realpathOf = async (folder: string): Promise<string> => {
  try {
    return await fs.realpath(folder)
  } catch (error) {
    // A dry run does not create the folder.
    if (isMissing(error)) return path.resolve(folder)
    throw error
  }
}

const without = (tree: Tree, paths: ReadonlyArray<string>): Tree => {
  const gone = new Set(paths)
  return new Map([...tree].filter(([at]) => !gone.has(at)))
}

const only = (tree: Tree, paths: ReadonlySet<string>): Tree => new Map([...tree].filter(([at]) => paths.has(at)))

class Puller {
  readonly written: Array<string> = []
  readonly removed: Array<string> = []
  readonly leftOut: Array<LeftOut> = []
  bytes = 0
  transferred = 0
  readonly #options: SyncOptions
  readonly #source: Tree
  readonly #known: Map<string, TreeEntry>
  readonly #writer: LocalWriter

  constructor(options: SyncOptions, root: string, source: Tree, known: Map<string, TreeEntry>) {
    this.#options = options
    this.#source = source
    this.#known = known
    this.#writer = new LocalWriter(root)
  }

  async apply({ write, remove }: SyncPlan, target: Tree): Promise<void> {
    for (const at of remove) {
      if (!(await this.#writer.remove(at))) continue
      this.removed.push(at)
      this.#known.delete(at)
    }
    const wanted = new Map<string, TreeEntry & { readonly type: "file" }>()
    for (const at of write) {
      const entry = this.#source.get(at)
      const existing = target.get(at)
      if (entry === undefined) continue
      if (existing !== undefined && existing.type !== entry.type) {
        const gone = await this.#attempt(at, () => this.#writer.remove(at))
        if (gone !== true) continue
      }
      if (entry.type === "file") wanted.set(at, entry)
      else if (entry.type === "directory") {
        await this.#attempt(at, async () => {
          await this.#writer.folder(at)
          this.#done(at, entry)
        })
      }
    }
    if (wanted.size > FEW) await this.#takeArchive(wanted)
    else await this.#takeEach(wanted)
    // Links are created last, so that no file is written through one.
    for (const at of write) {
      const entry = this.#source.get(at)
      if (entry?.type !== "symlink") continue
      await this.#attempt(at, async () => {
        await this.#writer.link(at, entry.target)
        this.#done(at, entry)
      })
    }
  }

  async #takeEach(wanted: ReadonlyMap<string, TreeEntry & { readonly type: "file" }>): Promise<void> {
    const { files, remote, signal } = this.#options
    const queue = [...wanted]
    const worker = async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const [at, { mode }] = next
        try {
          await this.#write(at, await files.read(remotePath(remote, at), signal === undefined ? {} : { signal }), mode)
        } catch (error) {
          // The file was removed in the session after it was listed; the next pull removes it here.
          if (!(error instanceof NotFoundError)) throw error
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  async #takeArchive(wanted: ReadonlyMap<string, TreeEntry & { readonly type: "file" }>): Promise<void> {
    const { files, remote, signal } = this.#options
    const archive = await files.download({ path: remote, ...(signal === undefined ? {} : { signal }) })
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, out) => {
        this.transferred += chunk.byteLength
        out.enqueue(chunk)
      },
    })
    // The two declarations of a stream, of Node and of the web, differ in their buffers only.
    const plain = archive.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip") as GunzipStream)
    for await (const { header, body } of plain.pipeThrough(createTarDecoder({ strict: true }))) {
      const entry = header.type === "file" || header.type === undefined ? wanted.get(header.name) : undefined
      if (entry === undefined) {
        await body.cancel()
        continue
      }
      const bytes = new Uint8Array(await new Response(body).arrayBuffer())
      await this.#write(header.name, bytes, header.mode ?? entry.mode, true)
    }
  }

  async #write(at: string, bytes: Uint8Array, mode: number, counted = false): Promise<void> {
    await this.#attempt(at, async () => {
      await this.#writer.file(at, bytes, mode)
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      this.#done(at, { type: "file", sha256, size: bytes.length, mode: mode & 0o777 })
      this.bytes += bytes.length
      if (!counted) this.transferred += bytes.length
    })
  }

  #done(at: string, entry: TreeEntry): void {
    this.written.push(at)
    this.#known.set(at, entry)
  }

  /** Runs a write; a path that this machine can't store is reported in `leftOut`, and the pull continues. */
  async #attempt<A>(at: string, run: () => Promise<A>): Promise<A | undefined> {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof NotWritten)) throw error
      this.leftOut.push({ path: at, why: error.message })
      return undefined
    }
  }
}

/** The platform's type of DecompressionStream accepts any BufferSource; the chunks from `fetch` are Uint8Arrays. */
type GunzipStream = ReadableWritablePair<Uint8Array, Uint8Array>

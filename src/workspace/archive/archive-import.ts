// Receives a stream of tar bytes and a directory; writes the archive's tree below that directory.
// Invariant: the whole archive is written or nothing; nothing is written outside the directory, and quotas are enforced.
import { createTarDecoder, type ParsedTarEntry, type TarHeader } from "modern-tar"
import { FileTree } from "../tree/file-tree.ts"
import { MemoryStore } from "../tree/memory-store.ts"
import { isBelow, normalizePath, parentOf } from "../paths.ts"
import { PartialEntries, sparseReason } from "./partial-entries.ts"
import type { Workspace } from "../workspace.ts"
import { WorkspaceError } from "../workspace-error.ts"
import { shortened } from "../../schemas/shortened.ts"

/** An archive that can't be imported; `message` names the entry and the reason. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError"
}

/** What an import has written. */
export interface Imported {
  readonly files: number
  readonly directories: number
  readonly links: number
  /** The size of all files together. */
  readonly bytes: number
}

/** An archive may have this many times as many entries as the workspace may have nodes. */
const ENTRIES_PER_NODE = 2
/** The most bytes of headers and padding together. */
const OVERHEAD_BYTES = 64 << 20
/** The longest name or link target, in UTF-16 units. */
const MAX_NAME = 4096
/** The most bytes before an entry's own header: the records with its long name and its attributes. */
const MAX_RECORDS = 256 << 10

/**
 * Imports an archive below a directory, which is created if needed. Rejects with an ArchiveError for an archive that can't be
 * imported, and with a WorkspaceError for a write that the workspace refuses, such as one beyond its quotas.
 */
export const importArchive = async (
  workspace: Workspace,
  path: string,
  archive: ReadableStream<Uint8Array>,
): Promise<Imported> => {
  const blobs = workspace.blobs.stage()
  const store = new MemoryStore(workspace.nodes)
  const tree = new FileTree(store, workspace.now, () => workspace.quotas, [path])
  const target = { workspace, tree, store, blobs, root: rootOf(tree, path) }
  const imported = { files: 0, directories: 0, links: 0, bytes: 0 }
  const times: Array<readonly [path: string, mtime: number]> = []
  let entries = 0
  try {
    for await (const { header, body } of entriesOf(archive, workspace.quotas.maxBytes + OVERHEAD_BYTES)) {
      entries += 1
      if (entries > ENTRIES_PER_NODE * workspace.quotas.maxFiles)
        throw new ArchiveError("the archive has too many entries")
      await take(target, header, body, imported, times)
    }
    // Directories get their time from the archive at the end, because writing into them has changed it.
    for (const [at, mtime] of times) tree.utimes(at, mtime)
    workspace.applyWithin(store.changes())
  } catch (error) {
    blobs.drop()
    throw error
  }
  blobs.keep()
  return imported
}

interface Target {
  readonly workspace: Workspace
  readonly tree: FileTree
  readonly store: MemoryStore
  readonly blobs: ReturnType<Workspace["blobs"]["stage"]>
  /** The real path of the directory, which no link may lead out of. */
  readonly root: string
}

const rootOf = (tree: FileTree, path: string): string => {
  const at = normalizePath(path)
  tree.mkdir(at, { recursive: true })
  return tree.realpath(at)
}

const isInside = (path: string, root: string): boolean => path === root || isBelow(path, root)

const take = async (
  target: Target,
  header: TarHeader,
  body: AsyncIterable<Uint8Array>,
  imported: { -readonly [Key in keyof Imported]: number },
  times: Array<readonly [path: string, mtime: number]>,
): Promise<void> => {
  const { tree, store, blobs, root, workspace } = target
  checkLength(header)
  const path = placeOf(header.name, root)
  if (path === root && header.type === "directory") return
  const at = realPlace(target, path, header.name)
  const mtime = timeOf(header, workspace.now())
  if (header.type === "directory") {
    tree.mkdir(at, { recursive: true })
    tree.chmod(at, modeOf(header, 0o755))
    times.push([at, mtime])
    imported.directories += 1
  } else if (header.type === "symlink") {
    const to = header.linkname ?? ""
    if (!isInside(leadsTo(to, parentOf(at), header.name), root)) {
      throw new ArchiveError(`${shown(header.name)} is a link that points out of ${root}: ${shown(to)}`)
    }
    replace(tree, at)
    tree.mkdir(parentOf(at), { recursive: true })
    tree.symlink(to, at)
    imported.links += 1
  } else if (header.type === "link") {
    const from = realPlace(target, placeOf(header.linkname ?? "", root), header.linkname ?? "")
    if (from !== at) replace(tree, at)
    tree.copy(from, at)
    imported.files += 1
  } else if (header.type === "file" || header.type === undefined) {
    const sparse = sparseReason(header.pax)
    if (sparse !== undefined) throw new ArchiveError(`${shown(header.name)} ${sparse}`)
    if (!Number.isSafeInteger(header.size)) throw new ArchiveError(`${shown(header.name)} has no size`)
    replace(tree, at)
    // A file that is too large is refused before its bytes are read.
    tree.checkWrite(at, header.size)
    const bytes = await collected(body, header.size)
    const { change } = tree.prepareWrite(at, bytes)
    const { bytes: _staged, ...node } = change[1]
    store.put(change[0], { ...node, hash: blobs.put(bytes), mode: modeOf(header, 0o644), mtime })
    imported.files += 1
    imported.bytes += bytes.byteLength
  } else throw new ArchiveError(`${shown(header.name)} is a ${header.type}, which a workspace can't contain`)
}

/** Refuses long names and targets, because they are split into segments before the workspace checks their length. */
const checkLength = (header: TarHeader): void => {
  for (const text of [header.name, header.linkname ?? ""])
    if (text.length > MAX_NAME) throw new ArchiveError(`${shown(text)} is longer than ${MAX_NAME} bytes`)
}

/** The path of an entry. Throws ArchiveError unless its name is relative and stays inside the directory. */
const placeOf = (name: string, root: string): string => {
  if (name === "") throw new ArchiveError("an entry has no name")
  if (name.startsWith("/")) throw new ArchiveError(`${shown(name)} is an absolute name`)
  if (name.split("/").includes("..")) throw new ArchiveError(`${shown(name)} has .. in its name`)
  return normalizePath(name, root)
}

/** The path with the links above it followed. Throws ArchiveError when an existing link leads out of the directory. */
const realPlace = ({ tree, root }: Target, path: string, name: string): string => {
  const real = tree.placeOf(path)
  if (!isBelow(real, root))
    throw new ArchiveError(`${shown(name)} would be written through a link that leads out of ${root}`)
  return real
}

/** The path that a link's target means, relative to the directory of the link. */
const leadsTo = (target: string, directory: string, name: string): string => {
  const segments = target.startsWith("/") ? [] : directory.split("/").filter((segment) => segment !== "")
  for (const segment of target.split("/")) {
    if (segment !== "..") {
      if (segment !== "" && segment !== ".") segments.push(segment)
    } else if (segments.pop() === undefined)
      throw new ArchiveError(`${shown(name)} is a link that climbs above the root`)
  }
  return normalizePath(`/${segments.join("/")}`)
}

/** Removes a file or link that is in the entry's place; a directory stays, and then writing the entry fails. */
const replace = (tree: FileTree, path: string): void => {
  const existing = tree.typeAt(path)
  if (existing === "file" || existing === "symlink") tree.remove(path)
}

const modeOf = ({ mode }: TarHeader, otherwise: number): number =>
  mode === undefined || !Number.isSafeInteger(mode) ? otherwise : mode & 0o777

const MAX_TIME = 8_640_000_000_000

const timeOf = ({ mtime }: TarHeader, now: number): number => {
  const time = mtime?.getTime() ?? now
  return Number.isFinite(time) && Math.abs(time) <= MAX_TIME ? Math.round(time) : now
}

const shown = (name: string): string => JSON.stringify(shortened(name, 200))

const collected = async (body: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(size)
  let at = 0
  for await (const chunk of body) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  if (at !== size) throw new ArchiveError("the archive ends in the middle of a file")
  return bytes
}

/** The most bytes that are passed to the decoder at once. */
const PIECE = 64 << 10

interface ReadEntry {
  readonly header: TarHeader
  readonly body: AsyncIterable<Uint8Array>
}

/** Feeds the archive to the decoder a piece at a time: the decoder itself would buffer everything at once. */
class DecoderFeed {
  readonly #source: ReadableStreamDefaultReader<Uint8Array>
  readonly #sink: WritableStreamDefaultWriter<Uint8Array>
  readonly #limit: number
  #bytes = 0
  #rest: Uint8Array = new Uint8Array(0)
  readonly #partials = new PartialEntries()
  /** True while the archive may have more bytes. */
  open = true

  constructor(archive: ReadableStream<Uint8Array>, decoder: WritableStream<Uint8Array>, limit: number) {
    this.#source = archive.getReader()
    this.#sink = decoder.getWriter()
    this.#limit = limit
  }

  /** Feeds one more piece; pieces are small, because the decoder buffers them. Returns its bytes, 0 for padding or the end. */
  async feed(): Promise<number> {
    if (this.#rest.length === 0) {
      const { done, value } = await this.#source.read()
      if (done) {
        this.open = false
        await this.#sink.close()
        return 0
      }
      this.#rest = value
      this.#bytes += value.byteLength
      if (this.#bytes > this.#limit) {
        throw new ArchiveError("the archive is larger than the workspace's limit")
      }
    }
    const piece = this.#rest.subarray(0, PIECE)
    const partial = this.#partials.find(piece)
    if (partial !== undefined) throw new ArchiveError(`${shown(partial.name)} ${partial.reason}`)
    this.#rest = this.#rest.subarray(PIECE)
    await this.#sink.write(piece)
    // A tar archive is padded with zero bytes: those do not count as content.
    return piece.some((byte) => byte !== 0) ? piece.length : 0
  }

  /** Feeds the decoder until the next read resolves. Throws ArchiveError when that takes more than `most` bytes. */
  async next<A>(
    reader: ReadableStreamDefaultReader<A>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<ReadableStreamReadResult<A>> {
    const read = { settled: false }
    const answer = reader.read().finally(() => {
      read.settled = true
    })
    // The caller gets the failure from `answer`; while the loop below runs, it must not count as an unhandled rejection.
    answer.catch(() => undefined)
    await Promise.resolve()
    for (let waited = 0; !read.settled && this.open; waited += await this.feed()) {
      if (waited > most) throw new ArchiveError(`an entry's name and attributes are longer than ${MAX_RECORDS} bytes`)
    }
    return answer
  }

  async *chunks(entry: ParsedTarEntry): AsyncGenerator<Uint8Array, void> {
    const reader = entry.body.getReader()
    try {
      for (let piece = await this.next(reader); !piece.done; piece = await this.next(reader)) yield piece.value
    } catch (error) {
      throw unreadable(error)
    }
  }

  async cancel(): Promise<void> {
    await this.#source.cancel().catch(() => undefined)
  }
}

/** The archive's entries. The archive is read only as fast as its entries are consumed. */
async function* entriesOf(archive: ReadableStream<Uint8Array>, limit: number): AsyncGenerator<ReadEntry, void> {
  const { readable, writable } = createTarDecoder({ strict: true })
  const entries = readable.getReader()
  const source = new DecoderFeed(archive, writable, limit)
  try {
    for (
      let entry = await source.next(entries, MAX_RECORDS);
      !entry.done;
      entry = await source.next(entries, MAX_RECORDS)
    ) {
      const { header, body } = entry.value
      const read = source.chunks(entry.value)
      yield { header, body: read }
      await read.return(undefined)
      if (!body.locked) await body.cancel()
    }
    // What follows the archive's end is padding.
    while (source.open) await source.feed()
  } catch (error) {
    throw unreadable(error)
  } finally {
    await source.cancel()
  }
}

/** Turns errors of the decoder and of the stream, which describe what is wrong with the archive, into an ArchiveError. */
const unreadable = (error: unknown): Error => {
  if (error instanceof ArchiveError || error instanceof WorkspaceError) return error
  if (error instanceof Error && error.message.includes("metadata entry exceeds"))
    return new ArchiveError(`an entry's name and attributes are longer than ${MAX_RECORDS} bytes`)
  const why = error instanceof Error && error.message !== "" ? error.message : "it is incomplete"
  return new ArchiveError(`this is not a readable tar archive: ${why}`)
}

// Sends the changes of a folder to a session's workspace: compares hashes, checks the limits, then sends archives.
// Invariant: nothing is sent before all of it is known to fit; files that were sent before a failure are not sent again; a
// file that changed in the session since the last synchronization is not overwritten, unless `force` is set.
import { createHash } from "node:crypto"
import fs from "node:fs/promises"
import path from "node:path"
import { gzip } from "node:zlib"
import { promisify } from "node:util"
import { packTar, type TarEntry } from "modern-tar"
import { NotFoundError } from "../api/perch-error.ts"
import { type Found, HAS_MODES, hashOf, isMissing, type LeftOut, type LocalFolder, readFolder } from "./local-tree.ts"
import { readRemote, remotePath, type RemoteTree } from "./remote-tree.ts"
import type { SyncOptions, SyncReport } from "./sync-options.ts"
import { planSync, type SyncPlan } from "./sync-plan.ts"
import { loadBase, saveBase, type SyncPair } from "./sync-state.ts"
import { type TreeEntry, withFolders } from "./tree-entry.ts"

/** The folder exceeds the limits of the session's workspace. Nothing was sent. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError"
}

/** The approximate size of an archive: small enough for any proxy, and little is lost when the connection breaks. */
const BATCH_BYTES = 8 << 20
const BATCH_ENTRIES = 500
const AT_ONCE = 6
const compress = promisify(gzip)

export const pushFolder = async (options: SyncOptions): Promise<SyncReport> => {
  const { files, remote, signal, force = false, dryRun = false } = options
  const remoteTree = await readRemote(files, remote, signal)
  const local = await readFolder(options.folder, options.selection ?? {})
  const { fits, leftOut } = withoutTooLarge(local, remoteTree)
  checkFolder(fits, remoteTree, options.folder)
  const source = await hashed(local.root, fits, signal)
  const pair: SyncPair = { url: options.url, session: options.session, remote, local: local.root }
  const base = await loadBase(pair)
  const all = planSync({
    source: withFolders(source),
    target: remoteTree.tree,
    base,
    replaceUnknown: true,
    force,
    modes: HAS_MODES,
  })
  const plan = { ...all, ...mayRemove(all, remoteTree, local, leftOut) }
  checkLimits(plan, source, remoteTree, options.folder)
  const known = new Map(plan.same.flatMap((at) => [[at, remoteTree.tree.get(at)] as const]).filter(isKnown))
  for (const [at, entry] of base ?? []) if (!known.has(at) && !plan.remove.includes(at)) known.set(at, entry)
  const sender = new Sender(options, local, known, fits)
  let stateError: string | null = null
  if (!dryRun) {
    try {
      await sender.send(plan, remoteTree)
    } finally {
      stateError = await saveBase(pair, known)
    }
  }
  return {
    folder: local.root,
    remote,
    written: plan.write.filter((at) => source.has(at)),
    removed: plan.remove,
    bytes: dryRun ? plan.write.reduce((sum, at) => sum + sizeOf(source.get(at)), 0) : sender.bytes,
    transferred: sender.transferred,
    unchanged: plan.same.length,
    conflicts: plan.conflicts,
    ignored: local.ignored,
    leftOut: [...leftOut, ...sender.leftOut],
    stateError,
  }
}

const isKnown = (pair: readonly [string, TreeEntry | undefined]): pair is [string, TreeEntry] => pair[1] !== undefined

const sizeOf = (entry: TreeEntry | undefined): number => (entry?.type === "file" ? entry.size : 0)

/** The files that the session accepts, and what is left out because of its size. */
const withoutTooLarge = ({ found, leftOut }: LocalFolder, { limits }: RemoteTree) => {
  const large = found.filter(({ size }) => size > limits.file_bytes)
  const why = ({ size }: Found) =>
    `it has ${bytesText(size)}, and one file may have at most ${bytesText(limits.file_bytes)}`
  return {
    fits: found.filter((file) => !large.includes(file)),
    leftOut: [...leftOut, ...large.map((file) => ({ path: file.path, why: why(file) }))],
  }
}

/** The entries of the folder, with the hashes of its files. */
const hashed = async (root: string, found: ReadonlyArray<Found>, signal?: AbortSignal) => {
  const source = new Map<string, TreeEntry>()
  for (const item of found) {
    signal?.throwIfAborted()
    const entry = await hashedEntry(root, item)
    if (entry !== null) source.set(item.path, entry)
  }
  return source
}

/** Null for a folder with content, which the paths in it imply, and for a file that was removed after it was listed. */
const hashedEntry = async (root: string, found: Found): Promise<TreeEntry | null> => {
  const { type, size, mode, target = "", empty } = found
  if (type === "directory") return empty === true ? { type } : null
  if (type === "symlink") return { type, target }
  try {
    return { type, sha256: await hashOf(path.join(root, found.path)), size, mode }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Drops removals and conflicts of paths that are not sent but may still exist here: the session's copy of those stays. */
const mayRemove = (plan: SyncPlan, there: RemoteTree, { rules }: LocalFolder, leftOut: ReadonlyArray<LeftOut>) => {
  const atHome = new Set(leftOut.map(({ path: at }) => at))
  const stays = (at: string) => {
    const directory = there.tree.get(at)?.type === "directory"
    return atHome.has(at) || rules.ignoresWhole(at, directory) || !(directory || rules.includes(at))
  }
  const staying = plan.remove.filter(stays)
  return {
    remove: plan.remove.filter((at) => !staying.some((other) => other === at || other.startsWith(`${at}/`))),
    conflicts: plan.conflicts.filter((at) => !stays(at)),
  }
}

/** Refuses a folder that alone exceeds the limits, before its files are read, which takes long for a large folder. */
const checkFolder = (found: ReadonlyArray<Found>, { limits }: RemoteTree, folder: string): void => {
  const nodes = found.filter(({ type, empty }) => type !== "directory" || empty === true).length
  const bytes = found.reduce((sum, { type, size }) => sum + (type === "file" ? size : 0), 0)
  if (nodes > limits.files) {
    throw new TooLargeError(
      `${folder} does not fit: it has ${count(nodes)} files, folders and links, and a session has at most ${count(limits.files)}. Nothing was sent. Ignore some of them.`,
    )
  }
  if (bytes > limits.bytes) {
    throw new TooLargeError(
      `${folder} does not fit: its files come to ${bytesText(bytes)}, and those of a session may come to ${bytesText(limits.bytes)}. Nothing was sent. Ignore some of them.`,
    )
  }
}

const checkLimits = (
  plan: SyncPlan,
  source: ReadonlyMap<string, TreeEntry>,
  there: RemoteTree,
  folder: string,
): void => {
  const { limits, used, tree } = there
  let nodes = used.files - plan.remove.length
  let bytes = used.bytes - plan.remove.reduce((sum, at) => sum + sizeOf(tree.get(at)), 0)
  for (const at of plan.write) {
    const entry = source.get(at)
    if (entry === undefined) continue
    if (!tree.has(at)) nodes += 1
    bytes += sizeOf(entry) - sizeOf(tree.get(at))
  }
  if (nodes > limits.files) {
    throw new TooLargeError(
      `${folder} does not fit: the session would contain ${count(nodes)} files, folders and links, and the maximum is ${count(limits.files)}. Nothing was sent. Ignore some of them.`,
    )
  }
  if (bytes > limits.bytes) {
    throw new TooLargeError(
      `${folder} does not fit: the session's files would come to ${bytesText(bytes)}, and may come to ${bytesText(limits.bytes)}. Nothing was sent. Ignore some of them.`,
    )
  }
}

const count = (number: number): string => number.toLocaleString("en")

export const bytesText = (bytes: number): string =>
  bytes < 10_000
    ? `${count(bytes)} bytes`
    : bytes < 10 << 20
      ? `${(bytes / 1024).toFixed(0)} KiB`
      : `${(bytes / (1 << 20)).toFixed(1)} MiB`

class Sender {
  bytes = 0
  transferred = 0
  readonly leftOut: Array<LeftOut> = []
  readonly #options: SyncOptions
  readonly #root: string
  readonly #known: Map<string, TreeEntry>
  readonly #found: ReadonlyMap<string, Found>
  #batch: Array<TarEntry> = []
  #sent: Array<readonly [string, TreeEntry]> = []
  #size = 0

  constructor(options: SyncOptions, { root }: LocalFolder, known: Map<string, TreeEntry>, found: ReadonlyArray<Found>) {
    this.#options = options
    this.#root = root
    this.#known = known
    this.#found = new Map(found.map((file) => [file.path, file]))
  }

  async send(plan: SyncPlan, there: RemoteTree): Promise<void> {
    const isFolder = (at: string) => there.tree.get(at)?.type === "directory"
    await this.#removeAll(plan.remove.filter((at) => !isFolder(at)))
    // The deepest folder first, so that each is empty by then; a folder that only existed through its files is gone already.
    for (const at of plan.remove.filter(isFolder)) await this.#remove(at)
    for (const at of plan.write) {
      const before = there.tree.get(at)
      const now = this.#found.get(at)
      if (now === undefined) continue
      // Archives replace only files and links, so an entry of another type is removed first.
      if (before !== undefined && before.type !== now.type) await this.#remove(at)
      // A folder that is not empty is created with its files.
      if (now.type === "directory" && now.empty !== true) continue
      await this.#add(now)
      if (this.#size >= BATCH_BYTES || this.#batch.length >= BATCH_ENTRIES) await this.#flush()
    }
    await this.#flush()
  }

  async #removeAll(paths: ReadonlyArray<string>): Promise<void> {
    const queue = [...paths]
    const worker = async () => {
      for (let at = queue.pop(); at !== undefined; at = queue.pop()) await this.#remove(at)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  async #remove(at: string): Promise<void> {
    const { files, remote, signal } = this.#options
    try {
      await files.remove(remotePath(remote, at), signal === undefined ? {} : { signal })
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
    }
    this.#known.delete(at)
  }

  async #add({ path: at, type, mode, mtimeMs, target = "" }: Found): Promise<void> {
    const header = { name: type === "directory" ? `${at}/` : at, mtime: new Date(Math.floor(mtimeMs)), size: 0 }
    if (type === "directory") {
      this.#batch.push({ header: { ...header, type, mode: 0o755 } })
      this.#sent.push([at, { type }])
    } else if (type === "symlink") {
      this.#batch.push({ header: { ...header, type, linkname: target } })
      this.#sent.push([at, { type, target }])
    } else {
      const body = await this.#read(at)
      if (body === null) return
      this.#batch.push({ header: { ...header, type, mode, size: body.length }, body })
      const sha256 = createHash("sha256").update(body).digest("hex")
      this.#sent.push([at, { type, sha256, size: body.length, mode }])
      this.#size += body.length
    }
  }

  async #read(at: string): Promise<Buffer | null> {
    try {
      return await fs.readFile(path.join(this.#root, at))
    } catch (error) {
      if (!isMissing(error)) throw error
      this.leftOut.push({ path: at, why: "it was removed while the folder was read" })
      return null
    }
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return
    const { files, remote, signal } = this.#options
    const archive = await compress(await packTar(this.#batch))
    const body = new Uint8Array(archive.buffer as ArrayBuffer, archive.byteOffset, archive.byteLength) // gzip allocates an ArrayBuffer
    await files.upload(body, { path: remote, ...(signal === undefined ? {} : { signal }) })
    this.transferred += body.byteLength
    this.bytes += this.#size
    for (const [at, entry] of this.#sent) this.#known.set(at, entry)
    this.#batch = []
    this.#sent = []
    this.#size = 0
  }
}

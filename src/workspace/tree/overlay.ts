// A shell's view of the workspace: changes stay in memory until `flush` applies them all at once.
// Receives just-bash's asynchronous calls; answers from memory and, for content, from the workspace.
// Invariant: without `flush` the workspace does not change.
import type { IFileSystem } from "just-bash/browser"
import { type FileStat, FileTree } from "./file-tree.ts"
import { MemoryStore } from "./memory-store.ts"
import type { Change, TreeNode } from "./node-store.ts"
import { normalizePath } from "../paths.ts"
import type { Workspace } from "../workspace.ts"
import { WorkspaceError } from "../workspace-error.ts"

type Encoding = "utf8" | "utf-8" | "ascii" | "binary" | "base64" | "hex" | "latin1"
type EncodingOption = { readonly encoding?: Encoding | null } | Encoding | undefined
type ByteString = Awaited<ReturnType<NonNullable<IFileSystem["readFileBytes"]>>>
type ShellStat = Awaited<ReturnType<IFileSystem["stat"]>>
type Dirent = Awaited<ReturnType<NonNullable<IFileSystem["readdirWithFileTypes"]>>>[number]

/** Files that every shell has: writes to them are discarded, and most of them read as empty. */
const DEVICES: ReadonlySet<string> = new Set([
  "/dev/null",
  "/dev/zero",
  "/dev/stdin",
  "/dev/fd/0",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/tty",
  "/dev/random",
  "/dev/urandom",
])
/** How much is read from an endless device. */
const ENDLESS_BYTES = 65_536
const DEVICE: FileStat = { type: "file", mode: 0o666, mtime: 0, size: 0 }

/** The shell yields to other work after this many milliseconds or look-ups; the latter for when the clock does not advance. */
const WORK_MS = 25
const WORK_LOOKUPS = 64

const encodingOf = (option: EncodingOption): Encoding =>
  (typeof option === "string" ? option : option?.encoding) ?? "utf8"

const toBytes = (content: string | Uint8Array, option: EncodingOption): Uint8Array =>
  // A copy, because the shell may reuse its buffer (a Buffer's own `slice` would be a view of it).
  new Uint8Array(typeof content === "string" ? Buffer.from(content, encodingOf(option)) : content)

/**
 * The shell opens a redirection's target with encoding "binary", and a failure there ends the whole script with its
 * output lost. So a redirection makes the directories it needs, as just-bash's own filesystem does; commands don't.
 */
const makesParents = (option: EncodingOption): boolean => encodingOf(option) === "binary"

const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** `place` is the real path, which identifies a file. */
const toStat = (stat: FileStat, place: string): ShellStat => ({
  identity: place,
  isFile: stat.type === "file",
  isDirectory: stat.type === "directory",
  isSymbolicLink: stat.type === "symlink",
  mode: stat.mode,
  size: stat.size,
  mtime: new Date(stat.mtime),
})

/** The directory of process substitutions, `<(…)`, while a script runs. */
const DESCRIPTORS = "/dev/fd"

const deviceBytes = (device: string, input: string): Uint8Array => {
  if (device === "/dev/stdin" || device === "/dev/fd/0") return Buffer.from(input, "latin1")
  if (device === "/dev/zero") return new Uint8Array(ENDLESS_BYTES)
  return device.endsWith("random") ? crypto.getRandomValues(new Uint8Array(ENDLESS_BYTES)) : new Uint8Array(0)
}

export class Overlay implements IFileSystem {
  readonly #workspace: Workspace
  readonly #store: MemoryStore
  readonly #tree: FileTree
  /** What a command that reads `/dev/stdin` receives, one character per byte. */
  input = ""
  #lookups = 0
  /** Real time: it measures how long the thread has been occupied. */
  #workingSince = Date.now()

  /** `cwd` exists in the overlay even when it is empty. */
  constructor(workspace: Workspace, cwd: string) {
    this.#workspace = workspace
    this.#store = new MemoryStore(workspace.nodes)
    this.#tree = new FileTree(this.#store, workspace.now, () => workspace.quotas, ["/tmp", "/dev", cwd])
  }

  /** The shell's changes, deletions first, without its file descriptors, which end with it. */
  changes(): ReadonlyArray<Change> {
    return this.#store.changes().filter(([path]) => path !== DESCRIPTORS && !path.startsWith(`${DESCRIPTORS}/`))
  }

  /** Applies every change to the workspace; call it inside the transaction that appends the tool's result. */
  flush(): void {
    this.#workspace.apply(this.changes())
  }

  /** Writes one of the session's own files without checking rules; throws EINVAL when a link leads elsewhere. */
  protected writeOwn(path: string, bytes: Uint8Array): void {
    this.#tree.writeOwn(path, bytes)
  }

  async readFile(path: string, options?: EncodingOption): Promise<string> {
    return view(this.#read(path)).toString(encodingOf(options))
  }

  async readFileBytes(path: string): Promise<ByteString> {
    // just-bash brands latin1 text as ByteString; one character per byte is exactly its definition.
    return view(this.#read(path)).toString("latin1") as unknown as ByteString
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#read(path).slice()
  }

  async writeFile(path: string, content: string | Uint8Array, options?: EncodingOption): Promise<void> {
    if (DEVICES.has(normalizePath(path))) return
    this.#tree.writeBytes(path, toBytes(content, options), { parents: makesParents(options) })
  }

  async appendFile(path: string, content: string | Uint8Array, options?: EncodingOption): Promise<void> {
    if (DEVICES.has(normalizePath(path))) return
    const more = toBytes(content, options)
    const before = this.#tree.exists(path) ? this.#tree.readBytes(path) : new Uint8Array(0)
    this.#tree.checkWrite(path, before.length + more.length)
    const all = new Uint8Array(before.length + more.length)
    all.set(before)
    all.set(more, before.length)
    this.#tree.writeBytes(path, all, { parents: makesParents(options) })
  }

  async exists(path: string): Promise<boolean> {
    return DEVICES.has(normalizePath(path)) || this.#tree.exists(path)
  }

  async stat(path: string): Promise<ShellStat> {
    await this.#yieldThread()
    const device = normalizePath(path)
    return DEVICES.has(device) ? toStat(DEVICE, device) : toStat(this.#tree.stat(path), this.#tree.endOf(path))
  }

  /**
   * Called for the look-up before each command. The shell never yields the thread otherwise: here interrupts, timeouts and
   * other sessions get to run.
   */
  async #yieldThread(): Promise<void> {
    this.#lookups += 1
    if (this.#lookups < WORK_LOOKUPS && Date.now() - this.#workingSince < WORK_MS) return
    await new Promise((resolve) => setTimeout(resolve, 0))
    this.#lookups = 0
    this.#workingSince = Date.now()
  }

  async lstat(path: string): Promise<ShellStat> {
    const device = normalizePath(path)
    return DEVICES.has(device) ? toStat(DEVICE, device) : toStat(this.#tree.lstat(path), this.#tree.placeOf(path))
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    this.#tree.mkdir(path, { recursive: options?.recursive === true })
  }

  async readdir(path: string): Promise<Array<string>> {
    return this.#tree.readdir(path).map((entry) => entry.name)
  }

  async readdirWithFileTypes(path: string): Promise<Array<Dirent>> {
    return this.#tree.readdir(path).map(({ name, type }) => ({
      name,
      isFile: type === "file",
      isDirectory: type === "directory",
      isSymbolicLink: type === "symlink",
    }))
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    this.#tree.remove(path, { recursive: options?.recursive === true, force: options?.force === true })
  }

  async cp(source: string, target: string, options?: { recursive?: boolean }): Promise<void> {
    this.#tree.copy(source, target, { recursive: options?.recursive === true })
  }

  /** Copies a directory without the nodes that `accepts` refuses; it receives the paths of a node and of its copy. */
  protected copyPart(source: string, target: string, accepts: (from: string, to: string) => boolean): void {
    this.#tree.copy(source, target, { recursive: true, accepts })
  }

  /** Every name that a path has on its way through links, itself first; null when the links can't be resolved. */
  protected names(path: string): ReadonlyArray<string> | null {
    return this.#tree.names(path)
  }

  /** The path of the node itself, existing or not: links above it are followed, a last link is not. */
  protected placeOf(path: string): string {
    return this.#tree.placeOf(path)
  }

  /** True when a path leads to a file. */
  protected isFile(path: string): boolean {
    return this.#tree.exists(path) && this.#tree.stat(path).type === "file"
  }

  /** The type of what is at a path; a link is not followed. Null when nothing is there. */
  protected typeAt(path: string): TreeNode["type"] | null {
    return this.#tree.typeAt(path)
  }

  /** Every node below a path whose links are resolved. */
  protected below(place: string): ReadonlyArray<readonly [path: string, node: TreeNode]> {
    return this.#store.below(place)
  }

  async mv(source: string, target: string): Promise<void> {
    this.#tree.rename(source, target)
  }

  resolvePath(base: string, path: string): string {
    return normalizePath(path, base)
  }

  getAllPaths(): Array<string> {
    return this.#store.below("/").map(([path]) => path)
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#tree.chmod(path, mode)
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#tree.symlink(target, path)
  }

  /** Hard links are copies here: the workspace has no inodes. */
  async link(existing: string, path: string): Promise<void> {
    if (this.#tree.exists(path)) throw new WorkspaceError("EEXIST", "link", path)
    this.#tree.copy(existing, path)
  }

  async readlink(path: string): Promise<string> {
    return this.#tree.readlink(path)
  }

  async realpath(path: string): Promise<string> {
    return this.#tree.realpath(path)
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    this.#tree.utimes(path, mtime.getTime())
  }

  #read(path: string): Uint8Array {
    const device = normalizePath(path)
    return DEVICES.has(device) ? deviceBytes(device, this.input) : this.#tree.readBytes(path)
  }
}

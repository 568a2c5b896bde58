// The files of a session: a synchronous filesystem in the SQLite of its Durable Object.
// Receives paths and bytes; stores them as rows. Invariant: constructing a Workspace reads and writes nothing.
import { BLOB_MIGRATIONS, Blobs } from "./blobs.ts"
import { ChangeJournal } from "./checkpoints/change-journal.ts"
import { CHECKPOINT_MIGRATIONS, Checkpoints, FORK_PREFIX, type KnownCheckpoint } from "./checkpoints/checkpoints.ts"
import { type FileChange, fileChange, type NodeAtPath, nodeOf } from "./checkpoints/file-changes.ts"
import type { Pair } from "./checkpoints/tree-digest.ts"
import { diffNodes, type WorkspaceDiff } from "./diff/diff.ts"
import { type DirectoryEntry, type FileStat, FileTree, type PreparedWrite } from "./tree/file-tree.ts"
import type { Quotas } from "./tree/tree-quotas.ts"
import type { Change, PagedStore, Totals, TreeNode } from "./tree/node-store.ts"
import { ancestorsOf, normalizePath } from "./paths.ts"
import type { FormerNodes } from "./checkpoints/past-tree.ts"
import { type Rewound, rewindNodes } from "./checkpoints/rewind.ts"
import { FILE_MIGRATIONS, SqlStore } from "./tree/sql-store.ts"

/** The part of `ctx.storage` that a workspace uses. */
export interface WorkspaceStorage {
  readonly sql: Pick<SqlStorage, "exec">
  readonly transactionSync: <A>(run: () => A) => A
}

export interface WorkspaceOptions {
  /** Called at every write; values above the defaults have no effect. */
  readonly quotas?: () => Partial<Quotas>
  /** Directories that exist even when they are empty, such as the session's working directory. `/tmp` always does. */
  readonly directories?: ReadonlyArray<string>
  readonly checkpoint?: KnownCheckpoint
}

/** A file as a listing shows it. Times are milliseconds since 1970. */
export interface ListedFile {
  readonly path: string
  readonly type: "file" | "directory" | "symlink"
  readonly size: number
  readonly mode: number
  readonly mtime: number
  /** SHA-256 of a file's content, "" when it is empty. */
  readonly hash: string
  readonly target?: string
}

/** The default quotas, which are also the maximum: 10,000 nodes, 256 MiB, and 32 MiB per file. */
export const DEFAULT_QUOTAS: Quotas = { maxFiles: 10_000, maxBytes: 256 << 20, maxFileBytes: 32 << 20 }

const MAX_PAGE = 1000

/** What a rewind did, or with `dryRun` would do; or why it is impossible. */
export type RewindResult = Rewound | { readonly canRewind: false; readonly error: string }

export class Workspace {
  /** DDL to run, in order, before the first use; safe to repeat. */
  static readonly migrations: ReadonlyArray<string> = [...FILE_MIGRATIONS, ...CHECKPOINT_MIGRATIONS, ...BLOB_MIGRATIONS]

  readonly blobs: Blobs
  readonly now: () => number
  readonly #store: SqlStore
  readonly #limits: () => Partial<Quotas>
  readonly #checkpoints: Checkpoints
  readonly #journal = new ChangeJournal()
  readonly #tree: FileTree

  constructor(storage: WorkspaceStorage, now: () => number, options: WorkspaceOptions = {}) {
    const blobs = new Blobs(storage.sql)
    const checkpoints = new Checkpoints(storage.sql, options.checkpoint)
    const store = new SqlStore(storage.sql, (run) => storage.transactionSync(run), blobs, checkpoints, this.#journal)
    this.#store = store
    this.#checkpoints = checkpoints
    this.#tree = new FileTree(store, now, () => this.quotas, ["/tmp", ...(options.directories ?? [])])
    this.#limits = options.quotas ?? (() => DEFAULT_QUOTAS)
    this.blobs = blobs
    this.now = now
  }

  get quotas(): Quotas {
    const { maxFiles, maxBytes, maxFileBytes } = { ...DEFAULT_QUOTAS, ...this.#limits() }
    return {
      maxFiles: Math.min(maxFiles, DEFAULT_QUOTAS.maxFiles),
      maxBytes: Math.min(maxBytes, DEFAULT_QUOTAS.maxBytes),
      maxFileBytes: Math.min(maxFileBytes, DEFAULT_QUOTAS.maxFileBytes),
    }
  }

  stat(path: string): FileStat {
    return this.#tree.stat(path)
  }

  lstat(path: string): FileStat {
    return this.#tree.lstat(path)
  }

  exists(path: string): boolean {
    return this.#tree.exists(path)
  }

  isDirectory(path: string): boolean {
    return this.exists(path) && this.stat(path).type === "directory"
  }

  /** The content of a file, in memory that the caller owns. */
  readBytes(path: string): Uint8Array {
    return this.#tree.readBytes(path)
  }

  /** The SHA-256 of a file's content in hex, "" when it is empty. */
  hashOf(path: string): string {
    return this.#tree.fileNode(path).hash
  }

  /** The bytes of a file from `start` up to `end`, which is at most its size. */
  readSlice(path: string, start: number, end: number): Uint8Array {
    const { hash } = this.#tree.fileNode(path)
    return end <= start ? new Uint8Array(0) : this.blobs.slice(hash, start, end)
  }

  readText(path: string): string {
    return this.#tree.readText(path)
  }

  writeBytes(path: string, content: Uint8Array | string): void {
    this.#tree.writeBytes(path, content)
  }

  /** Writes one of the session's own files; throws EINVAL when a link would redirect the write. */
  writeOwn(path: string, bytes: Uint8Array): void {
    this.#tree.writeOwn(path, bytes)
  }

  /** Reads one of the session's own files as UTF-8; null when there is no such file, or when a link leads elsewhere. */
  readOwn(path: string): string | null {
    return this.#tree.readOwn(path)
  }

  prepareWrite(path: string, bytes: Uint8Array): PreparedWrite {
    return this.#tree.prepareWrite(path, bytes)
  }

  mkdir(path: string, options?: { readonly recursive?: boolean }): void {
    this.#tree.mkdir(path, options)
  }

  readdir(path: string): Array<DirectoryEntry> {
    return this.#tree.readdir(path)
  }

  remove(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): void {
    this.#tree.remove(path, options)
  }

  rename(from: string, to: string): void {
    this.#tree.rename(from, to)
  }

  copy(from: string, to: string, options?: { readonly recursive?: boolean }): void {
    this.#tree.copy(from, to, options)
  }

  symlink(target: string, path: string): void {
    this.#tree.symlink(target, path)
  }

  readlink(path: string): string {
    return this.#tree.readlink(path)
  }

  realpath(path: string): string {
    return this.#tree.realpath(path)
  }

  /** Every name that a path has on its way through links, itself first; null when the links can't be resolved. */
  names(path: string): ReadonlyArray<string> | null {
    return this.#tree.names(path)
  }

  /** The path of the node itself, existing or not: links above it are followed, a last link is not. */
  placeOf(path: string): string {
    return this.#tree.placeOf(path)
  }

  chmod(path: string, mode: number): void {
    this.#tree.chmod(path, mode)
  }

  utimes(path: string, mtime: number): void {
    this.#tree.utimes(path, mtime)
  }

  /** The store of the tree, for overlays and searches, which only read it. */
  get nodes(): PagedStore {
    return this.#store
  }

  totals(): Readonly<Totals> {
    return this.#store.totals()
  }

  /** Drops all caches; call it after a transaction around any change was rolled back. */
  forget(): void {
    this.#store.forget()
  }

  /** A page of everything at or below `directory`, in path order. `cursor` is the `next` of the previous page. */
  list(
    directory: string,
    cursor: string | null,
    limit: number,
  ): { readonly files: ReadonlyArray<ListedFile>; readonly next: string | null } {
    const size = Math.min(Math.max(Math.trunc(limit), 1), MAX_PAGE)
    const rows = this.#store.page(normalizePath(directory), cursor, size + 1)
    const files = rows.slice(0, size).map(([path, node]): ListedFile => ({
      path,
      type: node.type,
      size: node.size,
      mode: node.mode,
      mtime: node.mtime,
      hash: node.hash,
      ...(node.type === "symlink" ? { target: node.target } : {}),
    }))
    return { files, next: rows.length > size ? (files.at(-1)?.path ?? null) : null }
  }

  /**
   * Applies changes that were checked when they were made; call it inside the transaction that records them. Nodes that
   * are in the way by now are removed: a file where a directory is needed, or what is below a path that becomes a file.
   */
  apply(changes: ReadonlyArray<Change>): void {
    for (const [path, node] of changes) {
      if (node === null) {
        this.#store.delete(path)
        continue
      }
      for (const above of ancestorsOf(path)) {
        const existing = this.#store.get(above)
        if (existing?.type === "directory") break
        if (existing !== null) this.#store.delete(above)
      }
      if (node.type !== "directory") for (const [below] of this.#store.below(path)) this.#store.delete(below)
      this.#store.put(path, node)
    }
  }

  /** Applies changes that were made elsewhere, in one transaction; throws EDQUOT when they now exceed the quotas. */
  applyWithin(changes: ReadonlyArray<Change>): void {
    this.#store.atomically(() => {
      const before = { ...this.#store.totals() }
      this.apply(changes)
      this.#tree.checkGrowth(before)
    })
  }

  /**
   * Makes a checkpoint of the current tree under the id of a prompt, which costs one row; does nothing for an id that
   * exists. Call it inside the transaction that starts the prompt's turn.
   */
  checkpoint(id: string): void {
    if (this.#checkpoints.mark(id) && !id.startsWith(FORK_PREFIX)) this.#journal.begin()
  }

  /**
   * The change since the last snapshot of a turn, or since its checkpoint; null when nothing changed. `known` returns what
   * paths held at snapshots of the turn; it is only called when the journal is unknown, as after a restart. Costs nothing
   * while no file has changed.
   */
  stepChange(turn: string, known: () => Iterable<NodeAtPath>): FileChange | null {
    const journaled = this.#journal.changes(this.#store)
    const change = this.#changeOf(journaled ?? this.#changedSince(turn, known()))
    // Nothing has changed, so the journal is known from here on.
    if (journaled === null && change === null) this.#journal.begin()
    return change
  }

  /** The change since the checkpoint of a turn; null when nothing changed. */
  turnChange(turn: string): FileChange | null {
    return this.#changeOf(this.#changedSince(turn, []))
  }

  #changeOf(changes: ReadonlyArray<Pair>): FileChange | null {
    return fileChange(this.#store, changes, () => this.#journal.digest(this.#store))
  }

  /** Starts the next step's change here. Call it inside the transaction that records the change of a step. */
  snapshotTaken(): void {
    this.#journal.begin()
  }

  #changedSince(turn: string, known: Iterable<NodeAtPath>): ReadonlyArray<Pair> {
    const place = this.#checkpoints.placeOf(turn)
    if (place === null) return []
    const former = this.#checkpoints.changedAfter(place)
    for (const { path, node } of known) former.set(path, nodeOf(node))
    return Array.from(former, ([path, before]): Pair => [path, before, this.#store.get(path)])
  }

  /** The place of the latest checkpoint; 0 before the first. */
  get latestCheckpoint(): number {
    return this.#checkpoints.latest
  }

  /** For every path that changed after a checkpoint, what it held at the checkpoint; undefined for an unknown id. */
  formerNodesAt(id: string): Map<string, TreeNode | null> | undefined {
    const place = this.#checkpoints.placeOf(id)
    return place === null ? undefined : this.#checkpoints.changedAfter(place)
  }

  /** The ids of all checkpoints, in the order in which they were made. */
  checkpoints(): ReadonlyArray<string> {
    return this.#checkpoints.ids()
  }

  /** The difference from one checkpoint to another, or to now (null). An id that is no checkpoint is returned as `missing`. */
  diff(from: string, to: string | null): WorkspaceDiff | { readonly missing: string } {
    const [start, end] = [this.#checkpoints.placeOf(from), to === null ? null : this.#checkpoints.placeOf(to)]
    if (start === null) return { missing: from }
    if (to !== null && end === null) return { missing: to }
    return diffNodes(this.#store, this.#between(start, end))
  }

  /** Each path that changed since the earlier of two places, with what it held at `from` and at `to`. */
  #between(from: number, to: number | null): ReadonlyArray<Pair> {
    const earlier = this.#checkpoints.changedAfter(Math.min(from, to ?? from))
    const later = to === null ? null : this.#checkpoints.changedAfter(Math.max(from, to))
    const pairs = Array.from(earlier, ([path, before]): Pair => {
      const former = later?.get(path)
      const after = former === undefined ? this.#store.get(path) : former
      return to !== null && to < from ? [path, after, before] : [path, before, after]
    })
    return pairs.toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  /**
   * Restores the tree of a checkpoint: files, directories and symlinks with their modes and times, in one transaction. A
   * rewind is a change like any other: later checkpoints stay valid.
   */
  rewind(id: string, options: { readonly dryRun?: boolean } = {}): RewindResult {
    const tree = this.formerNodesAt(id)
    if (tree === undefined) return { canRewind: false, error: "There is no file checkpoint for this message." }
    return this.rewindTo(tree, options)
  }

  /** Restores what paths held, as `rewind` does. */
  rewindTo(former: FormerNodes, options: { readonly dryRun?: boolean } = {}): Rewound {
    return this.#store.atomically(() => rewindNodes(this.#store, former, options.dryRun === true))
  }
}

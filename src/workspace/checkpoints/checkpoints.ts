// The states of the file tree that a rewind can restore. Each checkpoint has a place, its number in their order. A row of
// `files` has the place of the checkpoint after which it last changed (`since`); its version before the first change after a
// checkpoint is a row of `file_versions`.
// Invariant: a checkpoint costs one row, and the first change of a path after it one more, unless nothing was at the path.
import type { TreeNode } from "../tree/node-store.ts"

/** A node as a row; `since` is the place of the checkpoint after which it last changed. */
export type FileRow = {
  readonly path: string
  readonly type: TreeNode["type"]
  readonly mode: number
  readonly mtime: number
  readonly size: number
  readonly hash: string
  readonly target: string
  readonly since: number
}

export const COLUMNS = "path, type, mode, mtime, size, hash, target, since"

export const NODE_COLUMNS = `type TEXT NOT NULL, mode INTEGER NOT NULL, mtime INTEGER NOT NULL,
    size INTEGER NOT NULL, hash TEXT NOT NULL, target TEXT NOT NULL, since INTEGER NOT NULL`

export const CHECKPOINT_MIGRATIONS: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS checkpoints (id TEXT PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS file_versions (
    place INTEGER NOT NULL, path TEXT NOT NULL, ${NODE_COLUMNS}, PRIMARY KEY (place, path)
  ) WITHOUT ROWID`,
]

/** Checkpoints whose id begins with one of these prefixes are made at any time; all others at the start of a turn. */
export const FORK_PREFIX = "fork:"
export const REVERT_PREFIX = "revert:"
/** Ids with one of the prefixes, as ranges, for the index: `;` follows `:` in ASCII. */
const AT_ANY_TIME = "(id >= 'fork:' AND id < 'fork;') OR (id >= 'revert:' AND id < 'revert;')"

export const toNode = (row: FileRow): TreeNode => ({
  type: row.type,
  mode: row.mode,
  mtime: row.mtime,
  size: row.size,
  hash: row.hash,
  target: row.target,
})

/** What the caller knows of the checkpoints of turns. It saves a search for the latest one, which reads all of them. */
export interface KnownCheckpoint {
  /** The place of the checkpoint of a turn. */
  readonly place: number
  /** The ids of turns after it; some of them may have no checkpoint. */
  readonly later: () => ReadonlyArray<string>
}

export class Checkpoints {
  readonly #sql: Pick<SqlStorage, "exec">
  #latest: number | null = null
  #start: KnownCheckpoint | null

  constructor(sql: Pick<SqlStorage, "exec">, start: KnownCheckpoint | null = null) {
    this.#sql = sql
    this.#start = start
  }

  /** The place of the latest checkpoint; 0 before the first. */
  get latest(): number {
    return (this.#latest ??= this.#start === null ? this.#latestAmong("") : this.#latestFrom(this.#start))
  }

  #latestAmong(where: string): number {
    const query = `SELECT COALESCE(MAX(place), 0) AS place FROM checkpoints${where}`
    return this.#sql.exec<{ place: number }>(query).one().place
  }

  #latestFrom({ place, later }: KnownCheckpoint): number {
    const others = this.#latestAmong(` WHERE ${AT_ANY_TIME}`)
    return Math.max(place, others, ...later().map((id) => this.placeOf(id) ?? 0))
  }

  /** Makes a checkpoint of the current tree. Does nothing for an id that exists, and then returns false. */
  mark(id: string): boolean {
    if (this.placeOf(id) !== null) return false
    const place = this.latest + 1
    this.#sql.exec("INSERT INTO checkpoints (id, place) VALUES (?, ?)", id, place)
    this.#latest = place
    return true
  }

  placeOf(id: string): number | null {
    const row = this.#sql.exec<{ place: number }>("SELECT place FROM checkpoints WHERE id = ?", id).toArray()[0]
    return row?.place ?? null
  }

  /** The ids of all checkpoints, the oldest first. */
  ids(): Array<string> {
    const rows = this.#sql.exec<{ id: string }>("SELECT id FROM checkpoints ORDER BY place")
    return rows.toArray().map(({ id }) => id)
  }

  /** Call before a path changes: keeps its version. A path that has changed since the latest checkpoint has one or was new. */
  keep(path: string, since: number): void {
    if (since >= this.latest) return
    this.#sql.exec(
      `INSERT INTO file_versions (place, ${COLUMNS}) SELECT ?, ${COLUMNS} FROM files WHERE path = ?`,
      this.latest,
      path,
    )
  }

  /**
   * For every path that changed after a checkpoint, what it held at the checkpoint: the first version that was kept since;
   * null when nothing was at the path.
   */
  changedAfter(place: number): Map<string, TreeNode | null> {
    const versions = this.#sql.exec<FileRow>(
      // With MIN, SQLite takes the other columns from the row that has the minimum.
      `SELECT ${COLUMNS}, MIN(place) AS place FROM file_versions WHERE place >= ? GROUP BY path`,
      place,
    )
    const former = new Map<string, TreeNode | null>()
    for (const row of versions.toArray()) former.set(row.path, row.since < place ? toNode(row) : null)
    const changed = this.#sql.exec<{ path: string }>("SELECT path FROM files WHERE since >= ?", place)
    for (const { path } of changed.toArray()) if (!former.has(path)) former.set(path, null)
    return former
  }

  /** Drops the cached latest place; call it after a transaction was rolled back. */
  forget(): void {
    this.#latest = null
    this.#start = null
  }
}

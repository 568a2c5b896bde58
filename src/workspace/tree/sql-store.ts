// Nodes of a file tree as rows of Durable Object SQLite.
// Invariant: a small file costs two rows written (its blob and its row), a third for its first change after a checkpoint;
// no read ever writes.
import { Blobs } from "../blobs.ts"
import type { ChangeJournal } from "../checkpoints/change-journal.ts"
import { type Checkpoints, COLUMNS, type FileRow, NODE_COLUMNS, toNode } from "../checkpoints/checkpoints.ts"
import { type Child, count, type PagedStore, type Totals, type TreeNode } from "./node-store.ts"

export const FILE_MIGRATIONS: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, ${NODE_COLUMNS}) WITHOUT ROWID`,
]

const PAGE = 256
/** The most rows that are cached. */
const KNOWN_ROWS = 64
/** Sorts after every name that a directory can contain, since a name has room for 63 of these characters. */
const AFTER_ALL_NAMES = "\u{10ffff}".repeat(64)

/** The range of exactly the paths below a directory: "0" follows "/" in ASCII. */
const rangeBelow = (path: string): readonly [from: string, to: string] =>
  path === "/" ? ["/", "0"] : [`${path}/`, `${path}0`]

export class SqlStore implements PagedStore {
  readonly #sql: Pick<SqlStorage, "exec">
  readonly #transactionSync: <A>(run: () => A) => A
  readonly #blobs: Blobs
  readonly #checkpoints: Checkpoints
  readonly #journal: ChangeJournal
  #totals: Totals | null = null
  /** Rows that were read since the last change, because a turn reads the same few repeatedly; null when there is no row. */
  readonly #rows = new Map<string, FileRow | null>()

  constructor(
    sql: Pick<SqlStorage, "exec">,
    transactionSync: <A>(run: () => A) => A,
    blobs: Blobs,
    checkpoints: Checkpoints,
    journal: ChangeJournal,
  ) {
    this.#sql = sql
    this.#transactionSync = transactionSync
    this.#blobs = blobs
    this.#checkpoints = checkpoints
    this.#journal = journal
  }

  get(path: string): TreeNode | null {
    const row = this.#row(path)
    return row === null ? null : toNode(row)
  }

  #row(path: string): FileRow | null {
    const known = this.#rows.get(path)
    if (known !== undefined) return known
    const row = this.#sql.exec<FileRow>(`SELECT ${COLUMNS} FROM files WHERE path = ?`, path).toArray()[0] ?? null
    if (this.#rows.size >= KNOWN_ROWS) this.#rows.clear()
    this.#rows.set(path, row)
    return row
  }

  put(path: string, node: TreeNode): void {
    const totals = this.#counted()
    const before = this.#row(path)
    if (before !== null) this.#checkpoints.keep(path, before.since)
    this.#rows.clear()
    const hash = node.bytes === undefined ? node.hash : this.#blobs.putBlob(node.bytes)
    this.#sql.exec(
      `INSERT INTO files (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET
        type = excluded.type, mode = excluded.mode, mtime = excluded.mtime, size = excluded.size,
        hash = excluded.hash, target = excluded.target, since = excluded.since`,
      path,
      node.type,
      node.mode,
      Math.round(node.mtime),
      node.size,
      hash,
      node.target,
      this.#checkpoints.latest,
    )
    count(totals, before, -1)
    count(totals, node, 1)
    this.#journal.changed(path, before === null ? null : toNode(before), { ...node, hash })
  }

  delete(path: string): void {
    const totals = this.#counted()
    const before = this.#row(path)
    if (before === null) return
    this.#checkpoints.keep(path, before.since)
    this.#rows.clear()
    this.#sql.exec("DELETE FROM files WHERE path = ?", path)
    count(totals, before, -1)
    this.#journal.changed(path, toNode(before), null)
  }

  read(node: TreeNode): Uint8Array {
    const bytes = node.bytes ?? this.#blobs.getBlob(node.hash)
    if (bytes === undefined) throw new Error("a file of the workspace has lost its content")
    return bytes
  }

  anyBelow(path: string): TreeNode | null {
    const row = this.#sql
      .exec<FileRow>(`SELECT ${COLUMNS} FROM files WHERE path > ? AND path < ? LIMIT 1`, ...rangeBelow(path))
      .toArray()[0]
    return row === undefined ? null : toNode(row)
  }

  /** Reads names page by page and skips what is deeper, so that a large subtree costs one row. */
  children(path: string): Array<Child> {
    const [first, end] = rangeBelow(path)
    const found = new Map<string, TreeNode | null>()
    let from = first
    for (;;) {
      const rows = this.#sql
        .exec<FileRow>(
          `SELECT ${COLUMNS} FROM files WHERE path > ? AND path < ? ORDER BY path LIMIT ${PAGE}`,
          from,
          end,
        )
        .toArray()
      let last = ""
      for (const row of rows) {
        const rest = row.path.slice(first.length)
        const slash = rest.indexOf("/")
        const name = slash === -1 ? rest : rest.slice(0, slash)
        if (slash === -1) found.set(name, toNode(row))
        else if (!found.has(name)) found.set(name, null)
        last = slash === -1 ? row.path : `${first}${name}/${AFTER_ALL_NAMES}`
      }
      if (rows.length < PAGE) break
      from = last
    }
    return Array.from(found, ([name, node]) => ({ name, node }))
  }

  below(path: string): Array<readonly [path: string, node: TreeNode]> {
    const cursor = this.#sql.exec<FileRow>(
      `SELECT ${COLUMNS} FROM files WHERE path > ? AND path < ? ORDER BY path`,
      ...rangeBelow(path),
    )
    return cursor.toArray().map((row) => [row.path, toNode(row)] as const)
  }

  page(path: string, cursor: string | null, limit: number): Array<readonly [path: string, node: TreeNode]> {
    const [from, to] = rangeBelow(path)
    const itself = this.#sql.exec<FileRow>(
      `SELECT ${COLUMNS} FROM files WHERE path = ? AND path > ?`,
      path,
      cursor ?? "",
    )
    const rows = this.#sql.exec<FileRow>(
      `SELECT ${COLUMNS} FROM files WHERE path > MAX(?, ?) AND path < ? ORDER BY path LIMIT ?`,
      from,
      cursor ?? "",
      to,
      limit,
    )
    return [...itself.toArray(), ...rows.toArray()].slice(0, limit).map((row) => [row.path, toNode(row)] as const)
  }

  totals(): Readonly<Totals> {
    return this.#counted()
  }

  /** Drops all caches; call it after a transaction was rolled back. */
  forget(): void {
    this.#totals = null
    this.#rows.clear()
    this.#checkpoints.forget()
    this.#journal.forget()
  }

  atomically<A>(run: () => A): A {
    try {
      return this.#transactionSync(run)
    } catch (error) {
      this.forget()
      throw error
    }
  }

  #counted(): Totals {
    if (this.#totals === null) {
      const row = this.#sql
        .exec<{ nodes: number; bytes: number; links: number }>(
          "SELECT COUNT(*) AS nodes, COALESCE(SUM(size), 0) AS bytes, COALESCE(SUM(type = 'symlink'), 0) AS links FROM files",
        )
        .one()
      this.#totals = { nodes: row.nodes, bytes: row.bytes, links: row.links }
    }
    return this.#totals
  }
}

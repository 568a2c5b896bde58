// The tables of a session's Durable Object. They are made when the session is created: a session that does not exist
// has none, so asking for it writes nothing.
// Invariant: no AUTOINCREMENT and no secondary index, because each costs one more row written per row.
import { Workspace } from "../../workspace/workspace.ts"

const SESSION_TABLES: ReadonlyArray<string> = [
  // `stored` has flags: 1 when `json` is the hash of a blob that holds the payload, 2 when it contains marks of media.
  `CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, name TEXT NOT NULL, uuid TEXT NOT NULL, turn TEXT, parent TEXT,
    at INTEGER NOT NULL, stored INTEGER NOT NULL, json TEXT NOT NULL
  )`,
  // One row per prompt, for ever: a prompt's uuid is unique in its session. `result_seq` is null until its turn ends.
  `CREATE TABLE IF NOT EXISTS inbox (
    turn TEXT PRIMARY KEY, seq INTEGER NOT NULL, fingerprint TEXT NOT NULL, result_seq INTEGER
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS inbox_later (turn TEXT PRIMARY KEY) WITHOUT ROWID`,
  // Prompts that run before others that arrived earlier. `place` is compared with the seq of other prompts.
  `CREATE TABLE IF NOT EXISTS inbox_first (turn TEXT PRIMARY KEY, place REAL NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS asks (
    request_id TEXT PRIMARY KEY, turn TEXT NOT NULL, tool_use_id TEXT NOT NULL, opened_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, ask TEXT NOT NULL, settled TEXT
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS tool_runs (
    tool_use_id TEXT PRIMARY KEY, tool TEXT NOT NULL, started_at INTEGER NOT NULL, settled_at INTEGER
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID`,
]

export const createTables = (sql: Sql): void => {
  for (const statement of [...SESSION_TABLES, ...Workspace.migrations]) sql.exec(statement)
}

export const hasTables = (sql: Sql): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").toArray().length > 0

/** A write that came too late: the session was erased meanwhile. */
export class ErasedError extends Error {
  override readonly name = "ErasedError"
}

const READS = /^\s*(?:SELECT|WITH)\b/i

export type Sql = Pick<SqlStorage, "exec">

/** Counts the rows that every statement wrote and, with `countsReads`, those that it read: the object is billed for them. */
export class CountedSql {
  rowsWritten = 0
  readonly #sql: SqlStorage
  /** Statements whose rows may still be read. */
  #open: Array<SqlStorageCursor<Record<string, SqlStorageValue>>> | null
  #read = 0
  #isClosed = false

  constructor(sql: SqlStorage, countsReads = false) {
    this.#sql = sql
    this.#open = countsReads ? [] : null
  }

  get bytes(): number {
    return this.#sql.databaseSize
  }

  /** 0 unless they are counted. */
  get rowsRead(): number {
    for (const cursor of this.#open?.splice(0) ?? []) this.#read += cursor.rowsRead
    return this.#read
  }

  /** From now on a statement that writes throws an `ErasedError`. */
  closeForWrites(): void {
    this.#isClosed = true
  }

  exec<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: Array<unknown>): SqlStorageCursor<T> {
    if (this.#isClosed && !READS.test(query)) throw new ErasedError("the session was erased")
    const cursor = this.#sql.exec<T>(query, ...bindings)
    this.rowsWritten += cursor.rowsWritten
    this.#open?.push(cursor)
    return cursor
  }
}

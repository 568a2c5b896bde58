// A D1 database over node:sqlite: the part of D1's interface that the store uses, fast enough for property tests. It enforces
// the relevant limits of D1: 100 bound values, 100 KB statements, 2 MB values; a batch is one transaction.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"

const MIGRATIONS = join(import.meta.dirname, "../../../migrations")

/** A database with all migrations applied; each test starts with a copy of it. */
const migrated = (() => {
  const database = new DatabaseSync(":memory:")
  for (const file of readdirSync(MIGRATIONS).toSorted()) database.exec(readFileSync(join(MIGRATIONS, file), "utf8"))
  return database.serialize()
})()

class Statement {
  readonly #database: SqliteD1
  readonly #sql: string
  readonly #values: ReadonlyArray<SQLInputValue>

  constructor(database: SqliteD1, sql: string, values: ReadonlyArray<SQLInputValue>) {
    this.#database = database
    this.#sql = sql
    this.#values = values
  }

  bind(...values: ReadonlyArray<SQLInputValue>): Statement {
    return new Statement(this.#database, this.#sql, values)
  }

  async all(): Promise<unknown> {
    return this.execute()
  }

  async run(): Promise<unknown> {
    return this.execute()
  }

  async first(column?: string): Promise<unknown> {
    const row = this.execute().results[0]
    return row === undefined ? null : column === undefined ? row : row[column]
  }

  execute(): { success: true; results: Array<Record<string, unknown>>; meta: { changes: number } } {
    if (this.#database.down) throw new Error("D1_ERROR: Network connection lost.")
    if (Buffer.byteLength(this.#sql) > 100_000) throw new Error("D1_ERROR: statement too long")
    if (this.#values.length > 100) throw new Error("D1_ERROR: too many SQL variables")
    for (const value of this.#values) {
      if (value === undefined) throw new Error("D1_TYPE_ERROR: undefined")
      if (typeof value === "string" && Buffer.byteLength(value) > 2_000_000)
        throw new Error("D1_ERROR: string or blob too big")
    }
    this.#database.calls += 1
    const prepared = this.#database.sqlite.prepare(this.#sql)
    if (prepared.columns().length > 0) {
      const results = prepared.all(...this.#values).map((row) => ({ ...row }))
      return { success: true, results, meta: { changes: 0 } }
    }
    return { success: true, results: [], meta: { changes: Number(prepared.run(...this.#values).changes) } }
  }
}

export class SqliteD1 {
  #sqlite: DatabaseSync | undefined
  calls = 0
  /** If true, D1 is down: every call fails. */
  down = false
  /** The n-th batch from now on fails instead of running (1: the next one). */
  failBatchIn = 0

  /** Copied when it is first used: most sessions that a test opens use no D1. */
  get sqlite(): DatabaseSync {
    if (this.#sqlite === undefined) {
      this.#sqlite = new DatabaseSync(":memory:")
      this.#sqlite.deserialize(migrated)
    }
    return this.#sqlite
  }

  prepare(sql: string): Statement {
    return new Statement(this, sql, [])
  }

  async batch(statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> {
    this.failBatchIn -= 1
    if (this.failBatchIn === 0) throw new Error("D1_ERROR: internal: INSERT INTO secret VALUES (1)")
    if (this.down) throw new Error("D1_ERROR: Network connection lost.")
    this.sqlite.exec("BEGIN")
    try {
      const results = statements.map((statement) => statement.execute())
      this.sqlite.exec("COMMIT")
      return results
    } catch (error) {
      this.sqlite.exec("ROLLBACK")
      throw error
    }
  }

  /** All rows of a table, in the order of its key. */
  rows(table: string): Array<Record<string, unknown>> {
    return this.sqlite
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map((row) => ({ ...row }))
  }

  /**
   * The database with the type that the store takes: the store uses only `prepare`, `bind`, `all`, `run`, `first` and
   * `batch`.
   */
  get d1(): D1Database {
    return this as unknown as D1Database
  }
}

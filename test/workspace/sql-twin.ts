// A twin of the part of a Durable Object's storage that the workspace uses, over node:sqlite in memory.
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { createTables } from "../../src/session/storage/tables.ts"
import type { WorkspaceStorage } from "../../src/workspace/workspace.ts"
import { Workspace, type WorkspaceOptions } from "../../src/workspace/workspace.ts"

export interface Twin extends WorkspaceStorage {
  readonly database: DatabaseSync
  /** Rows changed so far, as the sum of `cursor.rowsWritten` would count them. */
  readonly rowsWritten: () => number
  /** Removes everything, as a Durable Object's `deleteAll`. */
  readonly clear: () => void
}

interface Prepared {
  readonly statement: ReturnType<DatabaseSync["prepare"]>
  /** Whether it returns rows. */
  readonly isRead: boolean
}

export const openTwin = (): Twin => {
  const database = new DatabaseSync(":memory:")
  const statements = new Map<string, Prepared>()
  let rowsWritten = 0
  let depth = 0
  const exec = (query: string, ...bindings: ReadonlyArray<unknown>) => {
    let prepared = statements.get(query)
    if (prepared === undefined) {
      prepared = { statement: database.prepare(query), isRead: /^\s*(?:SELECT|WITH)/i.test(query) }
      statements.set(query, prepared)
    }
    const { statement, isRead } = prepared
    const values = bindings.map((value): SQLInputValue => {
      if (value instanceof ArrayBuffer) return new Uint8Array(value)
      if (typeof value === "string" || typeof value === "number" || value === null) return value
      throw new TypeError(`a Durable Object does not bind ${typeof value}`)
    })
    let rows: Array<Record<string, unknown>> = []
    if (isRead) rows = statement.all(...values)
    else rowsWritten += Number(statement.run(...values).changes)
    for (const row of rows) {
      // Rows have no prototype.
      for (const name in row) {
        const value = row[name]
        if (value instanceof Uint8Array)
          row[name] = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)
      }
    }
    return {
      toArray: () => rows,
      [Symbol.iterator]: () => rows[Symbol.iterator](),
      one: () => {
        if (rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`)
        return rows[0]
      },
    }
  }
  return {
    database,
    rowsWritten: () => rowsWritten,
    clear: () => {
      statements.clear()
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
      for (const { name } of tables) database.exec(`DROP TABLE ${String(name)}`)
    },
    // Cursors are read by toArray, one or iteration, and nothing else of SqlStorage is used.
    sql: { exec } as unknown as WorkspaceStorage["sql"],
    transactionSync: (run) => {
      depth += 1
      database.exec(`SAVEPOINT twin_${depth}`)
      try {
        const result = run()
        database.exec(`RELEASE twin_${depth}`)
        return result
      } catch (error) {
        database.exec(`ROLLBACK TO twin_${depth}`)
        database.exec(`RELEASE twin_${depth}`)
        throw error
      } finally {
        depth -= 1
      }
    },
  }
}

/** A database with the tables of a workspace and nothing in them. */
const empty = (() => {
  const database = new DatabaseSync(":memory:")
  for (const statement of Workspace.migrations) database.exec(statement)
  return database.serialize()
})()

/** A workspace with its tables, a clock that the test moves, and a permanent /workspace. */
export const openWorkspace = (options: WorkspaceOptions = {}) => {
  const twin = openTwin()
  twin.database.deserialize(empty)
  const clock = { now: 1_700_000_000_000 }
  const workspace = new Workspace(twin, () => clock.now, { directories: ["/workspace"], ...options })
  return { twin, clock, workspace }
}

/** A database with the tables of a session and nothing in them. */
const emptySession = (() => {
  const { database, sql } = openTwin()
  createTables(sql)
  return database.serialize()
})()

/** A twin of a new session's storage. Its tables are copied: creating them takes longer than most tests. */
export const openSessionTwin = (): Twin => {
  const twin = openTwin()
  twin.database.deserialize(emptySession)
  return twin
}

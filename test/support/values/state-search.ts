// Searches for texts in everything that a local server has stored or printed: its databases, its objects and its log.
import fs from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setImmediate as nextTurn } from "node:timers/promises"
import { LOG_FILE } from "../server/server.ts"

export interface Hit {
  readonly where: string
  readonly text: string
}

/** The one row that must contain the credentials with which a session calls its hooks. */
const KEPT = { table: "meta", key: "session" }

/** Every hit of `texts`: `FILE TABLE` of a row, or the log. The session's own record is excluded. */
export const searchState = async (state: string, texts: ReadonlyArray<string>): Promise<ReadonlyArray<Hit>> => {
  const found = (where: string, content: string) =>
    texts.filter((text) => content.includes(text)).map((text) => ({ where, text }))
  const files = fs.readdirSync(path.join(state, "v3"), { recursive: true, encoding: "utf8" })
  const databases = files.filter((name) => name.endsWith(".sqlite") && !name.endsWith("metadata.sqlite"))
  const printed = fs.readFileSync(path.join(state, LOG_FILE), "utf8")
  const hits = found("log", printed)
  for (const name of databases) {
    const file = path.join(state, "v3", name)
    // An object that was erased meanwhile has no rows.
    const rows = fs.existsSync(file) ? rowsOf(file) : []
    hits.push(...rows.flatMap(({ table, row }) => found(`${path.dirname(name)} ${table}`, row)))
    // A search takes seconds: a connection that the server closes meanwhile must be noticed before the next request.
    await nextTurn()
  }
  return hits
}

const rowsOf = (file: string): ReadonlyArray<{ readonly table: string; readonly row: string }> => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.flatMap(({ name }) => {
      const table = String(name)
      const statement = database.prepare(`SELECT * FROM "${table}"`)
      // The times of alarms exceed a number's precision.
      statement.setReadBigInts(true)
      const rows = statement.all()
      const kept = rows.filter((row) => table !== KEPT.table || row["key"] !== KEPT.key)
      return kept.map((row) => ({ table, row: Object.values(row).map(textOf).join("\n") }))
    })
  } finally {
    database.close()
  }
}

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)

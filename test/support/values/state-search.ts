// Searches for texts in everything that a local server has stored or printed: its databases, its objects and its log.
import fs from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { LOG_FILE } from "../server/server.ts"

export interface Hit {
  readonly where: string
  readonly text: string
}

/** The one row that must contain the credentials with which a session calls its hooks. */
const KEPT = { table: "meta", key: "session" }

/** Every hit of `texts`: `FILE TABLE` of a row, or the log. The session's own record is excluded. */
export const searchState = (state: string, texts: ReadonlyArray<string>): ReadonlyArray<Hit> => {
  const found = (where: string, content: string) =>
    texts.filter((text) => content.includes(text)).map((text) => ({ where, text }))
  const files = fs.readdirSync(path.join(state, "v3"), { recursive: true, encoding: "utf8" })
  const databases = files.filter((name) => name.endsWith(".sqlite") && !name.endsWith("metadata.sqlite"))
  const printed = fs.readFileSync(path.join(state, LOG_FILE), "utf8")
  return [
    ...found("log", printed),
    ...databases.flatMap((name) =>
      rowsOf(path.join(state, "v3", name)).flatMap(({ table, row }) => found(`${path.dirname(name)} ${table}`, row)),
    ),
  ]
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

// The D1 database of a local server, read directly from its state folder.
import fs from "node:fs"
import path from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"

/** Rows of the server's D1 database. It is opened for each query, read-only. */
export const d1Rows = (
  state: string,
  sql: string,
  ...values: ReadonlyArray<SQLInputValue>
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const folder = path.join(state, "v3/d1/miniflare-D1DatabaseObject")
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
  const [file] = files
  if (file === undefined || files.length > 1) throw new Error(`${folder} holds ${files.length} databases, not one`)
  const database = new DatabaseSync(path.join(folder, file), { readOnly: true, timeout: 5_000 })
  try {
    return database.prepare(sql).all(...values)
  } finally {
    database.close()
  }
}

// Compares the sessions of a server with a backup of them: every row of every table, byte by byte.
// Invariant: only values that a restore changes by design are excluded: the delivery cursors, and the names under which `meta`
// is sealed.
import { createHash } from "node:crypto"
import { chosenSessions, readSession } from "./folder.mjs"
import { forEach } from "./server.mjs"

/** False for what only backups of earlier versions have: what each session makes from its log, and tables of the runtime. */
const isCompared = ({ name }) => name !== "folds" && !name.startsWith("_")

/** The rows to compare. Those of `meta` are encrypted anew at every export: options are compared by the session's own calls. */
const comparedRows = ({ name, rows }) => (name === "meta" ? [] : rows)

/** A row as text, whatever the order of its columns. */
const rowText = (columns, row) =>
  JSON.stringify(columns.map((column, at) => [column, row[at]]).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Table → the number of its rows and their hash. */
const digestOf = async (pages) => {
  const tables = new Map()
  let page = 0
  for await (const { tables: some, page: number, session_id: id } of pages) {
    if (number !== page) throw new Error(`${id}: page ${page} is missing`)
    page += 1
    for (const one of some.filter(isCompared)) {
      const table = tables.get(one.name) ?? { rows: 0, hash: createHash("sha256") }
      tables.set(one.name, table)
      for (const row of comparedRows(one)) {
        table.rows += 1
        table.hash.update(rowText(one.columns, row))
      }
    }
  }
  return new Map([...tables].map(([name, { rows, hash }]) => [name, `${rows} rows ${hash.digest("hex").slice(0, 16)}`]))
}

export const compareTenant = async ({ server, folder, only, concurrency }) => {
  const { ids, missing } = chosenSessions(folder, only)
  const report = { sessions: 0, equal: 0, tables: 0 }
  const failed = await forEach(
    ids.map((id) => ({ id })),
    concurrency,
    async ({ id }) => {
      const [stored, live] = await Promise.all([digestOf(readSession(folder, id)), digestOf(server.pages(id))])
      report.sessions += 1
      const names = [...new Set([...stored.keys(), ...live.keys()])]
      // A table without rows counts as missing.
      const isEmpty = (digest) => digest === undefined || digest.startsWith("0 rows")
      const other = names.filter(
        (name) => stored.get(name) !== live.get(name) && !(isEmpty(stored.get(name)) && isEmpty(live.get(name))),
      )
      if (other.length > 0)
        throw new Error(
          `differs in ${other.map((name) => `${name} (${stored.get(name)}, ${live.get(name)})`).join(", ")}`,
        )
      report.equal += 1
      report.tables += names.length
    },
  )
  return { ...report, failed: [...failed, ...missing] }
}

// Receives rows and the `INSERT … SELECT … FROM json_each(?1)` that writes them; executes it on lists of rows.
// Invariant: whatever the number of rows, a statement has one bound value of about a megabyte at most (D1 takes 2 MB
// and 100 values), and a batch of statements stays within what one call may carry.
import * as Effect from "effect/Effect"
import { attempt, type StoreError } from "../store-error.ts"

const MAX_STATEMENT_BYTES = 1_000_000
const STATEMENTS_PER_CALL = 8

export interface RowsStatement {
  readonly sql: string
  readonly rows: ReadonlyArray<object>
}

/** True for a row of json_each whose session was not deleted. */
const ALIVE = `NOT EXISTS (SELECT 1 FROM sessions AS dead WHERE dead.tenant = json_extract(value, '$.tenant')
  AND dead.session_id = json_extract(value, '$.session_id') AND dead.deleted_at IS NOT NULL)`

/** Columns whose values only grow: a late write does not lower them. */
const GROWS = new Set(["head_seq"])

/** As `ALIVE`, and the session's head has not moved since the row's event. */
const ON_PATH = `NOT EXISTS (SELECT 1 FROM sessions AS dead WHERE dead.tenant = json_extract(value, '$.tenant')
  AND dead.session_id = json_extract(value, '$.session_id')
  AND (dead.deleted_at IS NOT NULL OR dead.head_seq > json_extract(value, '$.seq')))`

/** The statement that removes rows that are no longer on the head's path; its JSON list has that one session. */
export const removeSql = (table: "messages" | "parts"): string =>
  `DELETE FROM ${table} WHERE tenant = json_extract(?1, '$[0].tenant') AND session_id = json_extract(?1, '$[0].session_id')
  AND seq < json_extract(?1, '$[0].head_seq')`

/** How rows are written. Names of columns are the caller's own constants. */
interface Insertion {
  /** All columns but `tenant` and `session_id`. */
  readonly columns: ReadonlyArray<string>
  /** The columns of the key that follow those two. */
  readonly key: ReadonlyArray<string>
  /** An existing row stays (`keep`), or is replaced unless its `seq` is higher (`newest`). */
  readonly conflict: "keep" | "newest"
  /** Rows that follow the head are not written when it has moved since their event. */
  readonly follows?: "log" | "head"
}

/** The statement that writes JSON rows into a table, unless their session was deleted. */
export const insertSql = (table: string, { columns, key, conflict, follows = "log" }: Insertion): string => {
  const all = ["tenant", "session_id", ...columns]
  const values = all.map((column) => `json_extract(value, '$.${column}')`)
  const set = columns
    .filter((column) => !key.includes(column))
    .map(
      (column) =>
        `${column} = ${GROWS.has(column) ? `MAX(${table}.${column}, excluded.${column})` : `excluded.${column}`}`,
    )
  const newer = `DO UPDATE SET ${set.join(", ")} WHERE excluded.seq >= ${table}.seq`
  return `INSERT INTO ${table} (${all.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?1) WHERE ${follows === "head" ? ON_PATH : ALIVE}
ON CONFLICT (${["tenant", "session_id", ...key].join(", ")}) ${conflict === "keep" ? "DO NOTHING" : newer}`
}

/** Splits rows into JSON lists of at most `MAX_STATEMENT_BYTES` (a longer row gets a list of its own). */
export const jsonLists = (rows: ReadonlyArray<object>): ReadonlyArray<string> => {
  const lists: Array<string> = []
  let items: Array<string> = []
  let bytes = 0
  for (const row of rows) {
    const json = JSON.stringify(row)
    const size = Buffer.byteLength(json) + 1
    if (items.length > 0 && bytes + size > MAX_STATEMENT_BYTES) {
      lists.push(`[${items.join(",")}]`)
      items = []
      bytes = 0
    }
    items.push(json)
    bytes += size
  }
  if (items.length > 0) lists.push(`[${items.join(",")}]`)
  return lists
}

/** Writes all rows. When a call fails, the rows of earlier calls stay written; writing everything again is safe. */
export const writeRows = Effect.fn("store.writeRows")(function* (
  db: D1Database,
  operation: string,
  statements: ReadonlyArray<RowsStatement>,
): Effect.fn.Return<void, StoreError> {
  const prepared = statements.flatMap(({ sql, rows }) => jsonLists(rows).map((json) => db.prepare(sql).bind(json)))
  for (let from = 0; from < prepared.length; from += STATEMENTS_PER_CALL) {
    yield* attempt(operation, () => db.batch(prepared.slice(from, from + STATEMENTS_PER_CALL)))
  }
})

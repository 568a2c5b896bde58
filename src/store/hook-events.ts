// Receives a tenant; returns pages of its hook events as D1 has them, and of those that could not be stored.
// Invariant: every statement is bound to the tenant, and a page begins exactly where the previous page ended, whatever
// was written meanwhile.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DeadHookEvent, HookEventInfo } from "../schemas/api/hooks.ts"
import { decodeCursor, encodeCursor, type Page, pageOf } from "./page-cursor.ts"
import { attempt, InvalidCursor, StoreError } from "./store-error.ts"

export interface HookEventQuery {
  readonly session?: string | undefined
  readonly name?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

const Body = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const fields = {
  id: Schema.String,
  session_id: Schema.String,
  seq: Schema.Int,
  hook_event_name: Schema.String,
  at: Schema.Int,
  input: Body,
  outcome: Body,
}
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(fields)))
const decodeDead = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ ...fields, died_at: Schema.Int, reason: Schema.String, redelivered_at: Schema.NullOr(Schema.Int) }),
  ),
)

const unreadable = (operation: string) => () =>
  new StoreError({ operation, message: "the row of a hook event is not readable" })

/** Hook events, the newest first. The caller must bound `limit`. */
export const listHookEvents = Effect.fn("store.listHookEvents")(function* (
  db: D1Database,
  tenant: string,
  query: HookEventQuery,
): Effect.fn.Return<Page<HookEventInfo>, StoreError | InvalidCursor> {
  const results = yield* readPage(db, tenant, query, EVENTS)
  const rows = yield* Effect.mapError(decodeEvents(results), unreadable("listHookEvents"))
  return pageOf(
    rows,
    query.limit,
    ({ at, ...row }) => ({ ...row, at: new Date(at).toISOString() }),
    ({ at, session_id, seq }) => cursorAt("hook_events", at, session_id, seq),
  )
})

/** Hook events that the queue gave up on, the most recently given up first. */
export const listDeadLetters = Effect.fn("store.listDeadLetters")(function* (
  db: D1Database,
  tenant: string,
  query: Omit<HookEventQuery, "name">,
): Effect.fn.Return<Page<DeadHookEvent>, StoreError | InvalidCursor> {
  const results = yield* readPage(db, tenant, query, DEAD_LETTERS)
  const rows = yield* Effect.mapError(decodeDead(results), unreadable("listDeadLetters"))
  return pageOf(rows, query.limit, toDead, ({ died_at, session_id, seq }) =>
    cursorAt("hook_dead_letters", died_at, session_id, seq),
  )
})

const COLUMNS = "id, session_id, seq, hook_event_name, at, input, outcome"
const DEAD_COLUMNS = `${COLUMNS}, died_at, reason, redelivered_at`

/** A table of hook events: the operation that reads it, the time by which its pages are sorted, and their columns. */
interface HookEventTable {
  readonly table: "hook_events" | "hook_dead_letters"
  readonly operation: string
  readonly time: "at" | "died_at"
  readonly columns: string
}
const EVENTS: HookEventTable = { table: "hook_events", operation: "listHookEvents", time: "at", columns: COLUMNS }
const DEAD_LETTERS: HookEventTable = {
  table: "hook_dead_letters",
  operation: "listDeadLetters",
  time: "died_at",
  columns: DEAD_COLUMNS,
}

/** Reads one row more than the page has: it shows whether another page follows. The statement has only the given conditions. */
const readPage = Effect.fnUntraced(function* (
  db: D1Database,
  tenant: string,
  { session, name, cursor, limit }: HookEventQuery,
  { table, operation, time, columns }: HookEventTable,
): Effect.fn.Return<ReadonlyArray<unknown>, StoreError | InvalidCursor> {
  const conditions: ReadonlyArray<readonly [sql: string, values: ReadonlyArray<string | number>]> = [
    ["tenant = ?", [tenant]],
    ...(session === undefined ? [] : [["session_id = ?", [session]] as const]),
    ...(name === undefined ? [] : [["hook_event_name = ?", [name]] as const]),
    ...(cursor === undefined
      ? []
      : [[`(${time}, session_id, seq) < (?, ?, ?)`, yield* placeOf(table, cursor)] as const]),
  ]
  const sql = `SELECT ${columns} FROM ${table} WHERE ${conditions.map(([condition]) => condition).join(" AND ")}
    ORDER BY ${time} DESC, session_id DESC, seq DESC LIMIT ?`
  const values = [...conditions.flatMap(([, bound]) => bound), limit + 1]
  const { results } = yield* attempt(operation, () =>
    db
      .prepare(sql)
      .bind(...values)
      .all(),
  )
  return results
})

/** Records that a dead letter is being redelivered; returns it, or null when the tenant has none with that id. */
export const markRedelivered = Effect.fn("store.markRedelivered")(function* (
  db: D1Database,
  tenant: string,
  id: string,
  at: number,
): Effect.fn.Return<DeadHookEvent | null, StoreError> {
  const { results } = yield* attempt("markRedelivered", () =>
    db
      .prepare(
        `UPDATE hook_dead_letters SET redelivered_at = ?3 WHERE tenant = ?1 AND id = ?2
          RETURNING ${DEAD_COLUMNS}`,
      )
      .bind(tenant, id, at)
      .all(),
  )
  const [row] = yield* Effect.mapError(decodeDead(results), unreadable("markRedelivered"))
  return row === undefined ? null : toDead(row)
})

type DeadRow = Effect.Success<ReturnType<typeof decodeDead>>[number]

const toDead = ({ at, died_at, redelivered_at, ...row }: DeadRow): DeadHookEvent => ({
  ...row,
  at: new Date(at).toISOString(),
  died_at: new Date(died_at).toISOString(),
  redelivered_at: redelivered_at === null ? null : new Date(redelivered_at).toISOString(),
})

/** A cursor has room for two texts: the time, then the session with the event's seq. */
const cursorAt = (list: HookEventTable["table"], at: number, session: string, seq: number): string =>
  encodeCursor(list, [String(at), `${session}/${seq}`])

const placeOf = Effect.fnUntraced(function* (list: HookEventTable["table"], cursor: string) {
  const [time, place] = yield* decodeCursor(list, cursor)
  const slash = place.lastIndexOf("/")
  const at = Number(time)
  const seq = Number(place.slice(slash + 1))
  if (Number.isSafeInteger(at) && Number.isSafeInteger(seq)) return [at, place.slice(0, slash), seq]
  return yield* new InvalidCursor({ message: "must be the next_cursor of a page" })
})

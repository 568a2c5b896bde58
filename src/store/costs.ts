// Receives a tenant and a span of time; returns what its sessions cost, by session and model.
// Invariant: sums cover all rows of the span, whatever the page; a request without a price is flagged, never counted as 0 USD.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decodeCursor, encodeCursor } from "./page-cursor.ts"
import { attempt, type InvalidCursor, StoreError } from "./store-error.ts"

/** What one session paid for one model. Fields from `input` to `cache_…` are tokens; `usd` leaves out `unpriced` requests. */
export const SessionCost = Schema.Struct({
  session_id: Schema.String,
  model: Schema.String,
  requests: Schema.Int,
  input: Schema.Int,
  output: Schema.Int,
  cache_read: Schema.Int,
  cache_write_5m: Schema.Int,
  cache_write_1h: Schema.Int,
  web_searches: Schema.Int,
  usd: Schema.NullOr(Schema.Finite),
  unpriced: Schema.Int,
  wasted: Schema.Int,
})
export type SessionCost = typeof SessionCost.Type

export interface CostsPage {
  readonly data: ReadonlyArray<SessionCost>
  readonly total_usd: number
  readonly has_unpriced: boolean
  readonly next_cursor: string | null
}

const Total = Schema.Struct({ usd: Schema.NullOr(Schema.Finite), unpriced: Schema.Int })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(SessionCost))
const decodeTotals = Schema.decodeUnknownEffect(Schema.Array(Total))

const SPAN = "tenant = ?1 AND at >= ?2 AND at < ?3"

/** Sums in whole nano-dollars, as a session sums its own costs, so that rows and total equal the session's to the last digit. */
const USD = "sum(CAST(round(usd * 1e9) AS INTEGER)) / 1e9"

const ROWS = `SELECT session_id, model, count(*) AS requests, sum(input) AS input, sum(output) AS output,
    sum(cache_read) AS cache_read, sum(cache_write_5m) AS cache_write_5m, sum(cache_write_1h) AS cache_write_1h,
    sum(web_searches) AS web_searches, ${USD} AS usd, sum(usd IS NULL) AS unpriced, sum(wasted) AS wasted
  FROM costs WHERE ${SPAN} AND (session_id, model) > (?4, ?5)
  GROUP BY session_id, model ORDER BY session_id, model LIMIT ?6`

const TOTAL = `SELECT ${USD} AS usd, coalesce(sum(usd IS NULL), 0) AS unpriced FROM costs WHERE ${SPAN}`

/** Costs of `from` ≤ time < `to` (milliseconds since 1970), ordered by session and model. */
export const costsReport = Effect.fn("store.costsReport")(function* (
  db: D1Database,
  tenant: string,
  query: {
    readonly from?: number | undefined
    readonly to?: number | undefined
    readonly limit: number
    readonly cursor?: string | undefined
  },
): Effect.fn.Return<CostsPage, StoreError | InvalidCursor> {
  const [session, model] = query.cursor === undefined ? ["", ""] : yield* decodeCursor(query.cursor)
  const span = [tenant, query.from ?? 0, query.to ?? Number.MAX_SAFE_INTEGER] as const
  const [rows, totals] = yield* attempt("costs_report", () =>
    db.batch([db.prepare(ROWS).bind(...span, session, model, query.limit + 1), db.prepare(TOTAL).bind(...span)]),
  )
  const unreadable = () => new StoreError({ operation: "costs_report", message: "a cost row is not readable" })
  const found = yield* Effect.mapError(decodeRows(rows?.results), unreadable)
  const [total] = yield* Effect.mapError(decodeTotals(totals?.results), unreadable)
  const data = found.slice(0, query.limit)
  const last = data.at(-1)
  return {
    data,
    total_usd: total?.usd ?? 0,
    has_unpriced: (total?.unpriced ?? 0) > 0,
    next_cursor: found.length > query.limit && last !== undefined ? encodeCursor([last.session_id, last.model]) : null,
  }
})

// Receives a tenant and a span of time; returns what its sessions cost, by session and model.
// Invariant: sums cover all rows of the span, whatever the page; a request without a price is flagged, never counted as 0 USD. A
// page reads only the costs of its own sessions, and the first one those of the sessions that were in use within the span.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decodeCursor, encodeCursor, type Page, pageOf } from "./page-cursor.ts"
import { FIRST_PROMPT } from "./sessions.ts"
import { attempt, InvalidCursor, StoreError } from "./store-error.ts"

/** What one session paid for one model. Fields from `input` to `cache_…` are tokens; `usd` leaves out `unpriced` requests. */
export const SessionCost = Schema.Struct({
  session_id: Schema.String,
  session_title: Schema.NullOr(Schema.String),
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

export interface CostsPage extends Page<SessionCost> {
  readonly total_usd: number
  readonly has_unpriced: boolean
}

const TotalRow = Schema.Struct({ usd: Schema.NullOr(Schema.Finite), unpriced: Schema.Int })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(SessionCost))
const decodeTotals = Schema.decodeUnknownEffect(Schema.Array(TotalRow))

const SPAN = "at >= ?2 AND at < ?3"

/** The sessions that may have costs in the span (?4 and ?5 as text). Costs have no index by time, so sessions are filtered first. */
const USED = "tenant = ?1 AND deleted_at IS NULL AND updated_at >= ?4 AND created_at < ?5"

/** Sums in whole nano-dollars, as a session sums its own costs, so that rows and total equal the session's to the last digit. */
const USD = "sum(CAST(round(usd * 1e9) AS INTEGER)) / 1e9"
const NANO = 1e9

const ROWS = `SELECT costs.session_id AS session_id, session_title, model, count(*) AS requests, sum(input) AS input, sum(output) AS output,
    sum(cache_read) AS cache_read, sum(cache_write_5m) AS cache_write_5m, sum(cache_write_1h) AS cache_write_1h,
    sum(web_searches) AS web_searches, ${USD} AS usd, sum(usd IS NULL) AS unpriced, sum(wasted) AS wasted
  FROM (
    SELECT session_id, coalesce(nullif(title, ''), (${FIRST_PROMPT})) AS session_title
    FROM sessions WHERE ${USED} AND session_id >= ?6
      AND EXISTS (SELECT 1 FROM costs WHERE tenant = ?1 AND session_id = sessions.session_id AND ${SPAN})
    ORDER BY session_id LIMIT ?8 + 1
  ) AS page
  CROSS JOIN costs ON costs.tenant = ?1 AND costs.session_id = page.session_id
  WHERE ${SPAN} AND (costs.session_id, model) > (?6, ?7)
  GROUP BY costs.session_id, model ORDER BY costs.session_id, model LIMIT ?8`

const TOTAL = `SELECT ${USD} AS usd, coalesce(sum(usd IS NULL), 0) AS unpriced
  FROM (SELECT session_id FROM sessions WHERE ${USED}) AS used
  CROSS JOIN costs ON costs.tenant = ?1 AND costs.session_id = used.session_id WHERE ${SPAN}`

type Total = Pick<CostsPage, "total_usd" | "has_unpriced">

interface Place {
  readonly session: string
  readonly model: string
  /** The total that the first page has read; null for a cursor of an earlier version. */
  readonly total: Total | null
}

const BEGIN: Place = { session: "", model: "", total: null }

const encodePlace = ({ session_id, model }: SessionCost, { total_usd, has_unpriced }: Total): string =>
  `${encodeCursor("costs", [session_id, model])}.${Math.round(total_usd * NANO)}.${has_unpriced ? 1 : 0}`

const decodePlace = Effect.fnUntraced(function* (cursor: string) {
  const [key = "", ...sums] = cursor.split(".")
  const [session, model] = yield* decodeCursor("costs", key)
  // A cursor of an earlier version has no sums.
  if (sums.length === 0) return { session, model, total: null }
  const [nano = "", unpriced] = sums
  if (sums.length !== 2 || !/^\d{1,16}$/.test(nano) || (unpriced !== "0" && unpriced !== "1"))
    return yield* new InvalidCursor({ message: "must be the next_cursor of a page" })
  return { session, model, total: { total_usd: Number(nano) / NANO, has_unpriced: unpriced === "1" } }
})

/** A time as text, as the columns of `sessions` store it: ISO 8601 with a year of four digits. */
const instant = (ms: number): string => new Date(Math.min(ms, LAST_MS)).toISOString()
const LAST_MS = Date.UTC(9999, 11, 31)

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
  const { session, model, total: known } = query.cursor === undefined ? BEGIN : yield* decodePlace(query.cursor)
  const { from = 0, to = LAST_MS } = query
  const span = [tenant, from, to, instant(from), instant(to)] as const
  const [rows, totals] = yield* attempt("costsReport", () =>
    db.batch([
      db.prepare(ROWS).bind(...span, session, model, query.limit + 1),
      ...(known === null ? [db.prepare(TOTAL).bind(...span)] : []),
    ]),
  )
  const unreadable = () => new StoreError({ operation: "costsReport", message: "a cost row is not readable" })
  const found = yield* Effect.mapError(decodeRows(rows?.results), unreadable)
  const total = known ?? totalOf(yield* Effect.mapError(decodeTotals(totals?.results), unreadable))
  const { data, next_cursor } = pageOf(
    found,
    query.limit,
    (row) => row,
    (last) => encodePlace(last, total),
  )
  return { data, ...total, next_cursor }
})

const totalOf = ([total]: ReadonlyArray<typeof TotalRow.Type>): Total => ({
  total_usd: total?.usd ?? 0,
  has_unpriced: (total?.unpriced ?? 0) > 0,
})

// Receives D1; returns its counts for the metrics, of the whole deployment or of one tenant.
// Invariant: it reads rows of busy sessions, of dead letters, and totals by tenant and model: their number grows neither
// with turns nor with idle sessions.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt, StoreError } from "./store-error.ts"

const SessionStates = Schema.Array(
  Schema.Struct({ state: Schema.String, sessions: Schema.Int, oldest_at: Schema.NullOr(Schema.String) }),
)
const Turns = Schema.Array(
  Schema.Struct({
    outcome: Schema.String,
    turns: Schema.Int,
    duration_ms: Schema.Finite,
    le_1: Schema.Int,
    le_5: Schema.Int,
    le_15: Schema.Int,
    le_60: Schema.Int,
    le_300: Schema.Int,
    le_1800: Schema.Int,
  }),
)
const Costs = Schema.Array(
  Schema.Struct({
    model: Schema.String,
    requests: Schema.Int,
    input: Schema.Finite,
    output: Schema.Finite,
    cache_read: Schema.Finite,
    cache_write: Schema.Finite,
    web_searches: Schema.Int,
    usd: Schema.Finite,
    unpriced: Schema.Int,
    wasted: Schema.Int,
  }),
)
const Counts = Schema.Array(Schema.Struct({ count: Schema.Int }))
const Sessions = Schema.Array(Schema.Struct({ sessions: Schema.Int, tenants: Schema.Int }))

/** The statements for the tenants that `of` selects. Sums of USD are rounded to nano-dollars, without floating-point noise. */
const statements = (of: string): ReadonlyArray<string> => [
  `SELECT state, count(*) AS sessions, min(updated_at) AS oldest_at FROM sessions
    WHERE ${of} AND state <> 'idle' AND deleted_at IS NULL GROUP BY state`,
  `SELECT outcome, sum(turns) AS turns, sum(duration_ms) AS duration_ms, sum(le_1) AS le_1, sum(le_5) AS le_5,
    sum(le_15) AS le_15, sum(le_60) AS le_60, sum(le_300) AS le_300, sum(le_1800) AS le_1800
    FROM turn_totals WHERE ${of} GROUP BY outcome ORDER BY outcome`,
  `SELECT model, sum(requests) AS requests, sum(input) AS input, sum(output) AS output,
    sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(web_searches) AS web_searches,
    round(sum(usd) * 1e9) / 1e9 AS usd, sum(unpriced) AS unpriced, sum(wasted) AS wasted FROM cost_totals WHERE ${of} GROUP BY model ORDER BY model LIMIT ${MAX_MODELS}`,
  `SELECT count(*) AS count FROM hook_dead_letters WHERE ${of}`,
  `SELECT coalesce(sum(sessions), 0) AS sessions, coalesce(sum(sessions > 0), 0) AS tenants FROM session_totals WHERE ${of}`,
]

/** Bounds the values of the label `model`, whatever models clients name. */
const MAX_MODELS = 200

const unreadable = () => new StoreError({ operation: "totals", message: "a total is not readable" })
const decode = <A, I>(shape: Schema.Codec<A, I>, rows: unknown) =>
  Schema.decodeUnknownEffect(shape)(rows).pipe(Effect.mapError(unreadable))

/** The counts of one tenant; `tenant` null means all tenants. */
export const totals = Effect.fn("store.totals")(function* (db: D1Database, tenant: string | null) {
  const [states, turns, costs, dead, all] = yield* attempt("totals", () =>
    db.batch(
      tenant === null
        ? statements("TRUE").map((sql) => db.prepare(sql))
        : statements("tenant = ?1").map((sql) => db.prepare(sql).bind(tenant)),
    ),
  )
  const busy = yield* decode(SessionStates, states?.results)
  const turnRows = yield* decode(Turns, turns?.results)
  const [{ sessions, tenants } = { sessions: 0, tenants: 0 }] = yield* decode(Sessions, all?.results)
  const idle = sessions - busy.reduce((sum, row) => sum + row.sessions, 0)
  return {
    sessions: [{ state: "idle", sessions: idle, oldest_at: null }, ...busy],
    turns: turnRows.map(({ outcome, turns: ended, duration_ms, le_1, le_5, le_15, le_60, le_300, le_1800 }) => ({
      outcome,
      turns: ended,
      duration_ms,
      buckets: [le_1, le_5, le_15, le_60, le_300, le_1800],
    })),
    costs: yield* decode(Costs, costs?.results),
    deadLetters: (yield* decode(Counts, dead?.results))[0]?.count ?? 0,
    tenants,
  }
})

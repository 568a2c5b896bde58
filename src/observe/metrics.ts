// Receives what D1 and this isolate have counted; returns the metrics of `GET /v1/admin/metrics`.
// Invariant: counters of turns, tokens and costs only ever grow: D1 keeps them across deployments, erasures and rebuilds.
// Metrics that restart with an isolate are named `perch_isolate_…`. Labels are models, outcomes, states, routes and statuses.
import { histogram, type Metric, type Sample } from "./exposition.ts"
import type { LagTotals } from "./outbox-lag.ts"
import { REQUEST_BUCKETS, requestCounts, requestDurations } from "./request-counters.ts"

const TURN_BUCKETS = [1, 5, 15, 60, 300, 1800] as const

export interface TurnTotals {
  readonly outcome: string
  readonly turns: number
  readonly duration_ms: number
  /** One number per bucket of `TURN_BUCKETS`. */
  readonly buckets: ReadonlyArray<number>
}

export interface CostTotals {
  readonly model: string
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly web_searches: number
  readonly usd: number
  readonly unpriced: number
  readonly wasted: number
}

/** The counts that D1 returned. */
export interface Stored {
  readonly sessions: ReadonlyArray<{
    readonly state: string
    readonly sessions: number
    readonly oldest_at: string | null
  }>
  readonly turns: ReadonlyArray<TurnTotals>
  readonly costs: ReadonlyArray<CostTotals>
  readonly deadLetters: number
  readonly tenants: number
}

const STATES = ["idle", "running", "requires_action"] as const

/** The state of the isolate that answers the scrape. */
export interface IsolateFacts {
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly lag: LagTotals
  /** The number of failed calls, by the service that was called. */
  readonly failures: Readonly<Record<string, number>>
}

/** All metrics of a scrape; `stored` is null when D1 did not answer, and its metrics are then missing. */
export const metricsOf = (
  stored: Stored | null,
  { d1Seconds, now, isolate }: { readonly d1Seconds: number; readonly now: number; readonly isolate: IsolateFacts },
): ReadonlyArray<Metric> => [
  gauge("perch_d1_up", "1 when D1 responded to this scrape.", [{ value: stored === null ? 0 : 1 }]),
  gauge("perch_d1_query_seconds", "How long D1 took to respond to this scrape.", [{ value: d1Seconds }]),
  ...(stored === null ? [] : storedMetrics(stored, now)),
  ...isolateMetrics(isolate),
]

const storedMetrics = (
  { sessions, turns, costs, deadLetters, tenants }: Stored,
  now: number,
): ReadonlyArray<Metric> => {
  const inState = (state: string) => sessions.find((row) => row.state === state)
  const byModel = (value: (row: CostTotals) => number): ReadonlyArray<Sample> =>
    costs.map((row) => ({ labels: { model: row.model }, value: value(row) }))
  const all = {
    buckets: TURN_BUCKETS.map((_, at) => turns.reduce((sum, { buckets }) => sum + (buckets[at] ?? 0), 0)),
    count: turns.reduce((sum, row) => sum + row.turns, 0),
    sum: turns.reduce((sum, row) => sum + row.duration_ms, 0) / 1000,
  }
  const kinds = ["input", "output", "cache_read", "cache_write"] as const
  return [
    gauge("perch_tenants", "Tenants that have a session.", [{ value: tenants }]),
    gauge(
      "perch_sessions",
      "Sessions by state; sessions in requires_action wait for an answer.",
      STATES.map((state) => ({ labels: { state }, value: inState(state)?.sessions ?? 0 })),
    ),
    gauge(
      "perch_session_state_age_seconds",
      "How long ago the session that is longest in this state last reported to D1.",
      STATES.filter((state) => state !== "idle").map((state) => {
        const oldest = inState(state)?.oldest_at
        return { labels: { state }, value: oldest == null ? 0 : Math.max(0, (now - Date.parse(oldest)) / 1000) }
      }),
    ),
    counter(
      "perch_turns_total",
      "Turns that ended, by the subtype of their result.",
      turns.map((row) => ({ labels: { outcome: row.outcome }, value: row.turns })),
    ),
    {
      name: "perch_turn_duration_seconds",
      type: "histogram",
      help: "Time from a turn's start to its result, including the time of open questions.",
      samples: histogram(TURN_BUCKETS, all),
    },
    counter(
      "perch_model_requests_total",
      "Model requests that received a response.",
      byModel((row) => row.requests),
    ),
    counter(
      "perch_tokens_total",
      "Tokens of model requests. Input excludes cached tokens.",
      costs.flatMap((row) => kinds.map((kind) => ({ labels: { model: row.model, kind }, value: row[kind] }))),
    ),
    counter(
      "perch_cost_usd_total",
      "Cost of model requests, in US dollars.",
      byModel((row) => row.usd),
    ),
    counter(
      "perch_unpriced_requests_total",
      "Model requests whose model has no price.",
      byModel((row) => row.unpriced),
    ),
    counter(
      "perch_wasted_requests_total",
      "Model requests that were paid for and discarded.",
      byModel((row) => row.wasted),
    ),
    counter(
      "perch_web_searches_total",
      "Searches of the Messages API.",
      byModel((row) => row.web_searches),
    ),
    gauge("perch_dead_letters", "Hook events that the queue gave up on and that are not stored.", [
      { value: deadLetters },
    ]),
  ]
}

const isolateMetrics = ({ startedAt, lag, failures }: IsolateFacts): ReadonlyArray<Metric> => [
  gauge("perch_isolate_start_time_seconds", "When the responding isolate started.", [{ value: startedAt / 1000 }]),
  counter(
    "perch_isolate_requests_total",
    "Requests that the responding isolate, one of many, has answered.",
    requestCounts().map(({ method, route, status, count }) => ({
      labels: { method, route, status: String(status) },
      value: count,
    })),
  ),
  {
    name: "perch_isolate_request_duration_seconds",
    type: "histogram",
    help: "Time until the response started.",
    samples: histogram(REQUEST_BUCKETS, requestDurations()),
  },
  gauge("perch_isolate_outbox_sessions", "Sessions of that isolate with events that are not delivered yet.", [
    { value: lag.sessions },
  ]),
  gauge("perch_isolate_outbox_events", "Events of these sessions that are not yet in D1, the queue or the webhooks.", [
    { value: lag.events },
  ]),
  gauge("perch_isolate_outbox_age_seconds", "How long ago the oldest of these events was written; 0 without one.", [
    { value: lag.seconds },
  ]),
  counter(
    "perch_isolate_store_errors_total",
    "Failed calls of that isolate to D1 and the queue.",
    Object.entries(failures).map(([store, value]) => ({ labels: { store }, value })),
  ),
]

const gauge = (name: string, help: string, samples: ReadonlyArray<Sample>): Metric => ({
  name,
  type: "gauge",
  help,
  samples,
})
const counter = (name: string, help: string, samples: ReadonlyArray<Sample>): Metric => ({
  name,
  type: "counter",
  help,
  samples,
})

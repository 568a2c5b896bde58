// Writes turns and requests to Workers Analytics Engine, where the binding METRICS exists.
// Invariant: columns only ever get added at the end, since queries name them by their number; nothing is content, and a
// data set that is away loses its points and nothing else. docs/operations/metrics.md lists the columns.
import type { TurnReport } from "./turn-meter.ts"

export type MetricsDataset = Pick<AnalyticsEngineDataset, "writeDataPoint">

/** One request that the Worker answered. `route` is that of the route table, not the path. */
export interface RequestReport {
  readonly tenant: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly duration_ms: number
}

export const TURN_BLOBS = ["kind", "tenant", "session", "turn", "model", "outcome", "terminal_reason"] as const
export const TURN_DOUBLES = [
  "duration_ms",
  "steps",
  "requests",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "usd",
  "priced",
] as const
export const REQUEST_BLOBS = ["kind", "tenant", "method", "route", "status"] as const
export const REQUEST_DOUBLES = ["duration_ms"] as const

/** Analytics Engine samples by index: the tenant, so that a busy one does not drown the others. */
const indexOf = (tenant: string): Array<string> => [tenant.slice(0, 96)]

export const writeTurn = (dataset: MetricsDataset | undefined, report: TurnReport): void => {
  const { tenant, session, turn, model, outcome, terminal_reason: reason } = report
  const { duration_ms: duration, steps, requests, usd } = report
  dataset?.writeDataPoint({
    indexes: indexOf(tenant),
    blobs: ["turn", tenant, session, turn, model, outcome, reason ?? ""],
    doubles: [
      duration,
      steps,
      requests,
      report.input_tokens,
      report.output_tokens,
      report.cache_read_tokens,
      report.cache_write_tokens,
      usd ?? 0,
      usd === null ? 0 : 1,
    ],
  })
}

export const writeRequest = (dataset: MetricsDataset | undefined, report: RequestReport): void => {
  const { tenant, method, route, status, duration_ms: duration } = report
  dataset?.writeDataPoint({
    indexes: indexOf(tenant),
    blobs: ["request", tenant, method, route, String(status)],
    doubles: [duration],
  })
}

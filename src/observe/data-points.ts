// Writes turns and requests to Workers Analytics Engine, where the binding METRICS exists.
// Invariant: columns are only ever added at the end, since queries name them by number; no column is content. While the data
// set is unavailable, points are lost and nothing else. docs/operations/metrics.md lists the columns.
import type { TurnReport } from "./turn-meter.ts"

export type MetricsDataset = Pick<AnalyticsEngineDataset, "writeDataPoint">

/** One request that the Worker answered. `route` is the pattern in the route table, not the path. */
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

/** The values in the order of their columns. */
const columns = <Name extends string, Values extends Readonly<Record<Name, unknown>>>(
  names: ReadonlyArray<Name>,
  values: Values,
): Array<Values[Name]> => names.map((name) => values[name])

/** Analytics Engine samples by index. The index is the tenant, so that a busy tenant does not drown the others. */
const indexOf = (tenant: string): Array<string> => [tenant.slice(0, 96)]

export const writeTurn = (dataset: MetricsDataset | undefined, report: TurnReport): void => {
  dataset?.writeDataPoint({
    indexes: indexOf(report.tenant),
    blobs: columns(TURN_BLOBS, { ...report, kind: "turn", terminal_reason: report.terminal_reason ?? "" }),
    doubles: columns(TURN_DOUBLES, { ...report, usd: report.usd ?? 0, priced: report.usd === null ? 0 : 1 }),
  })
}

export const writeRequest = (dataset: MetricsDataset | undefined, report: RequestReport): void => {
  dataset?.writeDataPoint({
    indexes: indexOf(report.tenant),
    blobs: columns(REQUEST_BLOBS, { ...report, kind: "request", status: String(report.status) }),
    doubles: columns(REQUEST_DOUBLES, report),
  })
}

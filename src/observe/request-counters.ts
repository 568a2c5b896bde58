// Counts the requests that this isolate has answered, by route and status.
// Invariant: labels come from the route table and from HTTP statuses alone, so their number is bounded. The counts restart
// with the isolate; those of the whole deployment are the data points of Analytics Engine.
export const REQUEST_BUCKETS = [0.05, 0.25, 1, 5, 30, 120, 600] as const

export interface RouteCounts {
  readonly method: string
  readonly route: string
  readonly status: number
  count: number
}

export interface Durations {
  /** How many requests took at most the seconds of each bucket. */
  readonly buckets: Array<number>
  count: number
  sum: number
}

/** Module state on purpose: it is the isolate's. */
const counts = new Map<string, RouteCounts>()
const durations: Durations = { buckets: REQUEST_BUCKETS.map(() => 0), count: 0, sum: 0 }

export const countRequest = (method: string, route: string, status: number, durationMs: number): void => {
  const key = `${method} ${route} ${status}`
  const known = counts.get(key)
  if (known === undefined) counts.set(key, { method, route, status, count: 1 })
  else known.count += 1
  isolateStart(Date.now() - durationMs)
  const seconds = durationMs / 1000
  durations.count += 1
  durations.sum += seconds
  for (const [at, bucket] of REQUEST_BUCKETS.entries()) {
    if (seconds <= bucket) durations.buckets[at] = (durations.buckets[at] ?? 0) + 1
  }
}

export const requestCounts = (): ReadonlyArray<RouteCounts> => [...counts.values()]
export const requestDurations = (): Durations => durations

/** When the isolate started, in milliseconds since 1970. A Worker has no clock while it starts: the first request sets it. */
let startedAt: number | null = null
export const isolateStart = (now: number): number => (startedAt ??= now)

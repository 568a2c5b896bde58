// The costs of a tenant over several days: rows per session and model, summed by day, by model and by session.
import { hitRateOf, type Tokens } from "./turn-costs.ts"

/** A row of `GET /v1/costs`. */
export interface CostRow {
  readonly session_id: string
  readonly session_title: string | null
  readonly model: string
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write_5m: number
  readonly cache_write_1h: number
  readonly usd: number | null
  readonly unpriced: number
}

export interface CostSum extends Tokens {
  readonly key: string
  readonly usd: number
  readonly requests: number
  readonly unpriced: number
  readonly hitRate: number | null
}

/** Sums rows with the same key, the most expensive sum first. */
export const sumBy = (rows: ReadonlyArray<CostRow>, keyOf: (row: CostRow) => string): ReadonlyArray<CostSum> =>
  [...Map.groupBy(rows, keyOf)]
    .map(([key, group]) => sumOf(key, group))
    .toSorted((one, other) => other.usd - one.usd || other.requests - one.requests)

export const sumOf = (key: string, rows: ReadonlyArray<CostRow>): CostSum => {
  const sum = (value: (row: CostRow) => number) => rows.reduce((total, row) => total + value(row), 0)
  const tokens = {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cacheRead: sum(({ cache_read }) => cache_read),
    cacheWrite: sum((row) => row.cache_write_5m + row.cache_write_1h),
  }
  return {
    ...tokens,
    key,
    usd: sum(({ usd }) => usd ?? 0),
    requests: sum(({ requests }) => requests),
    unpriced: sum(({ unpriced }) => unpriced),
    hitRate: hitRateOf(tokens),
  }
}

export interface Day {
  /** `2026-01-31`, in UTC. */
  readonly name: string
  readonly from: string
  readonly to: string
}

const DAY_MS = 86_400_000

const nameOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The last days up to today in UTC, the oldest first; each ends at the start of the next. */
export const lastDays = (amount: number, now: number): ReadonlyArray<Day> =>
  Array.from({ length: amount }, (_, index) => {
    const time = now - (amount - 1 - index) * DAY_MS
    return { name: nameOf(time), from: nameOf(time), to: nameOf(time + DAY_MS) }
  })

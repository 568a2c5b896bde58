import { describe, expect, test } from "vitest"
import { type CostRow, lastDays, sumBy } from "../../../src/console/money/day-costs.ts"

const row = (session_id: string, model: string, usd: number | null): CostRow => ({
  session_id,
  session_title: null,
  model,
  requests: 2,
  input: 10,
  output: 5,
  cache_read: 30,
  cache_write_5m: 4,
  cache_write_1h: 6,
  usd,
  unpriced: usd === null ? 2 : 0,
})

describe("the costs of days", () => {
  test("are summed by a key, the most expensive first", () => {
    const rows = [row("a", "small", 0.1), row("b", "large", 2), row("a", "large", 1), row("c", "free", null)]
    expect(sumBy(rows, ({ model }) => model).map(({ key, usd, requests }) => [key, usd, requests])).toEqual([
      ["large", 3, 4],
      ["small", 0.1, 2],
      ["free", 0, 2],
    ])
    expect(sumBy(rows, ({ session_id }) => session_id)[0]).toMatchObject({ key: "b", cacheWrite: 10, hitRate: 0.6 })
  })

  test("each day ends where the next starts, and today is the last", () => {
    const days = lastDays(3, Date.UTC(2026, 1, 1, 23, 30))
    expect(days.map(({ name }) => name)).toEqual(["2026-01-30", "2026-01-31", "2026-02-01"])
    expect(days.map(({ to }) => to)).toEqual(["2026-01-31", "2026-02-01", "2026-02-02"])
  })
})

// What a page of costs reads of a real D1, which charges for every row that a query reads.
import { env } from "cloudflare:workers"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { type CostsPage, costsReport } from "../../src/store/costs.ts"

const SESSIONS = 60
const REQUESTS = 50
const HOUR = 3_600_000
const START = Date.UTC(2026, 0, 1)

/** Sessions that follow one another, an hour each, with a request a minute. */
const fill = async (tenant: string): Promise<void> => {
  const session = `INSERT INTO sessions (tenant, session_id, cwd, state, model, permission_mode, options, metadata, created_at, updated_at, turns, total_cost_usd, seq)
    VALUES (?, ?, '/', 'idle', 'm', 'default', '{}', '{}', ?, ?, 1, 0, 1)`
  const cost = `INSERT INTO costs (tenant, session_id, seq, at, message_id, model, price_version, input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, usd, wasted)
    SELECT ?, ?, value, ? + value * 60000, 'x', 'm', 'p', 1, 1, 0, 0, 0, 0, 0.001, 0 FROM json_each(?)`
  const seqs = JSON.stringify(Array.from({ length: REQUESTS }, (_, index) => index + 1))
  const statements = Array.from({ length: SESSIONS }, (_, n) => {
    const id = `s${String(n).padStart(3, "0")}`
    const [from, to] = [START + n * HOUR, START + (n + 1) * HOUR - 1].map((at) => new Date(at).toISOString())
    return [
      env.DB.prepare(session).bind(tenant, id, from, to),
      env.DB.prepare(cost).bind(tenant, id, START + n * HOUR, seqs),
    ]
  })
  await env.DB.batch(statements.flat())
}

/** D1, with the number of rows that it has read. */
const counted = () => {
  const reads = { rows: 0 }
  const batch: D1Database["batch"] = async <A>(statements: Array<D1PreparedStatement>) => {
    const results = await env.DB.batch<A>(statements)
    for (const { meta } of results) reads.rows += meta.rows_read
    return results
  }
  const db = { prepare: (sql: string) => env.DB.prepare(sql), batch } as unknown as D1Database // what the report uses
  return { db, reads }
}

it("reads the costs of its own sessions; the total is read once, and a span reads the sessions of that time", async () => {
  const tenant = `costs-${crypto.randomUUID()}`
  await fill(tenant)
  const { db, reads } = counted()
  const read = async (query: Parameters<typeof costsReport>[2]): Promise<{ page: CostsPage; rows: number }> => {
    reads.rows = 0
    const page = await Effect.runPromise(costsReport(db, tenant, query))
    return { page, rows: reads.rows }
  }
  const whole = await read({ limit: 1000 })
  expect(whole.page).toMatchObject({ total_usd: (SESSIONS * REQUESTS) / 1000, next_cursor: null })
  const first = await read({ limit: 5 })
  const found = [...first.page.data]
  for (let cursor = first.page.next_cursor; cursor !== null;) {
    const next = await read({ limit: 5, cursor })
    expect(next.page).toMatchObject({ total_usd: whole.page.total_usd, has_unpriced: false })
    // The costs of seven sessions, and what the sums of each of them are sorted with: of 3,000 rows.
    expect(next.rows).toBeLessThan(16 * REQUESTS)
    found.push(...next.page.data)
    cursor = next.page.next_cursor
  }
  expect(found).toEqual(whole.page.data)
  const hour = await read({ limit: 1000, from: START + 7 * HOUR, to: START + 8 * HOUR })
  expect(hour.page.data.map(({ session_id }) => session_id)).toEqual(["s007"])
  expect(hour.page.total_usd).toBe(REQUESTS / 1000)
  expect(hour.rows).toBeLessThan(4 * REQUESTS + 3 * SESSIONS)
})

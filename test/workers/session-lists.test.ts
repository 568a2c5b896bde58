// What a list of sessions reads of a real D1, which charges for every row that a query reads.
import { env } from "cloudflare:workers"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { costsReport } from "../../src/store/costs.ts"
import { listSessions } from "../../src/store/sessions.ts"

const SESSIONS = 5
const MESSAGES = 200

const fill = async (tenant: string): Promise<void> => {
  const session = `INSERT INTO sessions (tenant, session_id, cwd, state, model, permission_mode, options, metadata, created_at, updated_at, turns, total_cost_usd, seq)
    VALUES (?, ?, '/', 'idle', 'm', 'default', '{}', '{}', ?, ?, 1, 0, 1)`
  const cost = `INSERT INTO costs (tenant, session_id, seq, at, message_id, model, price_version, input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, usd, wasted)
    VALUES (?, ?, 1, 1000, 'x', 'm', 'p', 1, 1, 0, 0, 0, 0, 0.001, 0)`
  const message = `INSERT INTO messages (tenant, session_id, position, id, turn, role, seq, info)
    SELECT ?, ?, value, 'm' || value, 't', iif(value % 2 = 1, 'user', 'assistant'), value, '{}' FROM json_each(?)`
  const part = `INSERT INTO parts (tenant, session_id, message_position, position, id, message_id, type, seq, part)
    SELECT ?, ?, value, 0, 'p' || value, 'm' || value, 'text', value, json_object('text', 'text ' || value) FROM json_each(?)`
  const seqs = JSON.stringify(Array.from({ length: MESSAGES }, (_, index) => index + 1))
  const at = new Date(1000).toISOString()
  const statements = Array.from({ length: SESSIONS }, (_, n) => [
    env.DB.prepare(session).bind(tenant, `s${n}`, at, at),
    env.DB.prepare(cost).bind(tenant, `s${n}`),
    env.DB.prepare(message).bind(tenant, `s${n}`, seqs),
    env.DB.prepare(part).bind(tenant, `s${n}`, seqs),
  ])
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
  const prepare = (sql: string) => ({
    bind: (...values: ReadonlyArray<unknown>) => {
      const statement = env.DB.prepare(sql).bind(...values)
      const all = async () => (await batch([statement]))[0]
      return Object.assign(statement, { all })
    },
  })
  return { db: { prepare, batch } as unknown as D1Database, reads } // what the store uses
}

it("the first prompts of listed sessions are found without their other messages, and so are the titles of costs", async () => {
  const tenant = `lists-${crypto.randomUUID()}`
  await fill(tenant)
  const { db, reads } = counted()
  const { data } = await Effect.runPromise(listSessions(db, tenant, { limit: 10 }))
  expect(data.map(({ first_prompt }) => first_prompt)).toEqual(Array(SESSIONS).fill("text 1"))
  expect(reads.rows).toBeLessThan(6 * SESSIONS)
  reads.rows = 0
  const costs = await Effect.runPromise(costsReport(db, tenant, { limit: 10 }))
  expect(costs.data.map(({ session_title }) => session_title)).toEqual(Array(SESSIONS).fill("text 1"))
  expect(reads.rows).toBeLessThan(16 * SESSIONS)
})

import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { costOf } from "../../src/model/catalogue/prices.ts"
import { costsReport } from "../../src/store/costs.ts"
import { flushToD1, rowsOf } from "../../src/store/delivery/flush.ts"
import { totals } from "../../src/store/totals.ts"
import { PartsProjection } from "../../src/views/parts/parts.ts"
import { SqliteD1 } from "../support/session/sqlite-d1.ts"
import { START, TurnLog } from "../support/session/turn-log.ts"
import { sessionInfo, TENANT } from "./session-info.ts"

/** A session was last changed by its last event. */
const infoOf = (id: string, { events }: TurnLog) =>
  sessionInfo(events.length, {
    id,
    created_at: new Date(events[0]?.at ?? START).toISOString(),
    updated_at: new Date(events.at(-1)?.at ?? START).toISOString(),
  })

const store = (db: SqliteD1, id: string, log: TurnLog, tenant = TENANT) =>
  Effect.runPromise(flushToD1(db.d1, rowsOf(tenant, infoOf(id, log), log.events, new PartsProjection(id))))

const filled = async () => {
  const db = new SqliteD1()
  const first = new TurnLog()
  first.queued("x")
  first.call("m1", { usd: 0.5 })
  first.call("m2", { usd: 0.25, wasted: true })
  first.call("m3", { model: "claude-haiku-5-5", usd: 0.125 })
  const second = new TurnLog()
  second.now = START + 60_000
  second.call("m1", { model: "unlisted", usd: null })
  await store(db, "s1", first)
  await store(db, "s2", second)
  await store(db, "s1", first, "other")
  return db
}

const report = (db: SqliteD1, query: Parameters<typeof costsReport>[2], tenant = TENANT) =>
  Effect.runPromise(costsReport(db.d1, tenant, query))

describe("the costs of a tenant", () => {
  it("are summed by session and model; requests without a price are flagged", async () => {
    expect(await report(await filled(), { limit: 10 })).toMatchObject({
      data: [
        { session_id: "s1", model: "claude-haiku-5-5", requests: 1, usd: 0.125 },
        {
          session_id: "s1",
          model: "claude-opus-5-5",
          requests: 2,
          input: 20,
          output: 10,
          cache_read: 6,
          cache_write_5m: 4,
          usd: 0.75,
          wasted: 1,
        },
        { session_id: "s2", model: "unlisted", usd: null, unpriced: 1 },
      ],
      total_usd: 0.875,
      has_unpriced: true,
      next_cursor: null,
    })
  })

  it("name their session by its title, else by its first prompt", async () => {
    const db = new SqliteD1()
    for (const [id, title, prompt] of [
      ["s1", "Titled", "one"],
      ["s2", null, "two"],
      ["s3", "", null],
    ] as const) {
      const log = new TurnLog()
      if (prompt !== null) log.queued(prompt)
      if (prompt !== null) log.init()
      log.call("m1", { usd: 0.5 })
      const rows = rowsOf(TENANT, { ...infoOf(id, log), title }, log.events, new PartsProjection(id))
      await Effect.runPromise(flushToD1(db.d1, rows))
    }
    const { data } = await report(db, { limit: 10 })
    expect(data.map(({ session_title }) => session_title)).toEqual(["Titled", "two", null])
  })

  it("add up as decimals, like those of a session", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    for (const usd of [0.1, 0.2]) log.call(`m${usd}`, { usd })
    await store(db, "s1", log)
    const { data, total_usd } = await report(db, { limit: 10 })
    expect([data[0]?.usd, total_usd]).toEqual([0.3, 0.3])
  })

  it.each([2.5, -3, 1e20, 1e308, "7", true, null])("can be read with a usage of %j in each count", async (odd) => {
    const db = new SqliteD1()
    const log = new TurnLog()
    const usage = {
      input_tokens: odd,
      output_tokens: odd,
      cache_read_input_tokens: odd,
      cache_creation_input_tokens: odd,
      cache_creation: { ephemeral_1h_input_tokens: odd },
      server_tool_use: { web_search_requests: odd },
    }
    log.call("m1", { usage, usd: costOf("claude-opus-5-5", usage) })
    await store(db, "s1", log)
    const counted = odd === 2.5 ? 3 : 0
    const counts = { input: counted, output: counted, cache_read: counted, cache_write_1h: counted }
    expect((await report(db, { limit: 10 })).data).toMatchObject([{ requests: 1, ...counts, web_searches: counted }])
    const { costs } = await Effect.runPromise(totals(db.d1, TENANT))
    expect(costs).toMatchObject([{ requests: 1, input: counted, output: counted, web_searches: counted }])
  })

  it("can be read with an impossible price, which counts as unknown", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    log.call("m1", { usd: 1e18 })
    log.call("m2", { usd: 0.5 })
    await store(db, "s1", log)
    expect(await report(db, { limit: 10 })).toMatchObject({ data: [{ unpriced: 1, usd: 0.5 }], total_usd: 0.5 })
  })

  it("are paged with the same total on each page", async () => {
    const db = await filled()
    const found: Array<string> = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof report>> = await report(db, { limit: 1, cursor: cursor ?? undefined })
      expect(page).toMatchObject({ total_usd: 0.875, has_unpriced: true })
      found.push(...page.data.map((row) => row.model))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(found).toEqual(["claude-haiku-5-5", "claude-opus-5-5", "unlisted"])
  })

  it("go on from a cursor of an earlier version, which has no total, and from no other", async () => {
    const db = await filled()
    const { next_cursor: cursor, data } = await report(db, { limit: 1 })
    const [key = ""] = String(cursor).split(".")
    const page = await report(db, { limit: 1, cursor: key })
    expect(page).toMatchObject({ total_usd: 0.875, has_unpriced: true })
    expect(page.data).not.toEqual(data)
    for (const wrong of [`${key}.`, `${key}.1`, `${key}.-1.0`, `${key}.1.2`, `${key}.1.0.0`, `.1.0`, "1.0"]) {
      const failed = await Effect.runPromise(Effect.flip(costsReport(db.d1, TENANT, { limit: 1, cursor: wrong })))
      expect(failed).toMatchObject({ _tag: "InvalidCursor" })
    }
  })

  it("can be limited to a period", async () => {
    const db = await filled()
    expect(await report(db, { limit: 10, to: START + 1_000 })).toMatchObject({ total_usd: 0.875, has_unpriced: false })
    expect(await report(db, { limit: 10, from: START + 1_000 })).toMatchObject({
      data: [{ session_id: "s2" }],
      total_usd: 0,
    })
  })

  it("are zero for a tenant without sessions", async () => {
    const nothing = { data: [], total_usd: 0, has_unpriced: false, next_cursor: null }
    expect(await report(await filled(), { limit: 10 }, "unknown")).toEqual(nothing)
  })
})

import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { SessionInfo } from "../../src/schemas/rpc/session.ts"
import { flushToD1, rowsOf } from "../../src/store/delivery/flush.ts"
import { eraseSession, listSessions, newestSession } from "../../src/store/sessions.ts"
import { PartsProjection } from "../../src/views/parts/parts.ts"
import { SqliteD1 } from "../support/session/sqlite-d1.ts"
import { SESSION, TurnLog } from "../support/session/turn-log.ts"
import { sessionInfo, TENANT } from "./session-info.ts"

const store = (db: SqliteD1, info: SessionInfo, tenant = TENANT) =>
  Effect.runPromise(flushToD1(db.d1, rowsOf(tenant, info, [], new PartsProjection(info.id))))

const named = (n: number, fields: Partial<SessionInfo> = {}) =>
  sessionInfo(1, { id: `s${n}`, created_at: at(n), updated_at: at(n), ...fields })
const at = (n: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, n)).toISOString()

const list = (db: SqliteD1, page: Parameters<typeof listSessions>[2], tenant = TENANT) =>
  Effect.runPromise(listSessions(db.d1, tenant, page))

/** The ids of all pages, and the number of pages. */
const walk = async (db: SqliteD1, limit: number, order?: "asc" | "desc") => {
  const ids: Array<string> = []
  let cursor: string | null = null
  for (let pages = 1; ; pages += 1) {
    const page: Awaited<ReturnType<typeof list>> = await list(db, { limit, order, cursor: cursor ?? undefined })
    ids.push(...page.data.map((info) => info.id))
    cursor = page.next_cursor
    if (cursor === null) return { ids, pages }
  }
}

describe("the list of sessions", () => {
  it("contains a session as its object describes it", async () => {
    const db = new SqliteD1()
    const info = named(1, {
      title: "A title",
      state: "running",
      options: { model: "opus", systemPrompt: "Be brief.", maxTurns: 3 },
      metadata: { user: "ü" },
      turns: 4,
      total_cost_usd: 1.5,
      last_seq: 99,
    })
    await store(db, info)
    expect(await list(db, { limit: 10 })).toEqual({ data: [{ ...info, first_prompt: null }], next_cursor: null })
  })

  it("has the start of the first prompt, without the server's additions", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    const long = `Name\nthe birds. ${"x".repeat(300)}`
    log.queued([{ type: "text", text: long }])
    log.init()
    log.sdk("user", { isSynthetic: true, message: { role: "user", content: "Added." } })
    log.text("msg_1", "Here.")
    const write = (tenant: string, id: string, events: typeof log.events) =>
      Effect.runPromise(flushToD1(db.d1, rowsOf(tenant, named(1, { id }), events, new PartsProjection(id))))
    await write(TENANT, SESSION, log.events)
    await write("other", SESSION, new TurnLog().events)
    expect((await list(db, { limit: 1 })).data[0]?.first_prompt).toBe(long.slice(0, 200))
    expect((await list(db, { limit: 1 }, "other")).data[0]?.first_prompt).toBeNull()
  })

  it("is sorted newest first, in pages that skip and repeat nothing, even with equal times", async () => {
    const db = new SqliteD1()
    for (let n = 0; n < 7; n += 1) await store(db, named(n, { created_at: at(Math.floor(n / 3)) }))
    const newestFirst = ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]
    expect(await walk(db, 2)).toEqual({ ids: newestFirst, pages: 4 })
    expect(await walk(db, 7)).toEqual({ ids: newestFirst, pages: 1 })
    expect((await walk(db, 3, "asc")).ids).toEqual(newestFirst.toReversed())
  })

  it("has neither erased sessions nor another tenant's", async () => {
    const db = new SqliteD1()
    for (const n of [1, 2]) await store(db, named(n))
    await store(db, named(3), "other")
    await Effect.runPromise(eraseSession(db.d1, TENANT, "s1", at(60)))
    await store(db, named(1, { last_seq: 500 }))
    expect((await walk(db, 10)).ids).toEqual(["s2"])
    expect((await list(db, { limit: 10 }, "other")).data).toHaveLength(1)
    expect((await list(db, { limit: 10 }, "unknown")).data).toEqual([])
  })

  it("keeps the newest description, in any order of arrival", async () => {
    const db = new SqliteD1()
    await store(db, named(1, { last_seq: 9, title: "new" }))
    await store(db, named(1, { last_seq: 4, title: "old" }))
    expect((await list(db, { limit: 1 })).data[0]?.title).toBe("new")
    await store(db, named(1, { last_seq: 9, title: "renamed" }))
    expect((await list(db, { limit: 1 })).data[0]?.title).toBe("renamed")
  })

  it("stays readable if options and metadata are too long for a row", async () => {
    const db = new SqliteD1()
    const metadata = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`key${n}`, "v".repeat(1024)]))
    await store(db, named(1, { options: { systemPrompt: "x".repeat(500_000), model: "opus" }, metadata }))
    const [info] = (await list(db, { limit: 1 })).data
    expect(info?.options.model).toBe("opus")
    expect(JSON.stringify(info).length).toBeLessThan(40_000)
    expect(Object.values(info?.metadata ?? {}).every((value) => typeof value === "string")).toBe(true)
  })

  it.each(["", "x", "!!!", btoa("[1,2]"), btoa('["a"]'), btoa('{"a":1}'), "A".repeat(5_000)])(
    "rejects the cursor %j",
    async (cursor) => {
      const error = await Effect.runPromise(Effect.flip(listSessions(new SqliteD1().d1, TENANT, { limit: 1, cursor })))
      expect(error).toMatchObject({ _tag: "InvalidCursor" })
    },
  )
})

describe("erasing a session", () => {
  it("leaves a tombstone for one that D1 never had, and the same one when it is repeated", async () => {
    const db = new SqliteD1()
    const nothing = { messages: 0, parts: 0, costs: 0, hook_events: 0 }
    expect(await Effect.runPromise(eraseSession(db.d1, TENANT, "s1", at(1)))).toEqual(nothing)
    expect(await Effect.runPromise(eraseSession(db.d1, TENANT, "s1", at(2)))).toEqual(nothing)
    expect(db.rows("sessions")).toMatchObject([{ session_id: "s1", deleted_at: at(1) }])
    await store(db, named(1))
    expect((await list(db, { limit: 5 })).data).toEqual([])
  })

  it("touches no other session and no other tenant", async () => {
    const db = new SqliteD1()
    await store(db, named(1))
    await store(db, named(2))
    await store(db, named(1), "other")
    await Effect.runPromise(eraseSession(db.d1, TENANT, "s1", at(60)))
    expect((await walk(db, 5)).ids).toEqual(["s2"])
    expect((await list(db, { limit: 5 }, "other")).data).toHaveLength(1)
  })
})

describe("the newest session of a directory", () => {
  const newest = (db: SqliteD1, cwd = "/workspace", tenant = TENANT) =>
    Effect.runPromise(newestSession(db.d1, tenant, cwd))

  it("is the one with the latest activity, not the one created last", async () => {
    const db = new SqliteD1()
    expect(await newest(db)).toBeNull()
    await store(db, named(1, { updated_at: at(9) }))
    await store(db, named(2))
    expect(await newest(db)).toBe("s1")
    await store(db, named(2, { updated_at: at(10), last_seq: 2 }))
    expect(await newest(db)).toBe("s2")
  })

  it("belongs to this directory and tenant, and is neither erased nor ephemeral", async () => {
    const db = new SqliteD1()
    await store(db, named(1))
    await store(db, named(2, { cwd: "/workspace/other" }))
    await store(db, named(3), "other-tenant")
    await store(db, named(4, { options: { persistSession: false } }))
    await store(db, named(5, { options: { persistSession: true } }))
    expect(await newest(db)).toBe("s5")
    await Effect.runPromise(eraseSession(db.d1, TENANT, "s5", at(50)))
    expect(await newest(db)).toBe("s1")
    expect(await newest(db, "/workspace/other")).toBe("s2")
    expect(await newest(db, "/nowhere")).toBeNull()
    expect(await newest(db, "/workspace", "other-tenant")).toBe("s3")
  })

  it("is found through an index, in order", async () => {
    const db = new SqliteD1()
    const asked: Array<string> = []
    const prepare = (sql: string) => {
      asked.push(sql)
      return db.prepare(sql)
    }
    // The store only calls `prepare`.
    await Effect.runPromise(newestSession({ prepare } as unknown as D1Database, TENANT, "/workspace"))
    const steps = db.sqlite.prepare(`EXPLAIN QUERY PLAN ${asked[0]}`).all(TENANT, "/workspace")
    expect(steps.map(({ detail }) => detail)).toEqual([expect.stringContaining("USING INDEX sessions_by_directory")])
  })
})

// Forks of sessions between real objects, what an interrupted fork leaves, and sessions that end by themselves.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import type { LogEvent } from "../../src/schemas/log/events.ts"
import type { SessionObject } from "../../src/session/session-object.ts"
import { created, open, run, SESSION, type Stub } from "./session-stub.ts"

const eventsOf = async (rpc: Stub) => {
  const page = await rpc.fetch("http://session/events?after=0&limit=1000&order=asc")
  return (await page.json<{ readonly events: ReadonlyArray<LogEvent> }>()).events
}

const sql = <A extends Record<string, SqlStorageValue>>(object: DurableObjectStub<SessionObject>, query: string) =>
  runInDurableObject(object, (_: object, state: DurableObjectState) => state.storage.sql.exec<A>(query).toArray())

const tables = async (object: DurableObjectStub<SessionObject>) =>
  (await sql(object, "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")).length

const alarmOf = (object: DurableObjectStub<SessionObject>) =>
  runInDurableObject(object, (_: object, state: DurableObjectState) => state.storage.getAlarm())

/** True while the tenant's object counts a session with this id. */
const isCounted = async (id: string) => {
  const { ids } = await env.TENANTS.getByName("test").sessions({ after: id.slice(0, -1), limit: 1 })
  return ids.includes(id)
}

describe("a copy of a session", () => {
  it("is created from another object, with its log and files, and survives an eviction", async () => {
    const parent = await created()
    await run(parent.rpc, "create a.txt with alpha")
    const large = new Uint8Array(5_000_000).map((_, index) => index % 251)
    await parent.rpc.fetch("http://session/files/workspace/large.bin", { method: "PUT", body: large })
    const before = await eventsOf(parent.rpc)
    const child = open()
    const made = await child.rpc.fork({ parent: parent.id, options: { maxTurns: 9 }, merge: true, fingerprint: "f" })
    expect(made).toMatchObject({
      ok: true,
      value: { created: true, session: { id: child.id, options: { permissionMode: "acceptEdits", maxTurns: 9 } } },
    })
    await evictDurableObject(child.object)
    const events = await eventsOf(child.rpc)
    expect(events.slice(0, before.length).map(({ seq, name, uuid }) => [seq, name, uuid])).toEqual(
      before.map(({ seq, name, uuid }) => [seq, name, uuid]),
    )
    expect(events.at(-1)).toMatchObject({ name: "session:forked", payload: { parent: parent.id } })
    const copied = await child.rpc.fetch("http://session/files/workspace/large.bin")
    expect(new Uint8Array(await copied.arrayBuffer())).toEqual(large)
    expect(await (await child.rpc.fetch("http://session/files/workspace/a.txt")).text()).toBe("alpha")
    await run(child.rpc, "read a.txt")
    expect(await eventsOf(parent.rpc)).toEqual(before)
  })

  it("is created once per request, however often and concurrently it is requested", async () => {
    const parent = await created()
    const child = open()
    const args = { parent: parent.id, options: {}, merge: true, fingerprint: "f" }
    const answers = await Promise.all([child.rpc.fork(args), child.rpc.fork(args), child.rpc.fork(args)])
    expect(answers.map((answer) => answer.ok && answer.value.created).toSorted()).toEqual([false, false, true])
    expect(await child.rpc.fork({ ...args, fingerprint: "g" })).toMatchObject({
      ok: false,
      error: { type: "unprocessable_error" },
    })
    const { fingerprint: _, ...unnamed } = args
    expect(await child.rpc.fork(unnamed)).toMatchObject({ ok: false, error: { type: "conflict_error" } })
  })

  it("of a session that does not exist is not_found_error, and writes nothing", async () => {
    const child = open()
    const answer = await child.rpc.fork({ parent: crypto.randomUUID(), options: {}, merge: true })
    expect(answer).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    expect([await tables(child.object), await alarmOf(child.object)]).toEqual([0, null])
    expect(await child.rpc.create({ session: SESSION })).toMatchObject({ ok: true })
  })

  it("has a row in D1's sessions, and none of the parent's costs and messages", async () => {
    const parent = await created()
    await run(parent.rpc, "Hello")
    const child = open()
    await child.rpc.fork({ parent: parent.id, options: {}, merge: true })
    const count = async (table: string) => {
      const row = await env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE session_id = ?`)
        .bind(child.id)
        .first<{ n: number }>()
      return row?.n ?? 0
    }
    while ((await count("sessions")) === 0) await scheduler.wait(20)
    expect([await count("costs"), await count("messages"), await count("hook_events")]).toEqual([0, 0, 0])
    await run(child.rpc, "Hello again")
    while ((await count("costs")) === 0 || (await count("hook_events")) === 0) await scheduler.wait(20)
    const requests = (await eventsOf(child.rpc)).filter(({ name }) => name === "call:finished")
    expect(await count("costs")).toBe(requests.length / 2)
    const sources = await env.DB.prepare("SELECT input FROM hook_events WHERE session_id = ? AND hook_event_name = ?")
      .bind(child.id, "SessionStart")
      .all<{ input: string }>()
    expect(sources.results.map(({ input }) => (JSON.parse(input) as { source: string }).source)).toEqual(["resume"])
  })

  it("that was interrupted is gone when its object wakes, and can be requested again", async () => {
    const parent = await created()
    await run(parent.rpc, "Hello")
    const child = open()
    await child.rpc.fork({ parent: parent.id, options: {}, merge: true })
    // As if the process had died before its last step.
    await sql(child.object, "DELETE FROM meta WHERE key = 'session'")
    await sql(child.object, `INSERT INTO meta (key, json) VALUES ('forking', '{"parent":"x"}')`)
    expect(await isCounted(child.id)).toBe(true)
    await evictDurableObject(child.object)
    expect(await child.rpc.info()).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    expect([await tables(child.object), await alarmOf(child.object)]).toEqual([0, null])
    expect(await isCounted(child.id)).toBe(false)
    const again = await child.rpc.fork({ parent: parent.id, options: {}, merge: true })
    expect(again).toMatchObject({ ok: true, value: { created: true } })
    expect(await isCounted(child.id)).toBe(true)
  })
})

describe("a key that was used for another session", () => {
  it("refers to it for a day, and nothing is left afterwards", async () => {
    const lock = open()
    const claim = { fingerprint: "a", session: "s" }
    expect(await lock.rpc.claim(claim)).toEqual({ ok: true, value: { session: "s" } })
    await evictDurableObject(lock.object)
    expect(await lock.rpc.claim({ fingerprint: "a", session: "t" })).toEqual({ ok: true, value: { session: "s" } })
    const refused = { ok: false, error: { type: "unprocessable_error" } }
    expect(await lock.rpc.claim({ fingerprint: "b", session: "s" })).toMatchObject(refused)
    expect(await lock.rpc.create({ session: SESSION, fingerprint: "a" })).toMatchObject(refused)
    expect(await lock.rpc.info()).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    expect(await alarmOf(lock.object)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000)
    await runDurableObjectAlarm(lock.object)
    expect(await tables(lock.object)).toBe(0)
  })
})

describe("a session with persistSession: false", () => {
  /** Ages everything in its log, and restarts its object. */
  const later = async ({ object }: { readonly object: DurableObjectStub<SessionObject> }) => {
    await sql(object, "UPDATE events SET at = at - 61000")
    await sql(object, "UPDATE meta SET json = json - 61000 WHERE key = 'alone'")
    await evictDurableObject(object)
  }

  it("is erased by its alarm a minute after its last client has disconnected", async () => {
    const session = await created({ ...SESSION.options, persistSession: false })
    const response = await session.rpc.fetch("http://session/socket?client=c1", { headers: { Upgrade: "websocket" } })
    const socket = response.webSocket
    if (!socket) throw new Error("no socket")
    socket.accept()
    await run(session.rpc, "Hello")
    await later(session)
    await runDurableObjectAlarm(session.object)
    expect(await session.rpc.info()).toMatchObject({ ok: true })
    socket.close(1000)
    while ((await sql(session.object, "SELECT 1 FROM meta WHERE key = 'alone'")).length === 0) await scheduler.wait(10)
    expect(await alarmOf(session.object)).toBeLessThanOrEqual(Date.now() + 60_000)
    await later(session)
    await runDurableObjectAlarm(session.object)
    while ((await session.rpc.info()).ok) await scheduler.wait(10)
    expect(await session.rpc.create({ session: SESSION })).toMatchObject({ error: { type: "conflict_error" } })
  })

  it("that is resumed without that option stays", async () => {
    const session = await created({ ...SESSION.options, persistSession: false })
    await session.rpc.reopen({ options: {} })
    await later(session)
    await runDurableObjectAlarm(session.object)
    expect(await session.rpc.info()).toMatchObject({ ok: true })
  })
})

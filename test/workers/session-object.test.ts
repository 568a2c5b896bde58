// The Durable Object in workerd, with its real SQLite, D1 and Queue: what it writes, what it costs, what wakes it.
import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { NO_RIGHTS } from "../support/values/actors.ts"
import type { Actor } from "../../src/schemas/access.ts"
import { definitionsVersion, type NewDefinition, putDefinition } from "../../src/store/definitions.ts"
import { consumeHookBatch } from "../../src/store/delivery/consumer.ts"
import { Effect } from "effect"
import type { SessionObject } from "../../src/session/session-object.ts"
import type { SessionInfo } from "../../src/schemas/rpc/session.ts"
import { decodeFeedLine } from "../../src/schemas/log/feed-line.ts"
import { created, open, run, SESSION, type Stub, until } from "./session-stub.ts"

/** The rows that `work` makes the object write, once D1 and the Queue have caught up. */
const rowsOf = async (object: DurableObjectStub<SessionObject>, work: () => Promise<unknown>): Promise<number> => {
  const count = () => runInDurableObject(object, (instance: { rowsWritten: number }) => instance.rowsWritten)
  await caughtUp(object)
  const before = await count()
  await work()
  await caughtUp(object)
  return (await count()) - before
}

const infoOf = async (rpc: Stub): Promise<SessionInfo> => {
  const info = await rpc.info()
  if (!info.ok) throw new Error(info.error.message)
  return info.value
}

const caughtUp = async (object: DurableObjectStub<SessionObject>): Promise<void> => {
  for (;;) {
    const behind = await runInDurableObject(object, (_: object, state: DurableObjectState) => {
      const last = state.storage.sql.exec<{ seq: number }>("SELECT MAX(seq) AS seq FROM events").one().seq
      const row = state.storage.sql.exec<{ json: string }>("SELECT json FROM meta WHERE key = 'outbox'").toArray()[0]
      return row === undefined || (JSON.parse(row.json) as { d1_seq: number }).d1_seq < last
    })
    if (!behind) return
    await scheduler.wait(20)
  }
}

describe("a session that does not exist", () => {
  it("answers not_found_error to everything and writes nothing", async () => {
    const { rpc, object } = open()
    const answers = await Promise.all([
      rpc.info(),
      rpc.asks(),
      rpc.cost(),
      rpc.interrupt(),
      rpc.files({ prefix: "/", limit: 10 }),
      rpc.erase(),
      rpc.submit({ turn: crypto.randomUUID(), prompt: "x", onBusy: "queue", options: {}, fingerprint: "x" }),
    ])
    for (const answer of answers) expect(answer).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    expect((await rpc.fetch("http://session/feed?after=0", { headers: { Upgrade: "websocket" } })).status).toBe(404)
    for (const page of ["events?after=0&limit=10&order=asc", "messages?limit=10"]) {
      const answer = await rpc.fetch(`http://session/${page}`)
      expect([answer.status, await answer.json()]).toMatchObject([404, { type: "not_found_error" }])
    }
    expect((await rpc.fetch("http://session/files/workspace/x", { method: "PUT", body: "x" })).status).toBe(404)
    const tables = await runInDurableObject(object, (_: object, state: DurableObjectState) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    )
    expect(tables).toEqual([])
    expect(
      await runInDurableObject(object, (_: object, state: DurableObjectState) => state.storage.getAlarm()),
    ).toBeNull()
  })
})

describe("a session that is counted", () => {
  const tenant = () => env.TENANTS.getByName("test")
  const isCounted = async (id: string) => {
    const { ids } = await tenant().sessions({ after: id.slice(0, -1), limit: 1 })
    return ids.includes(id)
  }

  it("and was never made is taken out of its tenant's count by a rebuild; one that there is stays in it", async () => {
    const [missing, there] = [open(), await created()]
    const [lost, kept] = [missing, there].map(({ name }) => name.slice("test/".length)) as [string, string] // two
    // As if the process had died between the count and the creation.
    await tenant().openSession({ session: lost, always: false })
    while (!(await isCounted(kept))) await scheduler.wait(10)
    expect(await isCounted(lost)).toBe(true)
    expect(await missing.rpc.rebuild()).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    expect((await there.rpc.rebuild()).ok).toBe(true)
    expect([await isCounted(lost), await isCounted(kept)]).toEqual([false, true])
    expect((await missing.rpc.create({ session: SESSION })).ok).toBe(true)
    while (!(await isCounted(lost))) await scheduler.wait(10)
  })
})

describe("rows written", () => {
  it("a text turn stays within 16, alarm and outbox included", async () => {
    const { rpc, object } = await created()
    const first = await rowsOf(object, () => run(rpc, "Hello, who are you?"))
    const second = await rowsOf(object, () => run(rpc, "And again?"))
    // A setAlarm is a row that no cursor counts: one guards the turn, one is for the state after it.
    expect(first + 2).toBeLessThanOrEqual(16)
    expect(second + 2).toBeLessThanOrEqual(16)
  })

  it("a tool call stays within 8, its part of the step included", async () => {
    const { rpc, object } = await created()
    await run(rpc, "Hello")
    const text = await rowsOf(object, () => run(rpc, "Hello"))
    const one = await rowsOf(object, () => run(rpc, "create a.txt with alpha"))
    const read = await rowsOf(object, () => run(rpc, "read a.txt"))
    // The offline model answers with a text and a call, then with a text: one more request than the text turn.
    // A step that changed files has two events more: its snapshot, and the patch of its turn.
    expect(one - text).toBeLessThanOrEqual(11)
    expect(read - text).toBeLessThanOrEqual(8)
  })
})

describe("the shell", () => {
  it("checks the session's rules before each command, however a script starts it", async () => {
    const options = { permissionMode: "bypassPermissions", disallowedTools: ["Bash(rm:*)"] } as const
    const { rpc } = await created(options)
    const called = await rpc.callTool("Bash", { command: "touch f; echo 'rm f' | sh; ls" })
    expect(called).toMatchObject({
      ok: true,
      value: { output: { stdout: expect.stringMatching(/Bash\(rm:\*\) denies this command[^]*^f$/m), stderr: "" } },
    })
  })
})

describe("an idle object", () => {
  it("is evicted with its feed socket open, and the socket continues where it was", async () => {
    const { rpc, object } = await created()
    await run(rpc, "Hello")
    const response = await rpc.fetch("http://session/feed?after=head", { headers: { Upgrade: "websocket" } })
    const socket = response.webSocket
    if (!socket) throw new Error("no socket")
    const lines: Array<string> = []
    socket.accept()
    socket.addEventListener("message", (message) => {
      for (const line of String(message.data).split("\n")) lines.push(decodeFeedLine(line).name)
    })
    await evictDurableObject(object)
    const { turn } = await run(rpc, "Hello again")
    while (!lines.some((name) => name.startsWith("sdk:result"))) await scheduler.wait(10)
    expect(turn).toBeTruthy()
    expect(lines).toContain("sdk:system/init")
    socket.close()
  })

  it("keeps its log, its files and its conversation over an eviction", async () => {
    const { rpc, object } = await created()
    await run(rpc, "create notes.txt with hello")
    /** What clients read of the session, without how far D1 is behind, which changes by itself. */
    const shown = async () => {
      const info = await rpc.info()
      return [
        info.ok ? { ...info.value, delivery: null } : info,
        await (await rpc.fetch("http://session/events?after=0&limit=1000&order=asc")).json(),
        await (await rpc.fetch("http://session/messages?limit=100")).json(),
      ]
    }
    const before = await shown()
    await evictDurableObject(object)
    expect(await shown()).toEqual(before)
    expect(await (await rpc.fetch("http://session/files/workspace/notes.txt")).text()).toBe("hello")
  })
})

describe("the Queue and D1", () => {
  it("receive what was written between turns, without another turn or an alarm", async () => {
    const tenant = `between-${crypto.randomUUID()}`
    const { rpc, object } = open(crypto.randomUUID(), tenant)
    await rpc.create({ session: SESSION })
    await caughtUp(object)
    await runInDurableObject(object, (_: object, state: DurableObjectState) => state.storage.deleteAlarm())
    const value = { description: "Helps", prompt: "Help." }
    const definition: NewDefinition = { tenant, kind: "agent", name: "helper", value, sealed: null, at: Date.now() }
    await Effect.runPromise(putDefinition(env.DB, definition))
    const definitions = await Effect.runPromise(definitionsVersion(env.DB, tenant))
    const actor: Actor = { ...NO_RIGHTS, definitions }
    const before = (await infoOf(rpc)).last_seq
    await rpc.commands(actor)
    expect((await infoOf(rpc)).last_seq).toBeGreaterThan(before)
    await caughtUp(object)
  })

  it("receive an ask a moment after it was opened, while its turn waits in memory for the client", async () => {
    const { rpc, object } = await created({})
    await run(rpc, "Say hello")
    await caughtUp(object)
    const response = await rpc.fetch("http://session/feed?after=0", { headers: { Upgrade: "websocket" } })
    response.webSocket?.accept()
    const turn = crypto.randomUUID()
    await rpc.submit({ turn, prompt: "Create a.txt with the text: a", onBusy: "queue", options: {}, fingerprint: "a" })
    const { last_seq: opened } = await until(async () => {
      const info = await infoOf(rpc)
      return info.state === "requires_action" ? info : undefined
    })
    await caughtUp(object)
    // Before the session's reminder, whose event sends everything.
    expect((await infoOf(rpc)).last_seq).toBe(opened)
    response.webSocket?.close()
    await rpc.erase()
  })

  it("delivering a batch twice changes nothing", async () => {
    const { name } = open()
    const session = name.slice("test/".length)
    const body = {
      id: "h1",
      tenant: "test",
      session_id: session,
      seq: 1,
      hook_event_name: "Stop",
      at: 1,
      input: { a: 1 },
      outcome: {},
    }
    const messages = [0, 1].map((index) => ({
      id: `m${index}`,
      timestamp: new Date(),
      attempts: 1,
      body,
      ack: () => undefined,
      retry: () => undefined,
    }))
    const batch = {
      queue: "perch-hooks",
      messages,
      ackAll: () => undefined,
      retryAll: () => undefined,
    } as unknown as MessageBatch
    const rows = () => env.DB.prepare("SELECT * FROM hook_events WHERE session_id = ?").bind(session).all()
    await Effect.runPromise(consumeHookBatch(batch, { DB: env.DB }))
    const once = (await rows()).results
    await Effect.runPromise(consumeHookBatch(batch, { DB: env.DB }))
    expect(once).toHaveLength(1)
    expect((await rows()).results).toEqual(once)
  })

  it("hook_events gets one row for every hook:fired event", async () => {
    const { name, rpc } = await created()
    await run(rpc, "create a.txt with alpha, then read it back")
    const session = name.slice("test/".length)
    const page = await rpc.fetch("http://session/events?after=0&limit=1000&order=asc&name=hook:fired")
    const fired = (await page.json<{ events: ReadonlyArray<{ seq: number }> }>()).events.map(({ seq }) => seq)
    const stored = () =>
      env.DB.prepare("SELECT seq FROM hook_events WHERE session_id = ? ORDER BY seq")
        .bind(session)
        .all<{ seq: number }>()
    for (let rows = 0; rows < fired.length; rows = (await stored()).results.length) await scheduler.wait(50)
    expect((await stored()).results.map((row) => row.seq)).toEqual(fired)
  })
})

describe("a session that is erased", () => {
  it("leaves only the fact of its erasure, and its id is not reused", async () => {
    const { name, rpc, object } = await created()
    await run(rpc, "create a.txt with alpha")
    await caughtUp(object)
    const turns = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    for (const turn of turns) {
      await rpc.submit({ turn, prompt: "run `sleep 20`", onBusy: "queue", options: {}, fingerprint: turn })
    }
    const receipt = await rpc.erase()
    expect(receipt).toMatchObject({ ok: true, value: { deleted: true, files: 1 } })
    expect(await rpc.info()).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    expect(await rpc.create({ session: SESSION })).toMatchObject({ ok: false, error: { type: "conflict_error" } })
    // What was queued after the erasure never runs.
    const session = name.slice("test/".length)
    for (const table of ["messages", "parts", "costs"]) {
      const left = await env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE session_id = ?`)
        .bind(session)
        .first<{ n: number }>()
      expect(left?.n, table).toBe(0)
    }
    const events = await runInDurableObject(object, (_: object, state: DurableObjectState) =>
      state.storage.sql.exec("SELECT * FROM events").toArray(),
    )
    expect(events).toEqual([])
  })

  it("is gone after the next start of its object if the process died during the erasure", async () => {
    const { rpc, object } = await created()
    await run(rpc, "create a.txt with alpha")
    await runInDurableObject(object, (_: object, { storage }: DurableObjectState) => {
      storage.sql.exec("INSERT INTO meta (key, json) VALUES ('erasing', ?)", JSON.stringify({ at: Date.now() }))
    })
    await evictDurableObject(object)
    while ((await rpc.info()).ok) await scheduler.wait(20)
    expect(await rpc.create({ session: SESSION })).toMatchObject({ ok: false, error: { type: "conflict_error" } })
  })
})

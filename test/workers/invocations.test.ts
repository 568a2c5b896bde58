// Turns that outlast an invocation of a real object: its alarm continues them, and detects an interrupted invocation.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Env } from "../../src/schemas/env.ts"
import type { NewSession } from "../../src/schemas/rpc/session.ts"
import type { LogEvent } from "../../src/schemas/log/events.ts"
import type { SessionObject } from "../../src/session/session-object.ts"
import { open, SESSION, statusOf, type Stub, submit, until } from "./session-stub.ts"

/** A session whose object has these settings; they apply to what it builds from now on. */
const created = async (options: NewSession["options"], settings: Partial<Env> = {}) => {
  const opened = open()
  await runInDurableObject(opened.object, (instance: object) => {
    // The platform stores the object's settings in this field.
    const held = instance as { env: Env }
    held.env = { ...held.env, ...settings }
  })
  const made = await opened.rpc.create({ session: { ...SESSION, options } })
  if (!made.ok) throw new Error(made.error.message)
  return opened
}

const namesOf = async (rpc: Stub) => {
  const page = await rpc.fetch("http://session/events?after=0&limit=1000&order=asc")
  return (await page.json<{ readonly events: ReadonlyArray<LogEvent> }>()).events.map(({ name }) => name)
}

const generationOf = (object: DurableObjectStub<SessionObject>) =>
  runInDurableObject(object, (_: object, state: DurableObjectState) =>
    state.storage.sql
      .exec<{ json: string }>("SELECT json FROM meta WHERE key = 'generation'")
      .toArray()
      .map(({ json }) => JSON.parse(json) as { number: number }),
  )

const pendingAsk = (rpc: Stub) =>
  until(async () => {
    const asks = await rpc.asks()
    return asks.ok ? asks.value[0] : undefined
  })

afterEach(() => {
  vi.restoreAllMocks()
})

describe("a turn whose invocations last one step each", () => {
  it("is continued step by step by the object's alarm, without any client attached", async () => {
    const { rpc, object } = await created({ permissionMode: "acceptEdits" }, { PERCH_INVOCATION_SECONDS: "0" })
    const turn = await submit(rpc, "create a.txt with alpha, then read it back")
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed", result: { subtype: "success" } })
    const names = await namesOf(rpc)
    expect(names.filter((name) => name.startsWith("sdk:result"))).toHaveLength(1)
    // Each invocation left the turn in order: no runner had to be fenced off.
    expect(await generationOf(object)).toEqual([])
    expect(await (await rpc.fetch("http://session/files/workspace/a.txt")).text()).toBe("alpha")
  })
})

describe("an invocation that is interrupted while its object stays alive", () => {
  it("is detected by the alarm: one other runner continues, and the turn has one result", async () => {
    const { rpc, object } = await created({})
    // With a listener the turn waits for its answer in memory: a runner that is alive and idle for long.
    const { webSocket: socket } = await rpc.fetch("http://session/feed?after=head", {
      headers: { Upgrade: "websocket" },
    })
    socket!.accept()
    const turn = await submit(rpc, "create a.txt with alpha")
    const { request_id } = await pendingAsk(rpc)
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(await generationOf(object)).toEqual([])
    const now = Date.now
    vi.spyOn(Date, "now").mockImplementation(() => now() + 60_000)
    expect(await runDurableObjectAlarm(object)).toBe(true)
    await until(async () => ((await generationOf(object))[0]?.number === 1 ? true : undefined))
    expect(await rpc.answer(request_id, { behavior: "allow" })).toMatchObject({ ok: true })
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed", result: { subtype: "success" } })
    const names = await namesOf(rpc)
    expect(names.filter((name) => name.startsWith("sdk:result"))).toHaveLength(1)
    expect(names.filter((name) => name === "ask:opened")).toHaveLength(1)
    expect(names.filter((name) => name === "sdk:system/init")).toHaveLength(1)
    expect(await (await rpc.fetch("http://session/files/workspace/a.txt")).text()).toBe("alpha")
    socket!.close()
  })

  it("together with its object: the next one takes over the turn with a higher generation", async () => {
    const { rpc, object } = await created({})
    const turn = await submit(rpc, "create a.txt with alpha")
    const { request_id } = await pendingAsk(rpc)
    await statusOf(rpc, turn)
    await evictDurableObject(object)
    await rpc.answer(request_id, { behavior: "allow" })
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed" })
    expect(await generationOf(object)).toMatchObject([{ number: 1 }])
  })
})

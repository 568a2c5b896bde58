// Lanes with real objects: the lane's object and a session's are killed while a turn waits, runs or asks, and the limit
// changes.
import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it, vi } from "vitest"
import type { LaneObject } from "../../src/limits/lanes/lane-object.ts"
import type { LogEvent } from "../../src/schemas/log/events.ts"
import type { LaneRpc } from "../../src/schemas/rpc/lane-rpc.ts"
import type { SessionObject } from "../../src/session/session-object.ts"
import { SESSION, statusOf, type Stub, submit, until } from "./session-stub.ts"

/** Kills an object's process in the middle of anything: its callers' calls fail. */
const crash = async (object: DurableObjectStub<LaneObject> | DurableObjectStub<SessionObject>): Promise<void> => {
  const ended = runInDurableObject(object as DurableObjectStub, (_: object, state: DurableObjectState) =>
    state.abort("a crash"),
  )
  await ended.catch(() => undefined)
}

/** A tenant with one slot, which a session of this test occupies. */
const fullLane = async () => {
  const tenant = `lanes-${crypto.randomUUID().slice(0, 8)}`
  await env.TENANTS.getByName(tenant).setLimits({ lane_turns: 1 })
  const lane = () => env.LANES.getByName(tenant) as unknown as LaneRpc
  const holder = { session: "holder", turn: "t", since: null, known: null }
  const entered = await lane().enter(holder)
  if (!entered.entered) throw new Error("the lane is not empty")
  const { generation } = entered
  const object = env.LANES.getByName(tenant)
  return { tenant, lane, object, free: () => lane().leave({ session: "holder", generation }) }
}

/** Each call uses a new stub, because the stub of a killed object is unusable. */
const sessionOf = async (tenant: string) => {
  const name = `${tenant}/${crypto.randomUUID()}`
  const opened = {
    get rpc() {
      return env.SESSIONS.getByName(name) as unknown as Stub
    },
    get object(): DurableObjectStub<SessionObject> {
      return env.SESSIONS.getByName(name)
    },
  }
  const made = await opened.rpc.create({ session: { ...SESSION, options: {} } })
  if (!made.ok) throw new Error(made.error.message)
  return opened
}

/** Resolves when this many sessions wait in the lane. */
const untilWaiting = (lane: () => LaneRpc, count: number) =>
  until(async () => {
    const answer = await lane().enter({ session: "probe", turn: "p", since: null, known: null })
    await lane().cancel({ session: "probe", turn: "p" })
    return !answer.entered && answer.position === count + 1 ? true : undefined
  })

const laneOf = async (rpc: Stub) => {
  const info = await rpc.info()
  return info.ok ? info.value.lane : undefined
}

const waitsOf = async (rpc: Stub) => {
  const page = await rpc.fetch("http://session/events?after=0&limit=1000&order=asc")
  const { events } = await page.json<{ readonly events: ReadonlyArray<LogEvent> }>()
  return events.filter(({ name }) => name.startsWith("lane:"))
}

it("a turn keeps waiting when the lane's object is killed, and gets the slot when it is free", async () => {
  const { tenant, lane, object, free } = await fullLane()
  const { rpc } = await sessionOf(tenant)
  const turn = await submit(rpc, "Hello")
  expect(await until(() => laneOf(rpc))).toMatchObject({ position: 1, limit: 1 })
  await crash(object)
  // The stored state applies: a second turn is not admitted either.
  const { rpc: second } = await sessionOf(tenant)
  const other = await submit(second, "Hello")
  expect(await until(() => laneOf(second))).toMatchObject({ limit: 1 })
  await untilWaiting(lane, 2)
  await free()
  expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed" })
  expect(await statusOf(second, other)).toMatchObject({ status: "completed" })
  expect((await waitsOf(rpc)).map(({ name }) => name)).toEqual(["lane:waiting", "lane:entered"])
  expect(await laneOf(rpc)).toBeUndefined()
})

it("a session that is killed while its turn waits returns with its arrival time", async () => {
  const { tenant, lane, free } = await fullLane()
  const first = await sessionOf(tenant)
  const turn = await submit(first.rpc, "Hello")
  const before = await until(() => laneOf(first.rpc))
  const second = await sessionOf(tenant)
  const other = await submit(second.rpc, "Hello")
  await until(() => laneOf(second.rpc))
  await crash(first.object)
  expect(await until(() => laneOf(first.rpc))).toEqual(before)
  await untilWaiting(lane, 2)
  await free()
  expect(await statusOf(second.rpc, other)).toMatchObject({ status: "completed" })
  expect(await statusOf(first.rpc, turn)).toMatchObject({ status: "completed" })
  const entered = async ({ rpc }: typeof first) => (await waitsOf(rpc)).find(({ name }) => name === "lane:entered")?.at
  expect(await entered(first)).toBeLessThanOrEqual((await entered(second)) ?? 0)
})

it("a turn that asks releases its slot, and its answer admits it before those that arrived later", async () => {
  const { tenant, lane, free } = await fullLane()
  const { rpc } = await sessionOf(tenant)
  await free()
  const turn = await submit(rpc, "create a.txt with alpha")
  const ask = await until(async () => {
    const asks = await rpc.asks()
    return asks.ok ? asks.value[0] : undefined
  })
  const next = { session: "next", turn: "n", since: null, known: null }
  const entered = await until(async () => {
    const answer = await lane().enter(next)
    return answer.entered ? answer : undefined
  })
  const { rpc: later } = await sessionOf(tenant)
  const other = await submit(later, "Hello")
  expect(await until(() => laneOf(later))).toMatchObject({ position: 1 })
  await rpc.answer(ask.request_id, { behavior: "allow" })
  expect(await until(() => laneOf(rpc))).toMatchObject({ position: 1 })
  await lane().leave({ session: "next", generation: entered.generation })
  expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed" })
  expect(await statusOf(later, other)).toMatchObject({ status: "completed" })
  const at = async (stub: Stub) => (await waitsOf(stub)).find(({ name }) => name === "lane:entered")?.at ?? 0
  expect(await at(rpc)).toBeLessThanOrEqual(await at(later))
})

it("a limit that is raised or removed admits the waiting turns; a tenant without one has no lane", async () => {
  const { tenant, object } = await fullLane()
  const first = await sessionOf(tenant)
  const turn = await submit(first.rpc, "Hello")
  await until(() => laneOf(first.rpc))
  await env.TENANTS.getByName(tenant).setLimits({ lane_turns: 2 })
  expect(await statusOf(first.rpc, turn)).toMatchObject({ status: "completed" })
  await env.TENANTS.getByName(tenant).setLimits({ lane_turns: 1 })
  const again = await submit(first.rpc, "Hello again")
  await until(() => laneOf(first.rpc))
  await env.TENANTS.getByName(tenant).setLimits({})
  expect(await statusOf(first.rpc, again)).toMatchObject({ status: "completed" })
  const kept = await runInDurableObject(object, (_: object, state: DurableObjectState) =>
    state.storage.sql.exec("SELECT * FROM places").toArray(),
  )
  expect(kept).toEqual([])
})

it("a limit whose change was lost is read again, also after the clock was set back", async () => {
  const { tenant, lane, object } = await fullLane()
  await env.TENANTS.getByName(tenant).setLimits({ lane_turns: 2 })
  const stored = () =>
    runInDurableObject(object, (_: object, { storage }: DurableObjectState) => storage.kv.get("limit"))
  await until(async () => ((await stored()) === 2 ? true : undefined))
  // Less than a lease, so that the place is still held.
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 80_000)
  await object.limitChanged(1)
  clock.mockRestore()
  await until(async () => {
    const { entered } = await lane().enter({ session: "next", turn: "n", since: null, known: null })
    return entered ? true : undefined
  })
})

it("a waiting turn is withdrawn by its id, and its session's next one has a new arrival time", async () => {
  const { tenant, lane, free } = await fullLane()
  const { rpc } = await sessionOf(tenant)
  const turn = await submit(rpc, "Hello")
  const next = await submit(rpc, "Hello again")
  await until(() => laneOf(rpc))
  expect(await rpc.stopTurn(turn)).toEqual({ ok: true, value: { stopped: true } })
  expect(await statusOf(rpc, turn)).toMatchObject({ status: "interrupted" })
  expect(await until(() => laneOf(rpc))).toMatchObject({ position: 1 })
  await free()
  expect(await statusOf(rpc, next)).toMatchObject({ status: "completed" })
  // The slot is free a moment after the turn's result.
  await until(async () => {
    const probe = await lane().enter({ session: "probe", turn: "p", since: null, known: null })
    return probe.entered ? true : undefined
  })
})

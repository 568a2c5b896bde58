// What is written is sent when it does not compete with turns, and an idle object has no alarm within the seconds before its
// eviction.
import { afterEach, describe, expect, it, vi } from "vitest"
import { Maintenance } from "../../src/session/maintenance.ts"
import { Alarm } from "../../src/session/storage/alarm.ts"
import { DONE, loop, until } from "../support/session/loop.ts"
import { call, promptFor } from "../support/session/scripts.ts"
import { prompt } from "../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

const WRITE = { content: [call("Write", { file_path: "/workspace/a.txt", content: "one\n" })] }
const NOW = 1_000_000

/** A session whose turn asks about a call, with an alarm of its own that guards the turn. */
const asking = async () => {
  const booted = harnessOf({}).boot()
  const set: Array<number> = []
  const alarm = new Alarm({ setAlarm: (at: number) => void set.push(at) } as unknown as DurableObjectStorage)
  const context = Object.create(booted.session.context, { alarm: { value: alarm }, now: { value: () => NOW } })
  prompt(booted.session, promptFor(scripted([WRITE, DONE])))
  await until(() => booted.session.askStore.open.length > 0)
  alarm.guard(NOW + 5_000)
  const maintenance = new Maintenance(context, booted.life)
  const flush = async () => {
    maintenance.flush()
    await booted.idle()
  }
  const answer = async () => {
    for (const { requestId } of booted.session.askStore.open)
      booted.session.asks.answer(requestId, { behavior: "allow" })
    await booted.idle()
  }
  return { alarm, set, flush, answer, maintenance, outbox: booted.session.outbox }
}

afterEach(() => vi.useRealTimers())

describe("a new session", () => {
  const created = async () => {
    const made = await asking()
    return { ...made, flushes: vi.spyOn(made.outbox, "flush") }
  }
  const holdTimeouts = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })

  it("is flushed a second after its creation, while its first turn runs", async () => {
    const { maintenance, flushes, answer } = await created()
    holdTimeouts()
    maintenance.flushCreated()
    vi.advanceTimersByTime(999)
    expect(flushes).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(flushes).toHaveBeenCalledOnce()
    vi.useRealTimers()
    await answer()
  })

  it("is flushed 300 ms after its first turn", async () => {
    const { maintenance, flushes, answer } = await created()
    await answer()
    holdTimeouts()
    maintenance.flushSoon()
    vi.advanceTimersByTime(299)
    expect(flushes).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(flushes).toHaveBeenCalledOnce()
  })

  it("that its prompt has created is flushed at the end of that turn, and later turns as others", async () => {
    const { maintenance, flushes, answer } = await created()
    await answer()
    holdTimeouts()
    maintenance.listAfterTurn()
    maintenance.flushSoon()
    expect(flushes).toHaveBeenCalledOnce()
    maintenance.flushSoon()
    expect(flushes).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(300)
    expect(flushes).toHaveBeenCalledTimes(2)
  })
})

describe("the alarm that guards a turn", () => {
  it("is postponed when the turn has ended and D1 has it", async () => {
    const { set, flush, answer } = await asking()
    await answer()
    await flush()
    expect(set).toEqual([NOW + 5_000, NOW + 20_000])
  })

  it("stays while the turn waits", async () => {
    const { set, flush, answer } = await asking()
    await flush()
    expect(set).toEqual([NOW + 5_000])
    await answer()
  })

  it("stays when something else needs it", async () => {
    const { alarm, set, flush, answer } = await asking()
    alarm.arm(NOW + 8_000)
    await answer()
    await flush()
    expect(set).toEqual([NOW + 5_000, NOW + 8_000])
  })
})

describe("a write outside of a turn", () => {
  it("arms an alarm that sends it if the process dies", async () => {
    const { alarm, set, answer, maintenance } = await asking()
    await answer()
    alarm.wentOff()
    maintenance.wrote()
    expect(set).toEqual([NOW + 5_000, NOW + 30_000])
  })
})

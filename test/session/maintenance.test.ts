// An idle object has no alarm within the seconds before its eviction.
import { describe, expect, it } from "vitest"
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
  return { alarm, set, flush, answer, maintenance }
}

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

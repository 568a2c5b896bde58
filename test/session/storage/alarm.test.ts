import { describe, expect, it } from "vitest"
import { Alarm } from "../../../src/session/storage/alarm.ts"

/** An alarm on a storage that records what is set. */
const opened = (stored: number | null = null) => {
  const set: Array<number> = []
  const storage = { setAlarm: (at: number) => void set.push(at), getAlarm: () => Promise.resolve(stored) }
  // The alarm calls these two, and deleteAll.
  return { alarm: new Alarm(storage as unknown as DurableObjectStorage), set }
}

describe("an alarm", () => {
  it("fires at the earliest requested time, and is set no more often than needed", () => {
    const { alarm, set } = opened()
    alarm.guard(300)
    alarm.arm(400)
    alarm.arm(200)
    alarm.guard(250)
    expect(set).toEqual([300, 200])
  })

  it("is postponed once the work that it guarded is done", () => {
    const { alarm, set } = opened()
    alarm.guard(300)
    alarm.postpone(500)
    alarm.postpone(400)
    expect(set).toEqual([300, 500])
  })

  it("is not postponed beyond a time for which it was armed", () => {
    const { alarm, set } = opened()
    alarm.arm(400)
    alarm.guard(300)
    alarm.postpone(500)
    alarm.arm(450)
    alarm.postpone(500)
    expect(set).toEqual([400, 300, 400])
  })

  it("is not postponed when a previous instance of the object set it", async () => {
    const { alarm, set } = opened(300)
    await alarm.recall()
    alarm.postpone(500)
    expect(set).toEqual([])
    alarm.wentOff()
    alarm.postpone(500)
    expect(set).toEqual([])
    alarm.guard(400)
    alarm.postpone(500)
    expect(set).toEqual([400, 500])
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { CallClock, LiveCall } from "../../../src/model/live/live-call.ts"
import { openTimersOf } from "../../support/values/open-timers.ts"

/** Limits of which only the first is short. */
const within = (ms: number) => ({ firstByteMs: ms, idleMs: ms, until: Number.POSITIVE_INFINITY })

let openTimers = () => 0

beforeEach(() => {
  vi.useFakeTimers()
  openTimers = openTimersOf("/model/live/live-call.ts")
})
afterEach(() => vi.useRealTimers())

/** A body that sends these chunks, then ends; without chunks it never sends anything. */
const bodyOf = (...chunks: ReadonlyArray<string>) => {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (chunks.length === 0) return
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  return stream.getReader()
}

describe("a call", () => {
  it("is aborted within a second after its time limit, and reports the limit", async () => {
    const call = new LiveCall(new CallClock(), within(10_000))
    await vi.advanceTimersByTimeAsync(9_900)
    expect(call.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1_100)
    expect(call.signal.aborted).toBe(true)
    expect(call.timedOut).toBe("first_byte")
  })

  it("has no time limit while data arrives", async () => {
    const call = new LiveCall(new CallClock(), within(5_000))
    for (let event = 0; event < 10; event += 1) {
      await vi.advanceTimersByTimeAsync(4_000)
      call.progressed()
    }
    expect(call.signal.aborted).toBe(false)
  })

  it("ends at its step's limit however much data arrives", async () => {
    const call = new LiveCall(new CallClock(), { firstByteMs: 5_000, idleMs: 5_000, until: Date.now() + 12_000 })
    for (let event = 0; event < 3; event += 1) {
      await vi.advanceTimersByTimeAsync(3_500)
      call.progressed()
    }
    expect(call.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(2_500)
    expect([call.signal.aborted, call.timedOut]).toEqual([true, "total"])
  })

  it("of a machine that was suspended is sent again within its step's limit", async () => {
    const timeouts = { firstByteMs: 5_000, idleMs: 5_000, until: Date.now() + 60_000 }
    const call = new LiveCall(new CallClock(), timeouts)
    await vi.advanceTimersByTimeAsync(3_000)
    vi.setSystemTime(Date.now() + 2 * 3_600_000)
    await vi.advanceTimersByTimeAsync(1_000)
    // The server has probably closed the connection.
    expect([call.signal.aborted, call.timedOut]).toEqual([true, "first_byte"])
    expect(timeouts.until - Date.now()).toBe(56_000)
  })

  it("that was lost while the machine was suspended is sent again within its step's limit", async () => {
    const timeouts = { firstByteMs: 5_000, idleMs: 5_000, until: Date.now() + 60_000 }
    const clock = new CallClock()
    const [call, other] = [new LiveCall(clock, timeouts), new LiveCall(clock, within(600_000))]
    await vi.advanceTimersByTimeAsync(3_000)
    vi.setSystemTime(Date.now() + 2 * 3_600_000)
    call.leave()
    expect(timeouts.until - Date.now()).toBe(56_000)
    other.leave()
    expect(timeouts.until - Date.now()).toBe(56_000)
  })

  it("whose answer is no longer needed is aborted, which is not a timeout", () => {
    const call = new LiveCall(new CallClock(), within(5_000))
    call.leave()
    expect(call.signal.aborted).toBe(true)
    expect(call.timedOut).toBeNull()
  })

  it("whose answer is complete is left alone until the end of its body arrives", async () => {
    const call = new LiveCall(new CallClock(), within(5_000))
    const body = bodyOf("one", "two")
    call.drain(body)
    call.leave()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(call.signal.aborted).toBe(false)
    expect((await body.read()).done).toBe(true)
  })

  it("whose body does not end after its answer is soon aborted", async () => {
    const call = new LiveCall(new CallClock(), within(60_000))
    call.drain(bodyOf())
    call.leave()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(call.signal.aborted).toBe(true)
  })
})

describe("the clock", () => {
  it("has one timer for all calls, and none once they have ended", async () => {
    const clock = new CallClock()
    const calls = Array.from({ length: 5 }, () => new LiveCall(clock, within(5_000)))
    expect(openTimers()).toBe(1)
    for (const call of calls) call.ended()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(openTimers()).toBe(0)
    const later = new LiveCall(clock, within(1_500))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(later.signal.aborted).toBe(true)
  })
})

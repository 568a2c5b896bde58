import { expect, test } from "vitest"
import { eventOfSignal, isSignal } from "../../../../src/console/time/events/signal-event.ts"
import { signalJson } from "../../../../src/schemas/log/event-signal.ts"

const event = {
  seq: 7,
  uuid: "u-7",
  turn: "t-1",
  parent_tool_use_id: "toolu_1",
  at: Date.parse("2026-01-31T12:00:00.123Z"),
}

test.each(["sdk:result/success", "sdk:assistant", "hook:fired", "ask:opened"])(
  "%s is the same live as on pages of the log",
  (name) => {
    const signal: unknown = JSON.parse(signalJson({ ...event, name }, '{"a":1}'))
    if (!isSignal(signal)) throw new Error("The server's signal is none.")
    expect(eventOfSignal(7, signal)).toEqual({ ...event, name, payload: { a: 1 } })
  },
)

test("the event that starts a turn belongs to it", () => {
  const queued = { ...event, name: "turn:queued", uuid: "t-1", parent_tool_use_id: null }
  const signal: unknown = JSON.parse(signalJson(queued, "{}"))
  if (!isSignal(signal)) throw new Error("The server's signal is none.")
  expect(eventOfSignal(7, signal).turn).toBe("t-1")
})

test("frames that are not in the log are not signals", () => {
  expect(isSignal({ type: "ask" })).toBe(false)
  expect(isSignal(null)).toBe(false)
})

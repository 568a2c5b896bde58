// Asks in a view: separate events, which readers of SDK messages ignore.
import { expect, it } from "vitest"
import type { FeedLine } from "../../src/schemas/log/feed-line.ts"
import { isSeparateEvent, isCancelled, withAsks } from "../../src/views/with-asks.ts"
import { sdkView } from "../../src/views/sdk.ts"

const line = (name: string, seq: number | null, json = `{"request_id":"r1"}`): FeedLine => ({
  seq,
  at: 0,
  turn: "t",
  name,
  json,
})

it("an ask is an event without an id, its settlement one with its seq as id", () => {
  const view = withAsks(sdkView)
  expect(view(line("ask:opened", null))).toEqual([{ id: null, event: "ask", data: `{"request_id":"r1"}` }])
  expect(view(line("ask:settled", 7))).toEqual([{ id: 7, event: "ask_settled", data: `{"request_id":"r1"}` }])
  expect(view(line("turn:cancelled", 8, "{}"))).toEqual([{ id: 8, event: "turn_cancelled", data: "{}" }])
  expect(view(line("lane:waiting", 8, "{}"))).toEqual([{ id: 8, event: "lane_waiting", data: "{}" }])
  expect(view(line("lane:entered", 8, "{}"))).toEqual([{ id: 8, event: "lane_entered", data: "{}" }])
  expect(view(line("sdk:assistant", 9, "{}"))).toEqual([{ id: 9, data: "{}" }])
  expect(view(line("hook:fired", 10, "{}"))).toEqual([])
})

it("an ask is sent once in a stream whose feed is reopened, and each stream sends it", () => {
  const [one, two] = [withAsks(sdkView), withAsks(sdkView)]
  expect(one(line("ask:opened", null))).toHaveLength(1)
  expect(one(line("ask:opened", null))).toEqual([])
  expect(one(line("ask:opened", null, `{"request_id":"r2"}`))).toHaveLength(1)
  expect(two(line("ask:opened", null))).toHaveLength(1)
})

it("events that are not SDK messages have a name", () => {
  const names = ["ask:opened", "ask:settled", "turn:cancelled", "sdk:result", "turn:queued"]
  expect(names.map((name) => isSeparateEvent(line(name, 1)))).toEqual([true, true, true, false, false])
  expect(names.map((name) => isCancelled(line(name, 1)))).toEqual([false, false, true, false, false])
})

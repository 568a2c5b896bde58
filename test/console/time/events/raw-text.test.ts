import { expect, test } from "vitest"
import { Transport } from "../../../../src/client/api/transport.ts"
import { rawText } from "../../../../src/console/time/events/raw-text.ts"

const event = { seq: 7, uuid: "u-7", turn: "t-1", parent_tool_use_id: null, at: 0, name: "hook:fired", payload: {} }

/** Sends no request. */
const offline = new Transport({
  url: "http://perch.test",
  apiKey: "key",
  fetch: () => Promise.reject(new Error("No request is needed.")),
})

test("an event of Perch's own has no SDK message", async () => {
  expect(await rawText(offline, "s", event, "sdk")).toContain("no message")
})

test("an SDK message is shown as the log contains it", async () => {
  const sdkEvent = { ...event, name: "sdk:user", payload: { type: "user" } }
  expect(JSON.parse(await rawText(offline, "s", sdkEvent, "sdk"))).toEqual({ type: "user" })
  expect(JSON.parse(await rawText(offline, "s", sdkEvent, "log"))).toEqual(sdkEvent)
})

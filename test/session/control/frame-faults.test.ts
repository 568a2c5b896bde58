// Frames that can't be answered under an id of their own, as a client of the control protocol sends them.
import { describe, expect, it, vi } from "vitest"
import { frameFault } from "../../../src/session/control/frame-faults.ts"
import { takeFrames } from "../../../src/session/control/take-frames.ts"
import { refuse, toResult } from "../../../src/session/refusal.ts"
import { loop } from "../../support/session/loop.ts"

const { connected } = loop()

const ID = "x".repeat(200)

describe("a frame that can't be read", () => {
  it.each([
    ["null", null],
    ["a number", 42],
    ["a list", []],
    ["an object without a type", { a: 1 }],
    ["a type that is no string", { type: 1 }],
    ["a request without an id", { type: "control_request", request: { subtype: "interrupt" } }],
    [
      "a request with a number as its id",
      { type: "control_request", request_id: 5, request: { subtype: "interrupt" } },
    ],
    ["a request with too long an id", { type: "control_request", request_id: `${ID}x`, request: { subtype: "x" } }],
    ["a response to nothing", { type: "control_response" }],
    ["a response without an id", { type: "control_response", response: { subtype: "success" } }],
  ])("is answered with an error: %s", async (_, frame) => {
    const { client } = await connected()
    const before = client.frames.length
    client.send(frame)
    await Promise.resolve()
    expect(client.frames.slice(before)).toMatchObject([
      { type: "control_response", response: { subtype: "error", request_id: "", error_code: "unreadable_frame" } },
    ])
    expect(await client.request("mcp_status")).toMatchObject({ subtype: "success" })
  })

  it("is not counted as accepted, and neither is a prompt that is refused", async () => {
    const { client, control } = await connected()
    const user = { type: "user", parent_tool_use_id: null, message: { role: "user", content: "Hi" } }
    const frames = [
      { type: "control_request", request: { subtype: "interrupt" } },
      { type: "control_response" },
      { ...user, message: { role: "assistant", content: "Hi" } },
      { ...user, parent_tool_use_id: 1 },
      { type: "keep_alive" },
      user,
    ]
    const refused = [
      { index: 0, message: "request_id of a control_request must be a string of at most 200 characters" },
      { index: 1, message: expect.stringContaining("response.request_id") },
      { index: 2, message: expect.stringContaining("the user message") },
      { index: 3, message: expect.stringContaining("parent_tool_use_id") },
    ]
    // As the object's method returns it: the report is no refusal of the request.
    expect(toResult(takeFrames(control, client.name, frames))).toEqual({ ok: true, value: { accepted: 2, refused } })
  })

  it("is not counted as accepted if it is a prompt that the session refuses", async () => {
    const { client, control, session } = await connected()
    vi.spyOn(session.prompts, "submit").mockReturnValue(refuse("conflict_error", "no more prompts"))
    const frame = { type: "user", message: { role: "user", content: "Hi" } }
    const refused = [{ index: 0, message: "no more prompts" }]
    expect(takeFrames(control, client.name, [frame])).toEqual({ accepted: 0, refused })
  })

  it("is not a prompt that lacks parent_tool_use_id, which the official CLI does not need either", async () => {
    const { client, control } = await connected()
    const frame = { type: "user", message: { role: "user", content: "Hi" } }
    expect(takeFrames(control, client.name, [frame])).toEqual({ accepted: 1 })
  })

  it.each([
    { type: "keep_alive" },
    { type: "newer_than_this_server", a: 1 },
    { type: "control_cancel_request" },
    { type: "control_request", request_id: ID, request: { subtype: "x" } },
    { type: "control_response", response: { subtype: "success", request_id: "of another server" } },
  ])("is none of these: %j", (frame) => {
    expect(frameFault(frame)).toBeUndefined()
  })
})

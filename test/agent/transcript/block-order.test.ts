// The order in which requests send the blocks of an answer.
import { expect, it } from "vitest"
import { callsLast } from "../../../src/agent/transcript/block-order.ts"

const order = (...types: ReadonlyArray<string>): ReadonlyArray<string> =>
  callsLast(types.map((type) => ({ type }))).map(({ type }) => type)

it.each(["text", "server_tool_use", "web_search_tool_result", "future_block"])(
  "calls are sent after all other blocks if %s comes after one of them, as recorded",
  (type) => {
    expect(order("thinking", "tool_use", type)).toEqual(["thinking", type, "tool_use"])
    expect(order("tool_use", "thinking", type, "tool_use")).toEqual(["thinking", type, "tool_use", "tool_use"])
    expect(order("tool_use", type, "thinking")).toEqual([type, "thinking", "tool_use"])
  },
)

it("blocks keep their places if only thinking and other calls come after a call, as recorded", () => {
  const blocks = ["text", "tool_use", "thinking", "tool_use", "redacted_thinking"]
  expect(order(...blocks)).toEqual(blocks)
  expect(order("text", "server_tool_use", "text")).toEqual(["text", "server_tool_use", "text"])
})

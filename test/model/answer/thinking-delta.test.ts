import { describe, expect, it } from "vitest"
import { thinkingDelta } from "../../../src/model/answer/thinking-delta.ts"

const delta = (fields: Record<string, unknown>) => ({ type: "content_block_delta", index: 0, delta: fields })
const thought = (thinking: string, more: Record<string, unknown> = {}) =>
  thinkingDelta(delta({ type: "thinking_delta", thinking, ...more }))?.estimated_tokens_delta

describe("the tokens of a thinking delta", () => {
  it.each([
    ["Let me think about this ", 6],
    ["carefully.", 3],
    ["deep thoughts deep thoug", 6],
    ["x", 1],
  ])("%j counts as %i, as the official SDK does", (thinking, tokens) => {
    expect(thought(thinking)).toBe(tokens)
  })

  it("are the API's estimate, if it sends one", () => {
    expect(thought("", { estimated_tokens: 50 })).toBe(50)
    expect(thought("some text", { estimated_tokens: 50 })).toBe(50)
    expect(thought("some text", { estimated_tokens: null })).toBe(2)
  })

  it.each([
    ["thinking that says nothing", delta({ type: "thinking_delta", thinking: "", estimated_tokens: null })],
    ["a text", delta({ type: "text_delta", text: "hello" })],
    ["a signature", delta({ type: "signature_delta", signature: "c2ln" })],
    ["no delta", { type: "content_block_delta", index: 0 }],
    ["another event", { type: "message_stop", delta: { type: "thinking_delta", thinking: "hello" } }],
  ])("%s has none", (_, event) => {
    expect(thinkingDelta(event)).toBeNull()
  })
})

// Images in prompts are numbered for the model, the same in every request.
import { describe, expect, it } from "vitest"
import { buildRequest } from "../../../src/model/request/request.ts"
import { breakpoints, CACHED, parts } from "./request-parts.ts"

describe("images in prompts", () => {
  const image = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })
  const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } }

  it("are unchanged and numbered, in the order of the conversation", () => {
    const [first, second, third] = [image("AA=="), image("BB=="), image("CC==")]
    const messages = [
      { role: "user", content: [{ type: "text", text: "look" }, first, second] },
      { role: "assistant", content: [{ type: "text", text: "I see" }] },
      { role: "user", content: [third, { type: "text", text: "and this?" }] },
    ] as const
    const before = structuredClone(messages)
    const sent = buildRequest(parts({ messages })).messages
    expect(sent[0]?.content).toEqual([
      { type: "text", text: "look" },
      first,
      second,
      { type: "text", text: "[Image 1]" },
      { type: "text", text: "[Image 2]" },
    ])
    expect(sent[1]).toBe(messages[1])
    expect(sent[2]?.content).toEqual([
      third,
      { type: "text", text: "and this?" },
      { type: "text", text: "[Image 3]", cache_control: CACHED },
    ])
    expect(messages).toEqual(before)
  })

  it("are not rebuilt for the next request, and neither is a prompt with its own breakpoint", () => {
    const messages = [
      { role: "user", content: [{ type: "text", text: "look" }, image("AA==")] },
      { role: "assistant", content: [{ type: "text", text: "I see" }] },
      { role: "user", content: [{ type: "text", text: "more", cache_control: CACHED }] },
      { role: "assistant", content: [{ type: "text", text: "yes" }] },
    ] as const
    const once = buildRequest(parts({ messages })).messages
    const again = buildRequest(parts({ messages: [...messages, { role: "user", content: "on" }] })).messages
    expect(again[0]).toBe(once[0])
    expect(again[2]).toBe(once[2])
    expect(again[2]).not.toBe(messages[2])
  })

  it("the breakpoint is after the number of an image that comes last", () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "look" }, image("AA==")] }] as const
    expect(breakpoints(buildRequest(parts({ messages })).messages)).toEqual(["0/2"])
  })

  it("documents, and images in tool results, have no number", () => {
    const result = { type: "tool_result", tool_use_id: "t", content: [image("AA==")] }
    const messages = [{ role: "user", content: [result, pdf, { type: "text", text: "go" }] }] as const
    expect(buildRequest(parts({ messages })).messages[0]?.content).toEqual([
      result,
      pdf,
      { type: "text", text: "go", cache_control: CACHED },
    ])
  })
})

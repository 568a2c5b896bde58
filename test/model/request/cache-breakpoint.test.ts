// The positions of a request's cache breakpoints; the messages are otherwise unchanged.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { buildRequest } from "../../../src/model/request/request.ts"
import { breakpoints, parts } from "./request-parts.ts"

describe("the cache breakpoint", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "s" }

  it("is on the last block of the last message, which is copied", () => {
    const messages = [
      { role: "user", content: "one" },
      { role: "assistant", content: [thinking, { type: "tool_use", id: "t", name: "Read", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: "x" },
          { type: "text", text: "go" },
        ],
      },
    ] as const
    const before = structuredClone(messages)
    const request = buildRequest(parts({ messages }))
    expect(breakpoints(request.messages)).toEqual(["2/1"])
    expect(messages).toEqual(before)
    expect(request.messages[0]).toBe(messages[0])
    expect(request.messages[1]).toBe(messages[1])
  })

  it.each([
    ["thinking at the end", [{ type: "text", text: "a" }, thinking], "1/0"],
    [
      "redacted thinking at the end",
      [
        { type: "text", text: "a" },
        { type: "redacted_thinking", data: "d" },
      ],
      "1/0",
    ],
    [
      "an empty text at the end",
      [
        { type: "text", text: "a" },
        { type: "text", text: "" },
      ],
      "1/0",
    ],
    ["nothing but thinking", [thinking], "0/0"],
    ["no content", [], "0/0"],
  ])("skips %s", (_, content, place) => {
    const messages = [
      { role: "user", content: "q" },
      { role: "assistant", content },
    ] as const
    expect(breakpoints(buildRequest(parts({ messages })).messages)).toEqual([place])
  })

  const calls = (count: number) => ({
    role: "assistant" as const,
    content: Array.from({ length: count }, (_, at) => ({ type: "tool_use", id: `t${at}`, name: "Read", input: {} })),
  })
  const results = (count: number) => ({
    role: "user" as const,
    content: Array.from({ length: count }, (_, at) => ({ type: "tool_result", tool_use_id: `t${at}`, content: "x" })),
  })

  it.each([
    [9, ["2/8"]],
    [10, ["0/0", "2/9"]],
    [30, ["0/0", "2/29"]],
  ])("is kept at the previous request's end if %i calls and their results follow", (count, places) => {
    const messages = [{ role: "user" as const, content: "q" }, calls(count), results(count)]
    expect(breakpoints(buildRequest(parts({ messages })).messages)).toEqual(places)
  })

  it("has the same lifetime at both places", () => {
    const messages = [{ role: "user" as const, content: "q" }, calls(30), results(30)]
    const sent = JSON.stringify(buildRequest(parts({ messages, cacheTtl: "1h" })).messages)
    expect(sent.match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/g)).toHaveLength(2)
  })

  it("replaces those that a client put into its prompts", () => {
    const cached = { type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }
    const messages = [
      { role: "user", content: [cached, cached] },
      { role: "user", content: [cached, { type: "text", text: "b" }] },
    ] as const
    const request = buildRequest(parts({ messages }))
    expect(breakpoints(request.messages)).toEqual(["1/1"])
    expect(messages[0].content[0]).toHaveProperty("cache_control")
  })

  it("leaves every other byte of the messages unchanged", () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text: fc.string(), citations: fc.constant(null) }),
      fc.record({ type: fc.constant("thinking"), thinking: fc.string(), signature: fc.string() }),
      fc.record({
        zeta: fc.jsonValue(),
        type: fc.constant("tool_use"),
        input: fc.dictionary(fc.string(), fc.jsonValue()),
        id: fc.string(),
      }),
      fc.record({ type: fc.constant("server_thing"), unknown: fc.jsonValue() }),
    )
    const message = fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const),
      content: fc.array(block, { minLength: 1, maxLength: 4 }),
    })
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 5 }), (messages) => {
        const before = JSON.stringify(messages)
        const request = buildRequest(parts({ messages }))
        expect(breakpoints(request.messages).length).toBeLessThanOrEqual(1)
        expect(JSON.stringify(request.messages).replace(',"cache_control":{"type":"ephemeral"}', "")).toBe(before)
        expect(JSON.stringify(messages)).toBe(before)
      }),
    )
  })
})

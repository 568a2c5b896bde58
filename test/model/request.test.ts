import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { betasOf, buildRequest, type RequestParts } from "../../src/model/request.ts"
import { systemPromptOf } from "../../src/model/system-prompt.ts"

const parts = (more: Partial<RequestParts> = {}): RequestParts => ({
  model: "claude-opus-5-5",
  system: "be kind",
  messages: [{ role: "user", content: "hi" }],
  tools: [{ name: "Read", input_schema: { type: "object" } }],
  sessionId: "0199",
  ...more,
})
const CACHED = { type: "ephemeral" }

/** Where the breakpoints of the messages are, as message/block. */
const breakpoints = (messages: ReadonlyArray<{ readonly content: unknown }>): ReadonlyArray<string> =>
  messages.flatMap(({ content }, at) =>
    Array.isArray(content)
      ? content.flatMap((block, index) => ("cache_control" in block ? [`${at}/${index}`] : []))
      : [],
  )

describe("limits, thinking and effort", () => {
  it("an adaptive model thinks by itself, at its own effort", () => {
    expect(buildRequest(parts())).toEqual({
      model: "claude-opus-5-5",
      max_tokens: 128_000,
      system: [{ type: "text", text: "be kind", cache_control: CACHED }],
      messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: CACHED }] }],
      tools: [{ name: "Read", input_schema: { type: "object" } }],
      thinking: { type: "adaptive" },
      output_config: { effort: "medium" },
      metadata: { user_id: "perch_session_0199" },
    })
  })

  it("a model that thinks by budget gets all but one token, and no effort if it has none", () => {
    const request = buildRequest(parts({ model: "claude-sonnet-4-5", effort: "high" }))
    expect(request.max_tokens).toBe(32_000)
    expect(request.thinking).toEqual({ type: "enabled", budget_tokens: 31_999 })
    expect(request).not.toHaveProperty("output_config")
  })

  it.each([
    ["claude-opus-5-5", { thinking: { type: "disabled" } }, { type: "disabled" }],
    ["claude-sonnet-4-5", { thinking: { type: "disabled" } }, { type: "disabled" }],
    ["claude-opus-5-5", { thinking: { type: "enabled", budgetTokens: 5000 } }, { type: "adaptive" }],
    ["claude-sonnet-4-5", { thinking: { type: "adaptive" } }, { type: "enabled", budget_tokens: 31_999 }],
    [
      "claude-sonnet-4-5",
      { thinking: { type: "enabled", budgetTokens: 5000 } },
      { type: "enabled", budget_tokens: 5000 },
    ],
    [
      "claude-sonnet-4-5",
      { thinking: { type: "enabled", budgetTokens: 64_000 } },
      { type: "enabled", budget_tokens: 31_999 },
    ],
    ["claude-sonnet-4-5", { thinking: { type: "enabled" } }, { type: "enabled", budget_tokens: 31_999 }],
    ["claude-sonnet-4-5", { maxThinkingTokens: 0 }, { type: "disabled" }],
    ["claude-sonnet-4-5", { maxThinkingTokens: 8000 }, { type: "enabled", budget_tokens: 8000 }],
    ["claude-sonnet-4-5", { maxThinkingTokens: 10 }, { type: "enabled", budget_tokens: 1024 }],
    ["claude-opus-5-5", { maxThinkingTokens: 8000 }, { type: "adaptive" }],
    ["claude-opus-5-5", { maxThinkingTokens: 0 }, { type: "disabled" }],
    [
      "claude-sonnet-4-5",
      { maxThinkingTokens: 0, thinking: { type: "enabled", budgetTokens: 2000 } },
      { type: "enabled", budget_tokens: 2000 },
    ],
    ["claude-sonnet-4-5", { maxTokens: 4096 }, { type: "enabled", budget_tokens: 4095 }],
    ["claude-sonnet-4-5", { maxTokens: 500 }, { type: "disabled" }],
    ["new-model", {}, undefined],
    ["new-model", { thinking: { type: "adaptive" } }, { type: "adaptive" }],
    ["new-model", { maxThinkingTokens: 2000 }, { type: "enabled", budget_tokens: 2000 }],
  ] as const)("%s with %j", (model, options, thinking) => {
    expect(buildRequest(parts({ model, ...options })).thinking).toEqual(thinking)
  })

  it("effort is the option, and goes only to models that have it", () => {
    expect(buildRequest(parts({ effort: "max" })).output_config).toEqual({ effort: "max" })
    expect(buildRequest(parts({ model: "claude-opus-4-7" })).output_config).toEqual({ effort: "xhigh" })
    expect(buildRequest(parts({ model: "new-model" }))).not.toHaveProperty("output_config")
  })

  it("an alias is resolved, an unlisted model gets 32,000 tokens, and maxTokens can only lower them", () => {
    expect(buildRequest(parts({ model: "haiku" })).model).toBe("claude-haiku-5-5")
    expect(buildRequest(parts({ model: "new-model" }))).toMatchObject({ model: "new-model", max_tokens: 32_000 })
    expect(buildRequest(parts({ maxTokens: 10 })).max_tokens).toBe(10)
    expect(buildRequest(parts({ maxTokens: 1e9 })).max_tokens).toBe(128_000)
  })

  it("betas are those that the model's requests need", () => {
    expect(betasOf("claude-sonnet-4-5")).toEqual(["interleaved-thinking-2025-05-14"])
    expect(betasOf("claude-opus-4-5")).toEqual(["interleaved-thinking-2025-05-14", "effort-2025-11-24"])
    expect(betasOf("opus")).toEqual(["effort-2025-11-24"])
    expect(betasOf("new-model")).toEqual([])
  })

  it("without a system text or tools there is none in the request", () => {
    const request = buildRequest(parts({ system: "", tools: [] }))
    expect(request).not.toHaveProperty("system")
    expect(request).not.toHaveProperty("tools")
  })
})

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

  it("leaves every other byte of the messages as it was", () => {
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

describe("the system prompt", () => {
  const context = { cwd: "/workspace", model: "claude-opus-5-5", tools: ["Read", "Bash"] }

  it("is the user's own text, untouched", () => {
    expect(systemPromptOf("You are a pirate.", context)).toBe("You are a pirate.")
    expect(systemPromptOf("", context)).toBe("")
  })

  it("tells the working directory when Perch writes it", () => {
    const preset = { type: "preset", preset: "claude_code" } as const
    for (const text of [systemPromptOf(undefined, context), systemPromptOf(preset, context)]) {
      expect(text).toMatch(/^Working directory: \/workspace$/m)
      expect(text).toContain("Perch")
    }
    expect(systemPromptOf({ ...preset, append: "Speak French." }, context)).toMatch(/\n\nSpeak French\.$/)
    expect(systemPromptOf(preset, context)).toContain("Bash is a simulated shell")
    expect(systemPromptOf(preset, { ...context, tools: [] })).not.toContain("Bash")
  })
})

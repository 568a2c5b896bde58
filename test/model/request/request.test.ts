import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { immutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"
import type { Message } from "../../../src/model/request/message-blocks.ts"
import { betasOf, buildRequest, type RequestParts } from "../../../src/model/request/request.ts"
import { systemPromptOf } from "../../../src/model/request/system-prompt.ts"

const CACHED = { type: "ephemeral" } as const

type More = Omit<Partial<RequestParts>, "messages"> & { readonly messages?: ReadonlyArray<Message> }

const parts = ({ messages = [{ role: "user", content: "hi" }], ...more }: More = {}): RequestParts => ({
  model: "claude-opus-5-5",
  system: [{ type: "text", text: "be kind", cache_control: CACHED }],
  messages: messages.map(immutableMessage),
  tools: [{ name: "Read", input_schema: { type: "object" } }],
  sessionId: "0199",
  ...more,
})

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
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "medium" },
      metadata: { user_id: "perch_session_0199" },
    })
  })

  it("a model that thinks by budget gets all but one token, and no effort if it has none", () => {
    const request = buildRequest(parts({ model: "claude-sonnet-4-5", effort: "high" }))
    expect(request.max_tokens).toBe(32_000)
    expect(request.thinking).toEqual({ type: "enabled", budget_tokens: 31_999, display: "summarized" })
    expect(request).not.toHaveProperty("output_config")
  })

  const adaptive = { type: "adaptive", display: "summarized" }
  const enabled = (budget: number) => ({ type: "enabled", budget_tokens: budget, display: "summarized" })

  it.each<readonly [string, Partial<RequestParts>, unknown]>([
    ["claude-opus-5-5", { thinking: { type: "disabled" } }, { type: "disabled" }],
    ["claude-sonnet-4-5", { thinking: { type: "disabled" } }, { type: "disabled" }],
    ["claude-opus-5-5", { thinking: { type: "enabled", budgetTokens: 5000 } }, adaptive],
    ["claude-sonnet-4-5", { thinking: { type: "adaptive" } }, enabled(31_999)],
    ["claude-sonnet-4-5", { thinking: { type: "enabled", budgetTokens: 5000 } }, enabled(5000)],
    ["claude-sonnet-4-5", { thinking: { type: "enabled", budgetTokens: 64_000 } }, enabled(31_999)],
    ["claude-sonnet-4-5", { thinking: { type: "enabled" } }, enabled(31_999)],
    ["claude-sonnet-4-5", { maxThinkingTokens: 0 }, { type: "disabled" }],
    ["claude-sonnet-4-5", { maxThinkingTokens: 8000 }, enabled(8000)],
    ["claude-sonnet-4-5", { maxThinkingTokens: 10 }, enabled(1024)],
    ["claude-opus-5-5", { maxThinkingTokens: 8000 }, adaptive],
    ["claude-opus-5-5", { maxThinkingTokens: 0 }, { type: "disabled" }],
    ["claude-sonnet-4-5", { maxThinkingTokens: 0, thinking: { type: "enabled", budgetTokens: 2000 } }, enabled(2000)],
    ["claude-sonnet-4-5", { maxTokens: 4096 }, enabled(4095)],
    ["claude-sonnet-4-5", { maxTokens: 500 }, { type: "disabled" }],
    ["new-model", {}, undefined],
    ["new-model", { thinking: { type: "adaptive" } }, { type: "adaptive" }],
    ["new-model", { maxThinkingTokens: 2000 }, { type: "enabled", budget_tokens: 2000 }],
  ])("%s with %j", (model, options, thinking) => {
    expect(buildRequest(parts({ model, ...options })).thinking).toEqual(thinking)
  })

  it.each([
    ["summarized", "summarized"],
    ["omitted", "omitted"],
    ["highlights", "updates"],
  ] as const)("thinking that is to be shown as %s is asked for as %s", (display, sent) => {
    for (const model of ["claude-opus-5-5", "claude-sonnet-4-5", "new-model"]) {
      const adaptively = buildRequest(parts({ model, thinking: { type: "adaptive", display } }))
      expect(adaptively.thinking).toMatchObject({ display: sent })
      const byBudget = buildRequest(parts({ model, thinking: { type: "enabled", budgetTokens: 2000, display } }))
      expect(byBudget.thinking).toMatchObject({ display: sent })
    }
  })

  it("effort is the option, and goes only to models that have it", () => {
    expect(buildRequest(parts({ effort: "max" })).output_config).toEqual({ effort: "max" })
    expect(buildRequest(parts({ model: "claude-opus-4-7" })).output_config).toEqual({ effort: "xhigh" })
    expect(buildRequest(parts({ model: "claude-haiku-4-5", effort: "low" }))).not.toHaveProperty("output_config")
    expect(buildRequest(parts({ model: "new-model" }))).not.toHaveProperty("output_config")
    expect(buildRequest(parts({ model: "new-model", effort: "low" })).output_config).toEqual({ effort: "low" })
  })

  it.each([
    ["claude-opus-4-5", "max", "high"],
    ["claude-opus-4-5", "xhigh", "high"],
    ["claude-opus-4-5", "low", "low"],
    ["claude-opus-4-6", "xhigh", "high"],
    ["claude-sonnet-4-6", "max", "max"],
    ["claude-opus-4-7", "xhigh", "xhigh"],
  ] as const)("%s takes the effort %s as %s", (model, effort, sent) => {
    expect(buildRequest(parts({ model, effort })).output_config).toEqual({ effort: sent })
  })

  it("a plain request has no field that only some models and servers know", () => {
    const plain = (model: string, more: Partial<RequestParts> = {}) =>
      buildRequest(parts({ model, plain: true, effort: "low", ...more }))
    for (const model of ["claude-opus-5-5", "claude-opus-4-5", "new-model"]) {
      expect(plain(model)).not.toHaveProperty("output_config")
      expect(plain(model, { thinking: { type: "disabled" } })).not.toHaveProperty("thinking")
      expect(plain(model, { maxTokens: 500 }).thinking).not.toEqual({ type: "disabled" })
    }
    expect(plain("claude-opus-5-5").thinking).toEqual({ type: "adaptive" })
    expect(plain("claude-sonnet-4-5").thinking).toEqual({ type: "enabled", budget_tokens: 31_999 })
    expect(plain("new-model", { thinking: { type: "adaptive" } })).not.toHaveProperty("thinking")
  })

  it("an alias is resolved, an unlisted model gets 32,000 tokens, and maxTokens can only lower them", () => {
    expect(buildRequest(parts({ model: "haiku" })).model).toBe("claude-haiku-5-5")
    expect(buildRequest(parts({ model: "new-model" }))).toMatchObject({ model: "new-model", max_tokens: 32_000 })
    expect(buildRequest(parts({ maxTokens: 10 })).max_tokens).toBe(10)
    expect(buildRequest(parts({ maxTokens: 1e9 })).max_tokens).toBe(128_000)
  })

  it("betas are those that the request needs", () => {
    const betas = (more: Partial<RequestParts>) => betasOf(buildRequest(parts(more)))
    const off = { type: "disabled" } as const
    expect(betas({ model: "claude-sonnet-4-5" })).toEqual(["interleaved-thinking-2025-05-14"])
    expect(betas({ model: "claude-sonnet-4-5", thinking: off })).toEqual([])
    expect(betas({ model: "claude-opus-4-5" })).toEqual(["interleaved-thinking-2025-05-14", "effort-2025-11-24"])
    expect(betas({ model: "opus" })).toEqual(["effort-2025-11-24"])
    expect(betas({ thinking: { type: "adaptive", display: "highlights" } })).toEqual([
      "effort-2025-11-24",
      "thinking-display-updates-2026-08-18",
    ])
    expect(betas({ thinking: { type: "adaptive", display: "omitted" } })).toEqual([
      "effort-2025-11-24",
      "thinking-token-count-2026-05-13",
    ])
    expect(betas({ model: "new-model" })).toEqual([])
    expect(betas({ model: "new-model", effort: "low" })).toEqual(["effort-2025-11-24"])
  })

  it("without a system text or tools there is none in the request", () => {
    const request = buildRequest(parts({ system: [], tools: [] }))
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

describe("images in prompts", () => {
  const image = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })
  const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } }

  it("stay as they are and are numbered, in the order of the conversation", () => {
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

  it("are not made again for the next request, nor is a prompt that came with a breakpoint of its own", () => {
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

  it("the breakpoint is after the number of an image that is last", () => {
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

describe("the system prompt", () => {
  const context = { cwd: "/workspace", model: "claude-opus-5-5", tools: ["Read", "Bash"] }
  const BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__"
  const textsOf = (option: Parameters<typeof systemPromptOf>[0]) =>
    systemPromptOf(option, context).map((block) => block.text)
  const preset = { type: "preset", preset: "claude_code" } as const

  it("is the user's own texts, untouched, a block each, the last one cached", () => {
    expect(systemPromptOf("You are a pirate.", context)).toEqual([
      { type: "text", text: "You are a pirate.", cache_control: CACHED },
    ])
    const blocks = [
      { type: "text", text: " One.\n" },
      { type: "text", text: "Two.", cache_control: CACHED },
    ]
    expect(systemPromptOf([" One.\n", "", "Two."], context)).toEqual(blocks)
    expect(systemPromptOf({ type: "custom", prompt: [" One.\n", "Two."] }, context)).toEqual(blocks)
    expect(textsOf({ type: "custom", prompt: "One." })).toEqual(["One."])
  })

  it("names the working directory when Perch writes it", () => {
    for (const option of [undefined, preset]) {
      const [text = "", ...more] = textsOf(option)
      expect(more).toEqual([])
      expect(text).toMatch(/^Working directory: \/workspace$/m)
      expect(text).toContain("Perch")
    }
    expect(textsOf(preset)[0]).toContain("Bash is a simulated shell")
    expect(systemPromptOf(preset, { ...context, tools: [] })[0]?.text).not.toContain("Bash")
  })

  it("is the same for no option and for blank texts, as the SDK's client sends them", () => {
    for (const option of ["", [], [""], [" \n", ""], { type: "custom", prompt: "" } as const]) {
      expect(systemPromptOf(option, context)).toEqual(systemPromptOf(undefined, context))
    }
  })

  it("has what is appended to the preset as a block of its own", () => {
    expect(systemPromptOf({ ...preset, append: "Speak French." }, context)).toEqual([
      { type: "text", text: textsOf(preset)[0] },
      { type: "text", text: "Speak French.", cache_control: CACHED },
    ])
    expect(textsOf({ ...preset, append: "" })).toHaveLength(1)
  })

  it("caches what comes before the SDK's boundary, which is not sent", () => {
    const expected = [
      { type: "text", text: "fixed" },
      { type: "text", text: "rules", cache_control: CACHED },
      { type: "text", text: "today" },
    ]
    expect(systemPromptOf(["fixed", "rules", BOUNDARY, "today"], context)).toEqual(expected)
    expect(systemPromptOf(`rules\n${BOUNDARY}\ntoday`, context)).toEqual([
      { type: "text", text: "rules\n", cache_control: CACHED },
      { type: "text", text: "\ntoday" },
    ])
    expect(systemPromptOf([BOUNDARY, "today"], context)).toEqual([
      { type: "text", text: "today", cache_control: CACHED },
    ])
    expect(textsOf(`about ${BOUNDARY}`)).toEqual([`about ${BOUNDARY}`])
  })
})

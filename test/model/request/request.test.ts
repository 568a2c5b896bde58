// The fields of a model request: limits, thinking, effort and betas, by model and options.
import { describe, expect, it } from "vitest"
import { betasOf, buildRequest, type RequestParts } from "../../../src/model/request/request.ts"
import { CACHED, parts } from "./request-parts.ts"

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

  it("a model with a thinking budget gets all tokens but one, and no effort if it has none", () => {
    const request = buildRequest(parts({ model: "claude-sonnet-4-5", effort: "high" }))
    expect(request.max_tokens).toBe(32_000)
    expect(request.thinking).toEqual({ type: "enabled", budget_tokens: 31_999, display: "summarized" })
    expect(request).not.toHaveProperty("output_config")
  })

  const adaptive = { type: "adaptive", display: "summarized" }
  const enabled = (budget: number) => ({ type: "enabled", budget_tokens: budget, display: "summarized" })

  it.each<readonly [string, Partial<RequestParts>, unknown]>([
    ["claude-opus-5", { thinking: { type: "disabled" } }, { type: "disabled" }],
    ["claude-opus-5-5", { thinking: { type: "disabled" } }, adaptive],
    ["claude-sonnet-5-5", { thinking: { type: "disabled" } }, adaptive],
    ["claude-haiku-5-5", { thinking: { type: "disabled" } }, adaptive],
    ["claude-fable-5", { thinking: { type: "disabled" } }, adaptive],
    ["claude-mythos-5-2", { thinking: { type: "disabled" } }, adaptive],
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
    ["claude-opus-5", { maxThinkingTokens: 0 }, { type: "disabled" }],
    ["claude-opus-5-5", { maxThinkingTokens: 0 }, adaptive],
    ["claude-sonnet-4-5", { maxThinkingTokens: 0, thinking: { type: "enabled", budgetTokens: 2000 } }, enabled(2000)],
    ["claude-sonnet-4-5", { variant: "low" }, enabled(5000)],
    ["claude-sonnet-4-5", { variant: "medium" }, enabled(10_000)],
    ["claude-sonnet-4-5", { variant: "high" }, enabled(31_999)],
    ["claude-sonnet-4-5", { variant: "default" }, enabled(10_000)],
    ["claude-sonnet-4-5", { variant: "high", maxThinkingTokens: 2000 }, enabled(2000)],
    ["claude-opus-5-5", { variant: "high" }, adaptive],
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

  it("effort is the option, and is only sent to models that support it", () => {
    expect(buildRequest(parts({ effort: "max" })).output_config).toEqual({ effort: "max" })
    expect(buildRequest(parts({ model: "claude-opus-4-7" })).output_config).toEqual({ effort: "xhigh" })
    expect(buildRequest(parts({ model: "claude-fable-5-1" })).output_config).toEqual({ effort: "high" })
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

  it("a plain request has no field that only some models and servers support", () => {
    const plain = (model: string, more: Partial<RequestParts> = {}) =>
      buildRequest(parts({ model, plain: true, effort: "low", ...more }))
    for (const model of ["claude-opus-5", "claude-opus-4-5", "new-model"]) {
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

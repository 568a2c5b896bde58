import { describe, expect, it } from "vitest"
import { listModels, listProviders, modelNamed } from "../../../src/model/catalogue/model-list.ts"
import { costOf } from "../../../src/model/catalogue/prices.ts"
import { modelInfos } from "../../../src/model/catalogue/model-infos.ts"
import { windowBetas, windowOf } from "../../../src/model/catalogue/window.ts"
import {
  apiModelOf,
  contextWindowOf,
  DEFAULT_MODEL,
  maxOutputOf,
  PRICE_VERSION,
  resolveModel,
} from "../../../src/model/catalogue/models.ts"

describe("model names", () => {
  it.each([
    ["opus", "claude-opus-5-5"],
    ["sonnet", "claude-sonnet-5-5"],
    ["haiku", "claude-haiku-5-5"],
    ["fable", "claude-fable-5-2"],
    ["best", "claude-opus-5-5"],
    ["default", "claude-opus-5-5"],
    ["opusplan", "claude-sonnet-5-5"],
    ["Sonnet", "claude-sonnet-5-5"],
    [" HAIKU ", "claude-haiku-5-5"],
  ])("the alias %s means %s", (alias, id) => {
    expect(resolveModel(alias)).toMatchObject({ id, listed: { id } })
  })

  it.each([
    ["claude-sonnet-4-20250514", "claude-sonnet-4-0"],
    ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["claude-opus-5-5-20261001", "claude-opus-5-5"],
  ])("the dated id %s is sent as it is and known as %s", (id, canonical) => {
    expect(resolveModel(id)).toMatchObject({ id, listed: { id: canonical } })
  })

  it.each(["claude-opus-9", "gpt-5", "claude-opus-5-5-preview", "perch-offline", "constructor", "__proto__", ""])(
    "the unlisted name %j passes through without an entry",
    (name) => {
      expect(resolveModel(name)).toEqual({ id: name, listed: null })
    },
  )

  it.each([
    ["opus", 1_000_000, 128_000],
    ["claude-sonnet-4-5-20250929", 200_000, 32_000],
    ["claude-opus-4-6", 200_000, 64_000],
    ["new-model", 1_000_000, 32_000],
  ])("%s reads %i tokens and answers up to %i", (model, window, output) => {
    expect(contextWindowOf(model)).toBe(window)
    expect(maxOutputOf(model)).toBe(output)
  })

  it.each([
    ["claude-opus-4-6[1m]", "claude-opus-4-6[1m]", "claude-opus-4-6"],
    ["claude-sonnet-4-5-20250929[1M]", "claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5-20250929"],
    ["sonnet[1m]", "claude-sonnet-5-5", "claude-sonnet-5-5"],
    ["my-model[1m]", "my-model[1m]", "my-model"],
  ])("%s asks for a window of a million tokens", (name, id, sent) => {
    expect(resolveModel(name).id).toBe(id)
    expect(apiModelOf(resolveModel(name).id)).toBe(sent)
    expect(resolveModel(name).listed).toEqual(resolveModel(sent).listed)
    expect(contextWindowOf(name)).toBe(1_000_000)
    expect(windowBetas({}, name)).toEqual(id === sent ? [] : ["context-1m-2025-08-07"])
  })

  it.each([
    ["claude-sonnet-4-5", 1_000_000],
    ["claude-sonnet-4-6", 1_000_000],
    ["claude-opus-4-6", 1_000_000],
    ["claude-opus-4-5", 200_000],
    ["claude-haiku-4-5", 200_000],
  ])("%s has a window of %i tokens with the beta for a million", (name, window) => {
    expect(windowOf({ betas: ["context-1m-2025-08-07"] }, name)).toBe(window)
    expect(windowOf({}, name)).toBe(200_000)
  })

  it("the default model is listed", () => {
    expect(resolveModel(DEFAULT_MODEL).listed?.id).toBe("claude-opus-5-5")
  })
})

describe("the model list", () => {
  it("has nineteen models, each with limits and dated prices", () => {
    const models = listModels()
    expect(models).toHaveLength(19)
    expect(PRICE_VERSION).toMatch(/^\d{4}-\d\d-\d\d$/)
    for (const model of models) {
      expect(model).toMatchObject({
        type: "model",
        pricing: { as_of: PRICE_VERSION, usd_per_thousand_web_searches: 10 },
      })
      expect(model.max_output_tokens).toBeGreaterThanOrEqual(32_000)
      expect(model.context_window).toBeGreaterThanOrEqual(200_000)
      expect(["enabled", "adaptive"]).toContain(model.thinking)
      for (const rate of Object.values(model.pricing.usd_per_million)) expect(rate).toBeGreaterThan(0)
    }
  })

  it("shows a model with its aliases, effort and tiers", () => {
    const byId = new Map(listModels().map((model) => [model.id, model]))
    expect(byId.get("claude-opus-5-5")).toEqual({
      id: "claude-opus-5-5",
      name: "Claude Opus 5.5",
      cost: { input: 4, output: 20, cache: { read: 0.2, write: 5 } },
      context: 1_000_000,
      variants: {
        low: { effort: "low" },
        medium: { effort: "medium" },
        high: { effort: "high" },
        default: { effort: "medium" },
      },
      dated_ids: [],
      display_name: "Claude Opus 5.5",
      type: "model",
      context_window: 1_000_000,
      max_output_tokens: 128_000,
      pricing: {
        usd_per_million: { input: 4, output: 20, cacheRead: 0.2, cacheWrite5m: 5, cacheWrite1h: 8 },
        usd_per_thousand_web_searches: 10,
        as_of: PRICE_VERSION,
      },
      features: ["thinking", "vision", "effort", "1m-context"],
      aliases: ["opus", "best", "default"],
      thinking: "adaptive",
      effort: { default: "medium" },
    })
    expect(byId.get("claude-haiku-5-5")?.pricing.tiers).toHaveLength(2)
    expect(byId.get("claude-sonnet-4-5")).not.toHaveProperty("effort")
  })

  it("finds a model by its id, a dated id or an alias, and no other", () => {
    for (const name of ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"]) {
      expect(modelNamed(name)).toMatchObject({
        id: "claude-sonnet-4-5",
        dated_ids: ["claude-sonnet-4-5-20250929"],
        features: ["thinking", "vision", "1m-context"],
        context_with_beta: { beta: "context-1m-2025-08-07", context_window: 1_000_000 },
        variants: {
          low: { budget_tokens: 5000 },
          medium: { budget_tokens: 10_000 },
          high: { budget_tokens: 31_999, requested_budget_tokens: 50_000 },
          default: { budget_tokens: 10_000 },
        },
      })
    }
    expect(modelNamed("opus")).toMatchObject({ id: "claude-opus-5-5" })
    expect(modelNamed("claude-opus-5-5")).not.toHaveProperty("context_with_beta")
    expect(modelNamed("gpt-5")).toBeNull()
  })

  it("as one provider has every model by its dated id if there is one, with the price that costs are computed from", () => {
    const [anthropic, ...others] = listProviders()
    expect(others).toEqual([])
    expect(anthropic).toMatchObject({ id: "anthropic", name: "Anthropic" })
    const models = anthropic?.models ?? {}
    expect(Object.keys(models)).toHaveLength(listModels().length)
    for (const [id, model] of Object.entries(models)) {
      expect(model.id).toBe(id)
      const used = modelNamed(id)
      expect(model.cost).toMatchObject({ input: used?.pricing.usd_per_million.input })
      const million = { input_tokens: 1_000_000, output_tokens: 0 }
      // The first tier is for small prompts: the test prompts of a model with tiers are smaller.
      const usage = used?.pricing.tiers === undefined ? million : { input_tokens: 1000, output_tokens: 0 }
      expect(costOf(id, usage)).toBeCloseTo((model.cost.input * usage.input_tokens) / 1_000_000, 9)
    }
    expect(Object.keys(models)).toContain("claude-haiku-4-5-20251001")
  })
})

describe("the models that clients offer", () => {
  const byValue = new Map(modelInfos().map((info) => [info.value, info]))

  it("are all listed ones, each once, after the default", () => {
    const [first, ...others] = modelInfos()
    expect(first).toMatchObject({ value: "default", resolvedModel: DEFAULT_MODEL })
    expect(others.map(({ resolvedModel }) => resolvedModel)).toEqual(listModels().map(({ id }) => id))
    expect(byValue.size).toBe(others.length + 1)
    for (const { value, resolvedModel } of modelInfos()) expect(resolveModel(value).id).toBe(resolvedModel)
  })

  it("have a name, a description, and their support of thinking and effort", () => {
    expect(byValue.get("opus")).toEqual({
      value: "opus",
      resolvedModel: "claude-opus-5-5",
      displayName: "Claude Opus 5.5",
      description: "1000k tokens of context, $4 in and $20 out per million tokens",
      supportsEffort: true,
      supportedEffortLevels: ["low", "medium", "high", "xhigh", "max"],
      supportsAdaptiveThinking: true,
    })
    expect(byValue.get("claude-opus-4-5")).toMatchObject({ supportedEffortLevels: ["low", "medium", "high"] })
    expect(byValue.get("claude-opus-4-5")).not.toHaveProperty("supportsAdaptiveThinking")
    expect(byValue.get("claude-opus-4-6")).toMatchObject({ supportedEffortLevels: ["low", "medium", "high", "max"] })
    expect(byValue.get("claude-sonnet-4-5")).not.toHaveProperty("supportsEffort")
  })
})

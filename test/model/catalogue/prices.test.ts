// The figures in these tables were calculated by hand from the list prices.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  addModelUsage,
  addUsage,
  addUsd,
  costOf,
  type ModelUsage,
  modelUsageOf,
} from "../../../src/model/catalogue/prices.ts"
import { emptyUsage } from "../../../src/schemas/sdk/messages/empty-usage.ts"
import { EVERY_KIND, EVERY_KIND_USD } from "../../support/values/price-table.ts"

const HUNDRED_THOUSAND = 100_000

/** USD for 100,000 tokens of each kind: input, output, cache read, cache write 5 m, cache write 1 h. */
const PER_HUNDRED_THOUSAND: ReadonlyArray<readonly [string, number, number, number, number, number]> = [
  ["claude-sonnet-4-0", 0.3, 1.5, 0.03, 0.375, 0.6],
  ["claude-sonnet-4-5", 0.3, 1.5, 0.03, 0.375, 0.6],
  ["claude-sonnet-4-6", 0.3, 1.5, 0.03, 0.375, 0.6],
  ["claude-sonnet-5", 0.2, 1, 0.02, 0.25, 0.4],
  ["claude-sonnet-5-5", 0.2, 1, 0.01, 0.25, 0.4],
  ["claude-haiku-4-5", 0.1, 0.5, 0.01, 0.125, 0.2],
  ["claude-haiku-5-5", 0.01, 0.05, 0.001, 0.0125, 0.02],
  ["claude-opus-4-5", 0.5, 2.5, 0.05, 0.625, 1],
  ["claude-opus-4-6", 0.5, 2.5, 0.05, 0.625, 1],
  ["claude-opus-4-7", 0.5, 2.5, 0.05, 0.625, 1],
  ["claude-opus-4-8", 0.5, 2.5, 0.05, 0.625, 1],
  ["claude-opus-5", 0.5, 2.5, 0.05, 0.625, 1],
  ["claude-opus-5-5", 0.4, 2, 0.02, 0.5, 0.8],
  ["claude-fable-5", 1, 5, 0.1, 1.25, 2],
  ["claude-fable-5-1", 1, 5, 0.025, 1.25, 2],
  ["claude-fable-5-2", 0.8, 4, 0.02, 1, 1.6],
  ["claude-mythos-5", 1, 5, 0.1, 1.25, 2],
  ["claude-mythos-5-1", 1, 5, 0.025, 1.25, 2],
  ["claude-mythos-5-2", 0.8, 4, 0.02, 1, 1.6],
]

describe("list prices", () => {
  it.each(PER_HUNDRED_THOUSAND)(
    "%s: each kind of token has its price",
    (model, input, output, read, write5m, write1h) => {
      const n = HUNDRED_THOUSAND
      const writes = (short: number, long: number) => ({
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: short + long,
        cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
      })
      expect(costOf(model, { input_tokens: n, output_tokens: 0 })).toBe(input)
      expect(costOf(model, { input_tokens: 0, output_tokens: n })).toBe(output)
      expect(costOf(model, { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: n })).toBe(read)
      expect(costOf(model, writes(n, 0))).toBe(write5m)
      expect(costOf(model, writes(0, n))).toBe(write1h)
      expect(costOf(model, { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: n })).toBe(write5m)
      expect(costOf(model, { input_tokens: 0, output_tokens: 0, server_tool_use: { web_search_requests: 1000 } })).toBe(
        10,
      )
    },
  )

  it.each(EVERY_KIND_USD)("%s: a request that used every kind costs %d", (model, usd) => {
    expect(costOf(model, EVERY_KIND)).toBe(usd)
  })

  it.each([
    ["opus", 0.0488],
    ["haiku", 0.03048],
    ["claude-opus-4-5-20251101", 0.054],
    ["claude-sonnet-4-20250514", 0.0444],
  ])("%s costs what the model behind the name costs", (name, usd) => {
    expect(costOf(name, EVERY_KIND)).toBe(usd)
  })

  it("a model that is not listed costs what the default model does, and its sums are marked as having an unknown price", () => {
    const usd = costOf("claude-opus-9", EVERY_KIND)
    expect(usd).toBe(costOf("claude-opus-5-5", EVERY_KIND))
    expect(modelUsageOf("claude-opus-9", EVERY_KIND, usd)).toMatchObject({ costUSD: usd, costBasis: "unknown" })
  })

  it("tokens of an answer that was made in the US cost a tenth more, but not its web searches", () => {
    const usage = {
      input_tokens: 1000,
      output_tokens: 1000,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 1000,
      server_tool_use: { web_search_requests: 2 },
    }
    expect(costOf("claude-opus-5-5", { ...usage, inference_geo: "us" })).toBe(0.05212)
    expect(costOf("claude-opus-5-5", { ...usage, inference_geo: "global" })).toBe(0.0492)
  })

  it.each([
    ["claude-opus-4-6", 0.05, 0.2],
    ["claude-opus-4-8", 0.05, 0.08],
    ["claude-opus-5-5", 0.044, 0.068],
    ["claude-sonnet-5-5", 0.032, 0.032],
    ["claude-unlisted-9", 0.044, 0.044],
  ])("in fast mode, the tokens of %s cost as in the official SDK, and web searches the same", (model, normal, fast) => {
    const usage = { input_tokens: 1000, output_tokens: 1000, server_tool_use: { web_search_requests: 2 } }
    expect(costOf(model, usage)).toBe(normal)
    expect(costOf(model, { ...usage, speed: "fast" })).toBe(fast)
    expect(costOf(model, { ...usage, speed: "standard" })).toBe(normal)
  })

  it("Perch's own answers have no price", () => {
    expect(costOf("perch-offline", {})).toBeNull()
  })

  it("fields that the API omitted, or sent as null, cost nothing", () => {
    expect(costOf("claude-opus-5-5", {})).toBe(0)
    expect(costOf("claude-opus-5-5", { input_tokens: 100, cache_creation: null, server_tool_use: null })).toBe(0.0004)
  })

  it.each([-5, 1e20, 1e308, Number.NaN, "12", true])("a count of %j counts as none, and costs nothing", (odd) => {
    expect(costOf("claude-opus-5-5", { input_tokens: 100, output_tokens: odd })).toBe(0.0004)
  })

  it("cache writes whose lifetime is only partly reported are priced as five minutes", () => {
    const usage = { cache_creation_input_tokens: 1000, cache_creation: { ephemeral_1h_input_tokens: 100 } }
    // 900 · 5 + 100 · 8 = 5,300 per million
    expect(costOf("claude-opus-5-5", usage)).toBe(0.0053)
  })
})

describe("the tiers of claude-haiku-5-5", () => {
  const usage = (written: number) => ({
    input_tokens: 40_000,
    cache_read_input_tokens: 40_000,
    cache_creation_input_tokens: written,
    output_tokens: 1000,
  })

  it("up to 100,000 prompt tokens the first tier applies", () => {
    expect(costOf("claude-haiku-5-5", usage(20_000))).toBe(0.0074)
  })

  it("from one token more the second tier applies to the whole request", () => {
    expect(costOf("claude-haiku-5-5", usage(20_001))).toBe(0.037000625)
  })

  it("output tokens do not count towards the tier", () => {
    expect(costOf("claude-haiku-5-5", { input_tokens: 1, output_tokens: 200_000 })).toBe(0.1000001)
  })
})

describe("sums", () => {
  const requests = fc.array(
    fc.record({
      input_tokens: fc.nat(200_000),
      output_tokens: fc.nat(64_000),
      cache_read_input_tokens: fc.nat(200_000),
      cache_creation_input_tokens: fc.nat(100_000),
    }),
    { maxLength: 20 },
  )

  it("the sum of the requests' costs does not depend on their order", () => {
    fc.assert(
      fc.property(requests, (usages) => {
        const costs = usages.map((usage) => costOf("claude-sonnet-5-5", usage) ?? 0)
        expect(costs.reduce(addUsd, 0)).toBe(costs.toReversed().reduce(addUsd, 0))
      }),
    )
  })

  it("modelUsage adds up requests and their cost", () => {
    const usd = costOf("claude-opus-4-5-20251101", EVERY_KIND)
    const once = addModelUsage({}, "claude-opus-4-5-20251101", EVERY_KIND, usd)
    const twice = addModelUsage(
      once,
      "claude-opus-4-5-20251101",
      { ...EVERY_KIND, output_tokens_details: { thinking_tokens: 7 } },
      usd,
    )
    const expected: ModelUsage = {
      inputTokens: 2000,
      outputTokens: 1000,
      cacheReadInputTokens: 4000,
      cacheCreationInputTokens: 1400,
      webSearchRequests: 6,
      costUSD: 0.108,
      contextWindow: 200_000,
      maxOutputTokens: 32_000,
      thinkingTokens: 7,
      cacheCreationEphemeral5mInputTokens: 800,
      cacheCreationEphemeral1hInputTokens: 600,
      canonicalModel: "claude-opus-4-5",
      provider: "firstParty",
      costBasis: "list",
    }
    expect(twice).toEqual({ "claude-opus-4-5-20251101": expected })
    expect(once["claude-opus-4-5-20251101"]?.inputTokens).toBe(1000)
  })

  it("modelUsage flags a model without a price and keeps models apart", () => {
    const usage = { input_tokens: 5, output_tokens: 6 }
    const sums = addModelUsage(addModelUsage({}, "claude-opus-9", usage, null), "claude-opus-5-5", usage, 0.00014)
    expect(sums["claude-opus-9"]).toMatchObject({
      inputTokens: 5,
      costUSD: 0,
      costBasis: "unknown",
      canonicalModel: "claude-opus-9",
    })
    expect(sums["claude-opus-5-5"]).toMatchObject({ costUSD: 0.00014, costBasis: "list" })
  })

  it("a model that is called __proto__ is counted like any other", () => {
    const sums = addModelUsage({}, "__proto__", { input_tokens: 1 }, null)
    expect(Object.hasOwn(sums, "__proto__")).toBe(true)
  })

  it("usage has every field, whatever the requests reported", () => {
    expect(addUsage(emptyUsage(), {})).toEqual(emptyUsage())
    const sum = addUsage(addUsage(emptyUsage(), EVERY_KIND), {
      ...EVERY_KIND,
      service_tier: "priority",
      inference_geo: "us",
      output_tokens_details: { thinking_tokens: 40 },
    })
    expect(sum).toEqual({
      input_tokens: 2000,
      cache_creation_input_tokens: 1400,
      cache_read_input_tokens: 4000,
      output_tokens: 1000,
      output_tokens_details: { thinking_tokens: 40 },
      server_tool_use: { web_search_requests: 6, web_fetch_requests: 4 },
      service_tier: "priority",
      cache_creation: { ephemeral_1h_input_tokens: 600, ephemeral_5m_input_tokens: 800 },
      inference_geo: "us",
      iterations: [],
      speed: "standard",
      fallback_credit: null,
    })
  })
})

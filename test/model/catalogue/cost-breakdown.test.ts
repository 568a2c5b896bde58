// The cost of a session, by model and by kind of token.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Accounting } from "../../../src/agent/transcript/accounting.ts"
import { addBreakdowns, breakdownOf, emptyBreakdown } from "../../../src/model/catalogue/cost-breakdown.ts"
import { costOf } from "../../../src/model/catalogue/prices.ts"
import { listModels } from "../../../src/model/catalogue/model-list.ts"
import { EventNames } from "../../../src/schemas/log/events.ts"
import type { CostBreakdown } from "../../../src/schemas/sdk/messages/usage.ts"
import { costReport } from "../../../src/session/session-report.ts"

const MODELS = [...listModels().map(({ id }) => id), "claude-of-another-day"]
const tokens = fc.integer({ min: 0, max: 3_000_000 })
const usages = fc
  .record({
    input: tokens,
    output: tokens,
    read: tokens,
    write5m: tokens,
    write1h: tokens,
    searches: fc.integer({ min: 0, max: 20 }),
  })
  .map(({ input, output, read, write5m, write1h, searches }) => ({
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write5m + write1h,
    cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
    server_tool_use: { web_search_requests: searches },
  }))

const nano = (usd: number): number => Math.round(usd * 1e9)
const kinds = (costs: CostBreakdown): ReadonlyArray<number> => [
  costs.input_cost_usd,
  costs.output_cost_usd,
  costs.cache_read_cost_usd,
  costs.cache_creation_cost_usd,
  costs.web_search_cost_usd ?? 0,
]
const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, usd) => total + nano(usd), 0)

describe("the breakdown of a cost", () => {
  it(`adds up to the cost of any usage of ${MODELS.length} models`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODELS), usages, (model, usage) => {
        const usd = costOf(model, usage)!
        const costs = breakdownOf(model, usage, usd)
        expect(sum(kinds(costs))).toBe(nano(usd))
        expect(nano(costs.total_cost_usd)).toBe(nano(usd))
        for (const amount of kinds(costs)) expect(amount).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it("keeps its sum if the request was charged at other prices, or has no usage", () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODELS), usages, fc.integer({ min: 0, max: 1e12 }), (model, usage, charged) => {
        const costs = breakdownOf(model, usage, charged / 1e9)
        expect(sum(kinds(costs))).toBe(charged)
        for (const amount of kinds(costs)) expect(amount).toBeGreaterThanOrEqual(0)
      }),
    )
    expect(breakdownOf("claude-opus-5-5", {}, 0.5)).toMatchObject({ input_cost_usd: 0.5, total_cost_usd: 0.5 })
    expect(addBreakdowns(emptyBreakdown(), emptyBreakdown())).toEqual(emptyBreakdown())
  })

  it("is reported for each model by /cost, and the models add up to the session's total", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...MODELS), usages), { maxLength: 12 }), (requests) => {
        const accounting = new Accounting(() => undefined)
        for (const [index, [model, usage]] of requests.entries()) {
          accounting.apply({
            seq: index + 1,
            name: EventNames.callFinished,
            uuid: `call-${index}`,
            turn: "t",
            parent_tool_use_id: index % 3 === 0 ? "toolu_1" : null,
            at: 0,
            payload: {
              message_id: `m${index}`,
              request_id: null,
              model,
              usage,
              usd: costOf(model, usage),
              price_version: "",
              duration_ms: 0,
              stop_reason: null,
              wasted: index % 2 === 0,
            },
          })
        }
        const report = costReport(accounting)
        const totals = Object.values(report.costs)
        expect(sum(totals.map((costs) => costs.total_cost_usd))).toBe(nano(report.total_cost_usd))
        for (const costs of totals) expect(sum(kinds(costs))).toBe(nano(costs.total_cost_usd))
        expect(Object.keys(report.costs).toSorted()).toEqual([...new Set(requests.map(([model]) => model))].toSorted())
      }),
    )
  })
})

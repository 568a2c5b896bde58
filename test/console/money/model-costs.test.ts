import { expect, test } from "vitest"
import { modelLines } from "../../../src/console/money/model-costs.ts"

test("each model has its tokens and its cost, the most expensive first; one without a price has no cost", () => {
  const use = { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 30, cacheCreationInputTokens: 0 }
  const lines = modelLines({
    total_cost_usd: 3,
    budget_used_usd: 3,
    has_unpriced: true,
    model_usage: { free: use, small: use, large: use },
    costs: { small: { total_cost_usd: 1 }, large: { total_cost_usd: 2 } },
    cache_hit_rate: 0.75,
    requests: 3,
  })
  expect(lines.map(({ name, usd, hitRate }) => [name, usd, hitRate])).toEqual([
    ["large", 2, 0.75],
    ["small", 1, 0.75],
    ["free", null, 0.75],
  ])
})

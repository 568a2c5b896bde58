// The usage and cost of each model of a session, as rows of a table.
import { hitRateOf } from "./turn-costs.ts"

/** The response of `GET …/cost`. */
export interface SessionCost {
  readonly total_cost_usd: number
  readonly budget_used_usd: number
  readonly has_unpriced: boolean
  readonly model_usage: Readonly<
    Record<
      string,
      {
        readonly inputTokens: number
        readonly outputTokens: number
        readonly cacheReadInputTokens: number
        readonly cacheCreationInputTokens: number
      }
    >
  >
  readonly costs: Readonly<Record<string, { readonly total_cost_usd: number }>>
  readonly cache_hit_rate: number | null
  readonly requests: number
}

/** The rows, the most expensive first; `usd` is null for a model without a price. */
export const modelLines = ({ model_usage, costs }: SessionCost) =>
  Object.entries(model_usage)
    .map(([model, use]) => {
      const tokens = {
        input: use.inputTokens,
        output: use.outputTokens,
        cacheRead: use.cacheReadInputTokens,
        cacheWrite: use.cacheCreationInputTokens,
      }
      const usd = costs[model]?.total_cost_usd ?? null
      return { key: model, name: model, ...tokens, usd, hitRate: hitRateOf(tokens) }
    })
    .toSorted((one, other) => (other.usd ?? 0) - (one.usd ?? 0))

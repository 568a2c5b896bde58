// Receives the usage and cost of an API answer; returns the cost by kind of token, and adds such breakdowns up.
// Invariant: the amounts of a breakdown are whole nano-dollars, and their sum is the cost of the requests in it.
import type { CostBreakdown } from "../../schemas/sdk/messages/usage.ts"
import { addUsd, type CostKinds, nanoCostsOf } from "./prices.ts"

export const emptyBreakdown = (): CostBreakdown => ({
  input_cost_usd: 0,
  output_cost_usd: 0,
  cache_read_cost_usd: 0,
  cache_creation_cost_usd: 0,
  web_search_cost_usd: 0,
  total_cost_usd: 0,
})

/** `usd` is the cost that was recorded for the request: later price changes alter the shares, never the sum. */
export const breakdownOf = (model: string, usage: Readonly<Record<string, unknown>>, usd: number): CostBreakdown => {
  const charged = Math.round(usd * NANO)
  const { input, output, cacheRead, cacheCreation, webSearch } = scaled(nanoCostsOf(model, usage), charged)
  return {
    input_cost_usd: input / NANO,
    output_cost_usd: output / NANO,
    cache_read_cost_usd: cacheRead / NANO,
    cache_creation_cost_usd: cacheCreation / NANO,
    web_search_cost_usd: webSearch / NANO,
    total_cost_usd: charged / NANO,
  }
}

const NANO = 1e9

/** The same proportions, scaled to another sum. The rest from rounding, and an amount without a price, counts as input. */
const scaled = (costs: CostKinds | null, charged: number): CostKinds => {
  const { input, output, cacheRead, cacheCreation, webSearch } = costs ?? NOTHING
  const listed = input + output + cacheRead + cacheCreation + webSearch
  const share = (amount: number): number =>
    listed === charged ? amount : listed === 0 ? 0 : Math.floor((amount / listed) * charged)
  const others = {
    output: share(output),
    cacheRead: share(cacheRead),
    cacheCreation: share(cacheCreation),
    webSearch: share(webSearch),
  }
  return { input: charged - others.output - others.cacheRead - others.cacheCreation - others.webSearch, ...others }
}

const NOTHING: CostKinds = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, webSearch: 0 }

/** The sum of two breakdowns, in whole nano-dollars. */
export const addBreakdowns = (a: CostBreakdown, b: CostBreakdown): CostBreakdown => ({
  input_cost_usd: addUsd(a.input_cost_usd, b.input_cost_usd),
  output_cost_usd: addUsd(a.output_cost_usd, b.output_cost_usd),
  cache_read_cost_usd: addUsd(a.cache_read_cost_usd, b.cache_read_cost_usd),
  cache_creation_cost_usd: addUsd(a.cache_creation_cost_usd, b.cache_creation_cost_usd),
  web_search_cost_usd: addUsd(a.web_search_cost_usd ?? 0, b.web_search_cost_usd ?? 0),
  total_cost_usd: addUsd(a.total_cost_usd, b.total_cost_usd),
})

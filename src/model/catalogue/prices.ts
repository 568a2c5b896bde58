// Receives the usage object of an API answer; returns its cost, and adds it to the sums of a `result` message.
// Invariant: a model that is not listed is priced as the default model, as in the official SDK, with the cost basis
// "unknown"; only answers that Perch makes itself have no price.
import { type ModelUsage, type NonNullableUsage, usageCount } from "../../schemas/sdk/messages/usage.ts"
import {
  contextWindowOf,
  DEFAULT_MODEL,
  maxOutputOf,
  type ModelEntry,
  OFFLINE_MODEL,
  type Rates,
  resolveModel,
} from "./models.ts"

export type { ModelUsage, NonNullableUsage }

/** The counts of one request; those that the API left out are 0. */
interface Counts {
  readonly input: number
  readonly output: number
  readonly thinking: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Cache writes with a lifetime of an hour; the rest is priced as five minutes. */
  readonly cacheWrite1h: number
  /** Cache writes that the API reported with a lifetime of five minutes. */
  readonly cacheWrite5m: number
  readonly webSearches: number
  readonly webFetches: number
}

type Fields = Readonly<Record<string, unknown>>

const numberAt = (fields: unknown, key: string): number => {
  if (typeof fields !== "object" || fields === null) return 0
  // An object that is not null can be read by any key.
  return usageCount((fields as Fields)[key])
}

const countsOf = (usage: Fields): Counts => {
  const write5m = numberAt(usage["cache_creation"], "ephemeral_5m_input_tokens")
  const write1h = numberAt(usage["cache_creation"], "ephemeral_1h_input_tokens")
  return {
    input: numberAt(usage, "input_tokens"),
    output: numberAt(usage, "output_tokens"),
    thinking: numberAt(usage["output_tokens_details"], "thinking_tokens"),
    cacheRead: numberAt(usage, "cache_read_input_tokens"),
    cacheWrite: Math.max(numberAt(usage, "cache_creation_input_tokens"), write5m + write1h),
    cacheWrite1h: write1h,
    cacheWrite5m: write5m,
    webSearches: numberAt(usage["server_tool_use"], "web_search_requests"),
    webFetches: numberAt(usage["server_tool_use"], "web_fetch_requests"),
  }
}

/** The rates of a request. The tier of its prompt tokens applies to the whole request. */
const ratesFor = (entry: ModelEntry, counts: Counts): Rates => {
  const prompt = counts.input + counts.cacheRead + counts.cacheWrite
  const tier = entry.tiers?.find((one) => one.upToPromptTokens === undefined || prompt <= one.upToPromptTokens)
  return tier?.usdPerMillion ?? entry.usdPerMillion
}

const NANO = 1e9

/** USD per million tokens as nano-dollars per token: a whole number for every listed price, so that sums don't drift. */
const nanoOf = (usdPerMillion: number): number => Math.round(usdPerMillion * 1000)

/** The cost of a request in nano-dollars, by kind. */
export interface CostKinds {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheCreation: number
  readonly webSearch: number
}

/** The cost by list price, or by the default model's price when the model is not listed; null for answers of Perch itself. */
export const nanoCostsOf = (modelId: string, usage: Fields): CostKinds | null => {
  if (modelId === OFFLINE_MODEL) return null
  const own = resolveModel(modelId).listed
  const listed = own ?? resolveModel(DEFAULT_MODEL).listed
  if (listed === null) return null
  const counts = countsOf(usage)
  const rates = ratesFor(listed, counts)
  // As the official SDK: a request that the API computed in the US (`inference_geo`) costs a tenth more for its tokens.
  const tenths = usage["inference_geo"] === "us" ? 11 : 10
  const factor = usage["speed"] === "fast" ? (own?.fastFactor ?? 1) : 1
  const nano = (usdPerMillion: number) => (nanoOf(usdPerMillion) * factor * tenths) / 10
  return {
    input: counts.input * nano(rates.input),
    output: counts.output * nano(rates.output),
    cacheRead: counts.cacheRead * nano(rates.cacheRead),
    cacheCreation:
      (counts.cacheWrite - counts.cacheWrite1h) * nano(rates.cacheWrite5m) +
      counts.cacheWrite1h * nano(rates.cacheWrite1h),
    webSearch: counts.webSearches * Math.round(listed.usdPerThousandWebSearches * 1e6),
  }
}

/** The cost of a request in USD: the sum of `nanoCostsOf`, null without a price. `usage` is the API's own object. */
export const costOf = (modelId: string, usage: Fields): number | null => {
  const costs = nanoCostsOf(modelId, usage)
  if (costs === null) return null
  return (costs.input + costs.output + costs.cacheRead + costs.cacheCreation + costs.webSearch) / NANO
}

/** Adds two amounts of USD in whole nano-dollars: the order of additions does not change the sum. */
export const addUsd = (a: number, b: number): number => (Math.round(a * NANO) + Math.round(b * NANO)) / NANO

/** Adds a request's usage to a turn's. Texts such as the service tier are taken from the latest request. */
export const addUsage = (sum: NonNullableUsage, usage: Fields): NonNullableUsage => {
  const counts = countsOf(usage)
  const tier = usage["service_tier"]
  const geo = usage["inference_geo"]
  const speed = usage["speed"]
  return {
    ...sum,
    input_tokens: sum.input_tokens + counts.input,
    cache_creation_input_tokens: sum.cache_creation_input_tokens + counts.cacheWrite,
    cache_read_input_tokens: sum.cache_read_input_tokens + counts.cacheRead,
    output_tokens: sum.output_tokens + counts.output,
    output_tokens_details: { thinking_tokens: sum.output_tokens_details.thinking_tokens + counts.thinking },
    server_tool_use: {
      web_search_requests: sum.server_tool_use.web_search_requests + counts.webSearches,
      web_fetch_requests: sum.server_tool_use.web_fetch_requests + counts.webFetches,
    },
    service_tier: tier === "priority" || tier === "batch" || tier === "standard" ? tier : sum.service_tier,
    cache_creation: {
      ephemeral_1h_input_tokens: sum.cache_creation.ephemeral_1h_input_tokens + counts.cacheWrite1h,
      ephemeral_5m_input_tokens: sum.cache_creation.ephemeral_5m_input_tokens + counts.cacheWrite5m,
    },
    inference_geo: typeof geo === "string" ? geo : sum.inference_geo,
    speed: speed === "fast" || speed === "standard" ? speed : sum.speed,
  }
}

/** One request as a `modelUsage` entry. `usd` is its cost, null when it has no price. */
export const modelUsageOf = (modelId: string, usage: Fields, usd: number | null): ModelUsage => {
  const { id, listed } = resolveModel(modelId)
  const counts = countsOf(usage)
  return {
    inputTokens: counts.input,
    outputTokens: counts.output,
    cacheReadInputTokens: counts.cacheRead,
    cacheCreationInputTokens: counts.cacheWrite,
    webSearchRequests: counts.webSearches,
    costUSD: usd ?? 0,
    contextWindow: contextWindowOf(modelId),
    maxOutputTokens: maxOutputOf(modelId),
    thinkingTokens: counts.thinking,
    cacheCreationEphemeral5mInputTokens: counts.cacheWrite5m,
    cacheCreationEphemeral1hInputTokens: counts.cacheWrite1h,
    canonicalModel: listed?.id ?? id,
    provider: "firstParty",
    costBasis: listed === null ? "unknown" : "list",
  }
}

/** Adds a request to the session's `modelUsage`, which is keyed by the requested model's id. */
export const addModelUsage = (
  sums: Readonly<Record<string, ModelUsage>>,
  modelId: string,
  usage: Fields,
  usd: number | null,
): Record<string, ModelUsage> => {
  const one = modelUsageOf(modelId, usage, usd)
  const sum = Object.hasOwn(sums, modelId) ? sums[modelId] : undefined
  if (sum === undefined) return { ...sums, [modelId]: one }
  return {
    ...sums,
    [modelId]: {
      ...one,
      inputTokens: sum.inputTokens + one.inputTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
      cacheReadInputTokens: sum.cacheReadInputTokens + one.cacheReadInputTokens,
      cacheCreationInputTokens: sum.cacheCreationInputTokens + one.cacheCreationInputTokens,
      webSearchRequests: sum.webSearchRequests + one.webSearchRequests,
      costUSD: addUsd(sum.costUSD, one.costUSD),
      thinkingTokens: sum.thinkingTokens + one.thinkingTokens,
      cacheCreationEphemeral5mInputTokens:
        sum.cacheCreationEphemeral5mInputTokens + one.cacheCreationEphemeral5mInputTokens,
      cacheCreationEphemeral1hInputTokens:
        sum.cacheCreationEphemeral1hInputTokens + one.cacheCreationEphemeral1hInputTokens,
      costBasis: sum.costBasis === "unknown" ? "unknown" : one.costBasis,
    },
  }
}

// Usage of model requests: as the Messages API reports it, as a `result` message of the SDK sums it up, and with its price.
// Invariant: the API's object is open: unknown fields are kept wherever it is stored.
import * as Schema from "effect/Schema"
import { maybe, open } from "../open.ts"

const Count = Schema.Finite

/** No request has more tokens, or more calls of a server tool. */
const MAX_COUNT = 1_000_000_000

/** A count of a usage as a whole number, for sums: 0 when it is no number, negative, or implausibly large. */
export const usageCount = (value: unknown): number =>
  typeof value === "number" && value > 0 && value <= MAX_COUNT ? Math.round(value) : 0

/** All tokens that a request read and wrote, with and without the cache. */
export const usageTotal = (usage: Readonly<Record<string, unknown>>): number =>
  ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"].reduce(
    (sum, key) => sum + usageCount(usage[key]),
    0,
  )

export const CacheCreation = open({ ephemeral_1h_input_tokens: Count, ephemeral_5m_input_tokens: Count })
export const OutputTokensDetails = open({ thinking_tokens: Count })
export const ServerToolUsage = open({ web_fetch_requests: Count, web_search_requests: Count })
const ServiceTier = Schema.Literals(["standard", "priority", "batch"])
const Speed = Schema.Literals(["standard", "fast"])

/** Whether a credit for a refused request was used. */
export const FallbackCreditUsage = open({
  status: Schema.Union([
    open({ type: Schema.Literal("redeemed") }),
    open({
      type: Schema.Literal("not_applied"),
      reason: Schema.Literals([
        "body_mismatch",
        "continuation_excluded",
        "continuation_only",
        "expired",
        "invalid_target_model",
        "not_enabled",
        "reprice_unavailable",
        "temporarily_unavailable",
        "variant_fields_present",
        "wrong_organization",
        "wrong_platform",
        "wrong_workspace",
      ]),
      remove_to_redeem: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
    }),
  ]),
})
export type FallbackCreditUsage = typeof FallbackCreditUsage.Type

const iteration = {
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation: Schema.NullOr(CacheCreation),
}

/** The steps that one request took on the server. */
export const IterationsUsage = Schema.Array(
  Schema.Union([
    open({ type: Schema.Literal("message"), model: Schema.NullOr(Schema.String), ...iteration }),
    open({ type: Schema.Literal("compaction"), ...iteration }),
    open({ type: Schema.Literal("advisor_message"), model: Schema.String, ...iteration }),
    open({ type: Schema.Literal("fallback_message"), model: Schema.String, ...iteration }),
  ]),
)
export type IterationsUsage = typeof IterationsUsage.Type

const usageDetails = {
  cache_creation_input_tokens: maybe(Count),
  cache_read_input_tokens: maybe(Count),
  output_tokens_details: maybe(OutputTokensDetails),
  server_tool_use: maybe(ServerToolUsage),
  iterations: maybe(IterationsUsage),
  fallback_credit: maybe(FallbackCreditUsage),
}

/** `usage` of an API message. A field that is missing or null was not used, or is unknown to the API. */
export const ApiUsage = open({
  input_tokens: Count,
  output_tokens: Count,
  ...usageDetails,
  service_tier: maybe(ServiceTier),
  cache_creation: maybe(CacheCreation),
  inference_geo: maybe(Schema.String),
  speed: maybe(Speed),
})
export type ApiUsage = typeof ApiUsage.Type

/** `usage` of a `message_delta` event: the counts so far. */
export const ApiDeltaUsage = open({ input_tokens: maybe(Count), output_tokens: Count, ...usageDetails })
export type ApiDeltaUsage = typeof ApiDeltaUsage.Type

/** `result.usage`: the turn's tokens, with every field present. */
export const NonNullableUsage = open({
  input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  output_tokens: Count,
  output_tokens_details: OutputTokensDetails,
  server_tool_use: ServerToolUsage,
  service_tier: ServiceTier,
  cache_creation: CacheCreation,
  inference_geo: Schema.String,
  iterations: IterationsUsage,
  speed: Speed,
  fallback_credit: Schema.NullOr(FallbackCreditUsage),
})
export type NonNullableUsage = typeof NonNullableUsage.Type

const modelCounts = {
  inputTokens: Count,
  outputTokens: Count,
  cacheReadInputTokens: Count,
  cacheCreationInputTokens: Count,
  webSearchRequests: Count,
  costUSD: Count,
  contextWindow: Count,
  maxOutputTokens: Count,
}

/**
 * One entry of `result.modelUsage`, as Perch writes it: what a session used of one model. Thinking tokens are part of the
 * output tokens, the two ephemeral counts part of the cache writes. `costBasis` is `unknown` when a request of the model
 * had no price; `costUSD` then leaves that request out.
 */
export const ModelUsage = open({
  ...modelCounts,
  thinkingTokens: Count,
  cacheCreationEphemeral5mInputTokens: Count,
  cacheCreationEphemeral1hInputTokens: Count,
  canonicalModel: Schema.String,
  provider: Schema.Literal("firstParty"),
  costBasis: Schema.Literals(["list", "unknown"]),
})
export type ModelUsage = typeof ModelUsage.Type

/** One entry of `result.modelUsage`, as any server of the SDK may write it. */
export const ReportedModelUsage = open({
  ...modelCounts,
  thinkingTokens: Schema.optionalKey(Count),
  cacheCreationEphemeral5mInputTokens: Schema.optionalKey(Count),
  cacheCreationEphemeral1hInputTokens: Schema.optionalKey(Count),
  canonicalModel: Schema.optionalKey(Schema.String),
  provider: Schema.optionalKey(Schema.String),
  costBasis: Schema.optionalKey(Schema.Literals(["list", "managed", "unknown"])),
})
export type ReportedModelUsage = typeof ReportedModelUsage.Type

/** What the four counts, and web searches, cost in USD; the total is their sum. */
export const CostBreakdown = open({
  input_cost_usd: Count,
  output_cost_usd: Count,
  cache_read_cost_usd: Count,
  cache_creation_cost_usd: Count,
  web_search_cost_usd: Schema.optionalKey(Count),
  total_cost_usd: Count,
})
export type CostBreakdown = typeof CostBreakdown.Type

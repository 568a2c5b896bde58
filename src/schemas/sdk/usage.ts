// What a model request used, as the Messages API says it, and the SDK's two sums of it in a `result` message.
// Invariant: the API's object is open: fields that are not known here are kept wherever it is stored.
import { Schema } from "effect"

const Count = Schema.Finite

/** `result.usage`: the turn's tokens, every field present. */
export const NonNullableUsage = Schema.Struct({
  input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  output_tokens: Count,
  output_tokens_details: Schema.Struct({ thinking_tokens: Count }),
  server_tool_use: Schema.Struct({ web_search_requests: Count, web_fetch_requests: Count }),
  service_tier: Schema.Literals(["standard", "priority", "batch"]),
  cache_creation: Schema.Struct({ ephemeral_1h_input_tokens: Count, ephemeral_5m_input_tokens: Count }),
  inference_geo: Schema.String,
  iterations: Schema.Array(Schema.Unknown),
  speed: Schema.Literals(["standard", "fast"]),
  fallback_credit: Schema.NullOr(Schema.Unknown),
})
export type NonNullableUsage = typeof NonNullableUsage.Type

/**
 * One entry of `result.modelUsage`: what a session used of one model. Thinking tokens are part of the output tokens,
 * the two ephemeral counts part of the cache writes. `costBasis` is `unknown` when a request of the model had no price;
 * `costUSD` then leaves that request out.
 */
export const ModelUsage = Schema.Struct({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadInputTokens: Count,
  cacheCreationInputTokens: Count,
  webSearchRequests: Count,
  costUSD: Count,
  contextWindow: Count,
  maxOutputTokens: Count,
  thinkingTokens: Count,
  cacheCreationEphemeral5mInputTokens: Count,
  cacheCreationEphemeral1hInputTokens: Count,
  canonicalModel: Schema.String,
  provider: Schema.Literal("firstParty"),
  costBasis: Schema.Literals(["list", "unknown"]),
})
export type ModelUsage = typeof ModelUsage.Type

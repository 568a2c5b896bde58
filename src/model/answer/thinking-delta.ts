// Receives a stream event; returns what it adds to the count of thinking tokens that clients see while the model thinks.
// Invariant: the count is an estimate for progress; the cost of thinking comes from the answer's usage.
import { tokensOfLength } from "../catalogue/estimate.ts"
import type { RawStreamEvent } from "../messages-api.ts"

/**
 * `estimated_tokens_delta` of a `system/thinking_tokens` message: the API's estimate (which it sends for thinking that is not
 * shown), else a quarter of the characters, at least 1. Null for an event without thinking.
 */
export const thinkingDelta = (event: RawStreamEvent): { readonly estimated_tokens_delta: number } | null => {
  const delta = event["delta"]
  if (event.type !== "content_block_delta" || typeof delta !== "object" || delta === null) return null
  if (!("type" in delta) || delta.type !== "thinking_delta") return null
  const estimate = "estimated_tokens" in delta ? delta.estimated_tokens : null
  if (typeof estimate === "number" && estimate > 0) return { estimated_tokens_delta: estimate }
  const text = "thinking" in delta && typeof delta.thinking === "string" ? delta.thinking : ""
  return text === "" ? null : { estimated_tokens_delta: Math.max(1, tokensOfLength(text.length)) }
}

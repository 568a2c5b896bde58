// Receives the transcript and the session's options; returns the body of one Messages API request.
// Invariant: blocks pass through unchanged, except for the cache breakpoints and the thinking of other models.
import { withBreakpoint } from "./cache-breakpoint.ts"
import { withImageNumbers } from "./image-numbers.ts"
import type { ImmutableMessage } from "../conversation-cache/immutable-message.ts"
import { withOwnThinking } from "./own-thinking.ts"
import type { MessagesRequest } from "../messages-api.ts"
import { apiModelOf, maxOutputOf, resolveModel } from "../catalogue/models.ts"
import type { SystemBlock } from "./system-prompt.ts"
import { effortOf, type ThinkingOptions, thinkingOf } from "./thinking.ts"

export interface RequestParts extends ThinkingOptions {
  /** An id or alias. */
  readonly model: string
  readonly system: ReadonlyArray<SystemBlock>
  readonly messages: ReadonlyArray<ImmutableMessage>
  /** How many of the messages later requests repeat at their start; all of them when it is missing. */
  readonly repeated?: number
  readonly tools: ReadonlyArray<Record<string, unknown>>
  /** The longest answer; null or missing for the longest of the model. */
  readonly maxTokens?: number | null | undefined
  readonly sessionId: string
  /** The lifetime of what the request writes into the API's cache. */
  readonly cacheTtl?: "5m" | "1h"
}

/** Assembles a request. `max_tokens`, thinking and effort follow what the official SDK sends for each model. */
export const buildRequest = (parts: RequestParts): MessagesRequest => {
  const { id, listed } = resolveModel(parts.model)
  const ceiling = maxOutputOf(parts.model)
  const maxTokens = Math.min(parts.maxTokens ?? ceiling, ceiling)
  const thinking = thinkingOf(parts, listed, maxTokens)
  const effort = effortOf(parts, listed)
  const hour = parts.cacheTtl === "1h"
  return {
    model: apiModelOf(id),
    max_tokens: maxTokens,
    ...(parts.system.length === 0 ? {} : { system: hour ? forAnHour(parts.system) : parts.system }),
    messages: withBreakpoint(withImageNumbers(withOwnThinking(parts.messages, id)), {
      ...(parts.repeated === undefined ? {} : { repeated: parts.repeated }),
      hour,
    }),
    ...(parts.tools.length === 0 ? {} : { tools: parts.tools }),
    ...(thinking === null ? {} : { thinking }),
    ...(effort === null ? {} : { output_config: { effort } }),
    metadata: { user_id: `perch_session_${parts.sessionId}` },
  }
}

/** The API requires breakpoints with a longer lifetime to come first, so all breakpoints of a request have the same one. */
const forAnHour = (system: ReadonlyArray<SystemBlock>): ReadonlyArray<SystemBlock> =>
  system.map((block) =>
    block.cache_control === undefined ? block : { ...block, cache_control: { type: "ephemeral", ttl: "1h" } },
  )

/**
 * The betas that a request needs: thinking between tool calls when thinking has a budget (adaptive models do it anyway),
 * effort, thinking that is shown as updates, and token counts of thinking that is not shown.
 */
export const betasOf = (request: MessagesRequest): ReadonlyArray<string> => {
  const { thinking, output_config: config } = request
  const interleaves = thinking?.["type"] === "enabled" && resolveModel(request.model).listed !== null
  return [
    ...(interleaves ? ["interleaved-thinking-2025-05-14"] : []),
    ...(config?.["effort"] === undefined ? [] : ["effort-2025-11-24"]),
    ...(thinking?.["display"] === "updates" ? ["thinking-display-updates-2026-08-18"] : []),
    ...(thinking?.["display"] === "omitted" ? ["thinking-token-count-2026-05-13"] : []),
  ]
}

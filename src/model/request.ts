// Receives the transcript and the session's options; returns the body of one Messages API request.
// Invariant: messages pass through as they are, but for the one cache breakpoint on the last block that can carry it.
import type { Effort, ThinkingConfig } from "../schemas/sdk/options.ts"
import type { MessagesRequest } from "./messages-api.ts"
import { type ModelEntry, resolveModel } from "./models.ts"
import { UNLISTED_MAX_OUTPUT_TOKENS } from "./prices.ts"

type Message = MessagesRequest["messages"][number]
type Block = Readonly<Record<string, unknown>>

export interface RequestParts {
  /** An id or alias. */
  readonly model: string
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<Record<string, unknown>>
  readonly thinking?: ThinkingConfig
  /** The SDK's older option: 0 turns thinking off. `thinking` wins over it. */
  readonly maxThinkingTokens?: number
  readonly effort?: Effort
  readonly maxTokens?: number
  readonly sessionId: string
}

const CACHED = { type: "ephemeral" } as const

/** The least that the API takes as a thinking budget. */
const LEAST_BUDGET = 1024

/** Assembles a request. `max_tokens`, thinking and effort follow what the official SDK sends for each model. */
export const buildRequest = (parts: RequestParts): MessagesRequest => {
  const { id, listed } = resolveModel(parts.model)
  const ceiling = listed?.maxOutputTokens ?? UNLISTED_MAX_OUTPUT_TOKENS
  const maxTokens = Math.min(parts.maxTokens ?? ceiling, ceiling)
  const thinking = thinkingOf(parts, listed, maxTokens)
  const effort = effortOf(parts, listed)
  return {
    model: id,
    max_tokens: maxTokens,
    ...(parts.system === "" ? {} : { system: [{ type: "text", text: parts.system, cache_control: CACHED }] }),
    messages: withBreakpoint(parts.messages),
    ...(parts.tools.length === 0 ? {} : { tools: parts.tools }),
    ...(thinking === null ? {} : { thinking }),
    ...(effort === null ? {} : { output_config: { effort } }),
    metadata: { user_id: `perch_session_${parts.sessionId}` },
  }
}

/**
 * Beta headers that a model's requests need: thinking between tool calls where thinking has a budget (adaptive models do
 * it unasked), and effort where the model has it.
 */
export const betasOf = (model: string): ReadonlyArray<string> => {
  const { listed } = resolveModel(model)
  return [
    ...(listed?.thinking === "enabled" ? ["interleaved-thinking-2025-05-14"] : []),
    ...(listed?.effort === undefined ? [] : ["effort-2025-11-24"]),
  ]
}

const thinkingOf = (parts: RequestParts, listed: ModelEntry | null, maxTokens: number): Block | null => {
  const asked = parts.thinking ?? fromMaxTokens(parts.maxThinkingTokens)
  if (asked?.type === "disabled") return { type: "disabled" }
  if (asked === undefined && listed === null) return null
  const style = listed?.thinking ?? asked?.type
  if (style === "adaptive") return { type: "adaptive" }
  const budget = asked?.type === "enabled" ? asked.budgetTokens : undefined
  // Without room for the least budget the API would refuse the request.
  if (maxTokens <= LEAST_BUDGET) return { type: "disabled" }
  return { type: "enabled", budget_tokens: Math.min(Math.max(budget ?? maxTokens, LEAST_BUDGET), maxTokens - 1) }
}

const fromMaxTokens = (tokens: number | undefined): ThinkingConfig | undefined => {
  if (tokens === undefined) return undefined
  return tokens === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens: tokens }
}

const effortOf = (parts: RequestParts, listed: ModelEntry | null): string | null => {
  if (listed === null) return parts.effort ?? null
  return listed.effort === undefined ? null : (parts.effort ?? listed.effort.default)
}

/** Marks the last block that can carry a breakpoint, and no other: the API takes at most four in a request. */
const withBreakpoint = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const bare = messages.map(withoutBreakpoints)
  for (let at = bare.length - 1; at >= 0; at -= 1) {
    const message = bare[at]
    if (message === undefined) continue
    const blocks = blocksOf(message.content)
    const last = blocks.findLastIndex(canCarry)
    if (last < 0) continue
    const marked = blocks.map((block, index) => (index === last ? { ...block, cache_control: CACHED } : block))
    return bare.with(at, { ...message, content: marked })
  }
  return bare
}

const blocksOf = (content: unknown): ReadonlyArray<Block> => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  // Content is a string or a list of blocks: prompts are decoded at the API, answers by the stream decoder.
  return Array.isArray(content) ? (content as ReadonlyArray<Block>) : []
}

/** Thinking can't carry a breakpoint, and neither can an empty text. */
const canCarry = (block: Block): boolean => {
  if (block["type"] === "thinking" || block["type"] === "redacted_thinking") return false
  return block["type"] !== "text" || block["text"] !== ""
}

/** A breakpoint that a client put into its prompt is dropped. A message without one is returned itself. */
const withoutBreakpoints = (message: Message): Message => {
  const blocks = blocksOf(message.content)
  if (!blocks.some((block) => "cache_control" in block)) return message
  const content = blocks.map((block) =>
    "cache_control" in block
      ? Object.fromEntries(Object.entries(block).filter(([key]) => key !== "cache_control"))
      : block,
  )
  return { ...message, content }
}

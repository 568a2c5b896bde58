// Receives the messages of a request; returns them with one cache breakpoint, which advances with the conversation.
// Invariant: nothing else in them changes, and a message that needs no change is returned as the same object.
import type { ImmutableMessage } from "../conversation-cache/immutable-message.ts"
import { heldOf } from "../conversation-cache/held-message.ts"
import { type Block, blocksOf } from "./message-blocks.ts"
import { memoizeMessage } from "../conversation-cache/memoize-message.ts"
import { anyMessage } from "../conversation-cache/any-message.ts"

const CACHED = { type: "ephemeral" } as const
const CACHED_FOR_AN_HOUR = { type: "ephemeral", ttl: "1h" } as const

/**
 * Marks the last block that can carry a breakpoint, and no other: the API accepts at most four in a request. Only the first
 * `repeated` messages are considered: the rest is not repeated by later requests and not worth caching. `hour`: the cache
 * entry lives for an hour instead of five minutes.
 */
export const withBreakpoint = (
  messages: ReadonlyArray<ImmutableMessage>,
  { repeated = messages.length, hour = false }: { readonly repeated?: number; readonly hour?: boolean } = {},
): ReadonlyArray<ImmutableMessage> => {
  const bare = hasBreakpoints(messages)
    ? messages.map((message) => (hasBreakpoint(message) ? bareMessage(message, "") : message))
    : messages
  for (let at = Math.min(repeated, bare.length) - 1; at >= 0; at -= 1) {
    const message = bare[at]
    if (message === undefined) continue
    const blocks = blocksOf(message)
    const last = blocks.findLastIndex(canCarry)
    if (last < 0) continue
    const cache_control = hour ? CACHED_FOR_AN_HOUR : CACHED
    const marked = blocks.map((block, index) => (index === last ? { ...block, cache_control } : block))
    return bare.with(at, { ...message, content: marked })
  }
  return bare
}

/** Thinking can't carry a breakpoint, and neither can an empty text. */
const canCarry = (block: Block): boolean => {
  if (block["type"] === "thinking" || block["type"] === "redacted_thinking") return false
  return block["type"] !== "text" || block["text"] !== ""
}

const hasBreakpoint = (message: ImmutableMessage): boolean => {
  // Held messages have none.
  if (heldOf(message) !== undefined) return false
  const { content } = message
  return Array.isArray(content) && content.some((block: Block) => "cache_control" in block)
}

const hasBreakpoints = anyMessage(hasBreakpoint)

/** The message without the breakpoints that a client put into its prompt. */
export const withoutBreakpoints = (message: ImmutableMessage): ImmutableMessage =>
  hasBreakpoint(message) ? bareMessage(message, "") : message

const bareMessage = memoizeMessage((message) => {
  const content = blocksOf(message).map((block) =>
    "cache_control" in block
      ? Object.fromEntries(Object.entries(block).filter(([key]) => key !== "cache_control"))
      : block,
  )
  return { ...message, content }
})

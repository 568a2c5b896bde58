// Receives the messages of a request; returns them with cache breakpoints, which advance with the conversation.
// Invariant: nothing else in them changes, and a message that needs no change is returned as the same object.
import { immutableMessage, type ImmutableMessage } from "../conversation-cache/immutable-message.ts"
import { heldOf } from "../conversation-cache/held-message.ts"
import { type Block, blocksOf } from "../../schemas/sdk/messages/blocks.ts"
import { isThinking } from "./message-blocks.ts"
import { memoizeMessage } from "../conversation-cache/memoize-message.ts"
import { anyMessage } from "../conversation-cache/any-message.ts"

const CACHED = { type: "ephemeral" } as const
const CACHED_FOR_AN_HOUR = { type: "ephemeral", ttl: "1h" } as const

/** A breakpoint reads what an earlier one has written if fewer than this many blocks were added since. */
const LOOK_BACK = 20

/**
 * Marks the last block that can carry a breakpoint. If the API would not find the previous request's breakpoint from there,
 * because the answer and its results have too many blocks, that one is marked too, and no others: the API accepts at most four
 * in a request. Only the first `repeated` messages are considered: the rest is not repeated by later requests and not worth
 * caching. `hour`: the cache entry lives for an hour instead of five minutes.
 */
export const withBreakpoint = (
  messages: ReadonlyArray<ImmutableMessage>,
  { repeated = messages.length, hour = false }: { readonly repeated?: number; readonly hour?: boolean } = {},
): ReadonlyArray<ImmutableMessage> => {
  const bare = hasBreakpoints(messages)
    ? messages.map((message) => (hasBreakpoint(message) ? bareMessage(message, "") : message))
    : messages
  const mark = hour ? CACHED_FOR_AN_HOUR : CACHED
  const place = lastPlace(bare, Math.min(repeated, bare.length) - 1)
  if (place === null) return bare
  const marked = withMark(bare, place, mark)
  const answer = bare.findLastIndex(({ role }, at) => at <= place.at && role === "assistant")
  const added = bare
    .slice(answer, place.at)
    .reduce((sum, message) => sum + blocksOf(message.content).length, place.block + 1)
  const before = answer < 0 || added < LOOK_BACK ? null : lastPlace(bare, answer - 1)
  return before === null ? marked : withMark(marked, before, mark)
}

/** Indices of a message, and of a block in it. */
interface Place {
  readonly at: number
  readonly block: number
}

/** The last block that can carry a breakpoint in the messages up to the index `from`. */
const lastPlace = (messages: ReadonlyArray<ImmutableMessage>, from: number): Place | null => {
  for (let at = from; at >= 0; at -= 1) {
    const message = messages[at]
    const block = message === undefined ? -1 : blocksOf(message.content).findLastIndex(canCarry)
    if (block >= 0) return { at, block }
  }
  return null
}

const withMark = (
  messages: ReadonlyArray<ImmutableMessage>,
  { at, block }: Place,
  cache_control: object,
): ReadonlyArray<ImmutableMessage> => {
  const message = messages[at]
  if (message === undefined) return messages
  const content = blocksOf(message.content).map((other, index) =>
    index === block ? { ...other, cache_control } : other,
  )
  return messages.with(at, immutableMessage({ role: message.role, content }))
}

/** Thinking can't carry a breakpoint, and neither can an empty text. */
const canCarry = (block: Block): boolean => {
  if (isThinking(block)) return false
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
  const content = blocksOf(message.content).map(({ cache_control: _, ...block }) => block)
  return { ...message, content }
})

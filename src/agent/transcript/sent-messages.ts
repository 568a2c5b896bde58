// Receives the entries of a conversation; returns the messages that requests send for them.
// Invariant: the message of an unchanged entry is the same object in every request.
import { type Immutable, immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { modelOf, writtenBy } from "../../model/conversation-cache/model-of-message.ts"
import { isSameModel } from "../../model/request/own-thinking.ts"
import { isThinking } from "../../model/request/message-blocks.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import type { ConversationRestarted } from "../../schemas/log/conversation-events.ts"
import { resultContent } from "../messages/result-content.ts"
import { callsLast, resultsFirst } from "./block-order.ts"

/** A message in the form that requests send; a changed message is another object. */
export type ApiMessage = Immutable<{
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Block>
}>

/** One entry of a conversation. */
export interface Entry {
  readonly role: "user" | "assistant"
  readonly content: Array<Block>
  /** The API's message id and the message itself (assistant entries). */
  readonly id?: string
  readonly head?: Readonly<Record<string, unknown>>
  /** The model that wrote it, as it was requested, or as an imported answer names it (assistant entries). */
  model?: string | undefined
  /** True once the message has its stop reason; until then it may be a fragment. */
  complete: boolean
  /** The message that requests send for it, valid while it has `length` blocks; null when it is left out. */
  sent?: { readonly length: number; readonly message: ApiMessage | null }
  /** About how many bytes the events are that have made it. */
  bytes?: number
}

/** True for a text of only white space: the API refuses a whole request because of one. */
export const isBlank = ({ type, text }: Block): boolean =>
  type === "text" && !(typeof text === "string" && /\S/.test(text))

/** A tool result that the API accepts, even if another program or an earlier version wrote it. Other blocks are unchanged. */
const withContent = (block: Block): Block => {
  if (block.type !== "tool_result") return block
  const isError = block["is_error"] === true
  if (block["content"] === undefined && !isError) return block
  const content = resultContent(block["content"] ?? "", isError)
  return content === block["content"] ? block : { ...block, content }
}

/** An entry's message, memoized since blocks are only ever added. Null for one of thinking alone, which the API refuses. */
const sentOf = (entry: Entry): ApiMessage | null => {
  const { role, content, model } = entry
  if (entry.sent?.length === content.length) return entry.sent.message
  const shown = content.filter((block) => !isBlank(block)).map(withContent)
  const ordered = role === "user" ? resultsFirst(shown) : callsLast(shown)
  const nothing = shown.length === 0 || (role === "assistant" && ordered.every(isThinking))
  const message = nothing ? null : writtenBy(immutableMessage({ role, content: [...ordered] }), model)
  entry.sent = { length: content.length, message }
  return message
}

/**
 * The messages followed by those of the entries; adjacent ones with the same role are joined to one message. Answers of two
 * models are joined to one of the second, without the thinking of the first.
 */
export const joined = (before: ReadonlyArray<ApiMessage>, entries: ReadonlyArray<Entry>): ReadonlyArray<ApiMessage> => {
  const messages = [...before]
  for (const entry of entries) {
    const message = sentOf(entry)
    if (message === null) continue
    const last = messages.at(-1)
    if (last?.role !== entry.role) messages.push(message)
    else {
      const [writer, model = writer] = [modelOf(last), modelOf(message)]
      const isOfTwo = writer !== undefined && model !== undefined && !isSameModel(writer, model)
      const before = isOfTwo ? last.content.filter((block) => !isThinking(block)) : last.content
      messages[messages.length - 1] = writtenBy({ ...last, content: [...before, ...message.content] }, model)
    }
  }
  return messages
}

/** The messages in the form in which an event stores them. */
export const storedMessages = (messages: ReadonlyArray<ApiMessage>): ConversationRestarted["messages"] =>
  messages.map((message) => {
    const { role, content } = message
    const model = modelOf(message)
    return { role, content, ...(model === undefined ? {} : { model }) }
  })

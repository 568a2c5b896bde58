// Receives the entries of a conversation; returns the messages that requests send of them.
// Invariant: an entry that has not changed is sent as the same object again.
import { type Immutable, immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { resultContent } from "../messages/result-content.ts"
import { callsAfterText, resultsFirst } from "./block-order.ts"

export type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/** A message as requests send it: a message that changes is another object. */
export type ApiMessage = Immutable<{
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Block>
}>

/** What a conversation is held as. */
export interface Entry {
  readonly role: "user" | "assistant"
  readonly content: Array<Block>
  /** The API's message id and the message itself (assistant entries). */
  readonly id?: string
  readonly head?: Readonly<Record<string, unknown>>
  /** True once the message has its stop reason; until then it may be a fragment. */
  complete: boolean
  /** What requests send of it, while it has `length` blocks. */
  sent?: { readonly length: number; readonly message: ApiMessage | null }
}

/** A text of nothing but white space: the API refuses the whole request for one. */
export const isBlank = ({ type, text }: Block): boolean =>
  type === "text" && !(typeof text === "string" && /\S/.test(text))

/** A tool result as the API takes it, also one that another program or an earlier version wrote. Other blocks are as they are. */
const withContent = (block: Block): Block => {
  if (block.type !== "tool_result") return block
  const isError = block["is_error"] === true
  if (block["content"] === undefined && !isError) return block
  const content = resultContent(block["content"] ?? "", isError)
  return content === block["content"] ? block : { ...block, content }
}

const THINKING = new Set(["thinking", "redacted_thinking"])

/** An entry as the API takes it. One of nothing but thinking is left out: it can't be sent back. Blocks are only ever added. */
const sentOf = (entry: Entry): ApiMessage | null => {
  const { role, content } = entry
  if (entry.sent?.length === content.length) return entry.sent.message
  const shown = content.filter((block) => !isBlank(block)).map(withContent)
  const ordered = role === "user" ? resultsFirst(shown) : callsAfterText(shown)
  const nothing = shown.length === 0 || (role === "assistant" && ordered.every((block) => THINKING.has(block.type)))
  const message = nothing ? null : immutableMessage({ role, content: [...ordered] })
  entry.sent = { length: content.length, message }
  return message
}

/** The messages with those of the entries behind them: one message where the role stays the same. */
export const joined = (before: ReadonlyArray<ApiMessage>, entries: ReadonlyArray<Entry>): ReadonlyArray<ApiMessage> => {
  const messages = [...before]
  for (const entry of entries) {
    const message = sentOf(entry)
    if (message === null) continue
    const last = messages.at(-1)
    if (last?.role !== entry.role) messages.push(message)
    else messages[messages.length - 1] = { ...last, content: [...last.content, ...message.content] }
  }
  return messages
}

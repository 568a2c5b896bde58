// Receives the conversation as requests send it; returns which messages are summarized, and which are preserved.
// Invariant: no call loses its result, and a prompt that no answer follows is preserved.
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { modelOf, writtenBy } from "../../model/conversation-cache/model-of-message.ts"
import { isOfPrompt } from "../transcript/reminders.ts"
import type { ApiMessage } from "../transcript/transcript.ts"

/**
 * `manual`: a user or a client requested it. `full`: the window is nearly used up; `refilled`: a few answers after the turn's
 * last compaction. `refused`: the API refused a request as too long; `oversized`: as a body of too many bytes.
 */
export type CompactionCause = "manual" | "full" | "refilled" | "refused" | "oversized"

export interface CompactionPlan {
  /** Alternative ranges to summarize: if the model's answer to one is empty, the next is tried. */
  readonly summarized: ReadonlyArray<ReadonlyArray<ApiMessage>>
  /** The last answer and the messages after it; of a single exchange only the prompts after it. */
  readonly preserved: ReadonlyArray<ApiMessage>
}

/** The official SDK's error when there is nothing to summarize before the answer that would be preserved. */
export const TOO_FEW_GROUPS = "too_few_groups"

/** The official SDK's answer when the conversation is empty. */
export const NOTHING = "No messages to compact"

/** True when a compaction failed because there was too little to summarize; it does not count as a failure. */
export const isTooShort = (error: string | undefined): boolean => error === TOO_FEW_GROUPS || error === NOTHING

/**
 * The plan; null when the conversation is too short. As the official SDK: a single exchange is summarized by hand, or if it is
 * too long for another prompt; when the window was full again at once, nothing is preserved, since that may be what has filled it.
 */
export const compactionPlan = (messages: ReadonlyArray<ApiMessage>, cause: CompactionCause): CompactionPlan | null => {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const answers = messages.filter(({ role }) => role === "assistant").length
  const [results, prompts] = parts(messages[last + 1])
  const through = [...messages.slice(0, last + 1), ...results]
  if (cause === "refilled") return answers > 0 ? { summarized: [messages], preserved: [] } : null
  if (answers < 2) {
    const isEnough = answers > 0 && (cause === "manual" || cause === "refused")
    return isEnough ? { summarized: [through], preserved: prompts } : null
  }
  const before = messages.slice(0, last)
  // Copies messages that may be held as JSON, since these become part of an event.
  const preserved = messages
    .slice(last)
    .map((message) => writtenBy(immutableMessage({ role: message.role, content: message.content }), modelOf(message)))
  // As the official SDK: an answer to a prompt, or one that a prompt follows, is summarized too, with its calls and their
  // results, although it is preserved.
  const isPrompted = preserved.length > 1 && !endsWithResult(preserved.at(-1))
  const whole = (cause === "manual" || cause === "full") && (isPrompted || !endsWithResult(before.at(-1)))
  return { summarized: [...(whole ? [through] : []), before], preserved }
}

/** The message's results, and its prompts with the reminders among them. */
const parts = (message: ApiMessage | undefined): readonly [ReadonlyArray<ApiMessage>, ReadonlyArray<ApiMessage>] => {
  if (message === undefined) return [[], []]
  const { role, content } = message
  const end = content.findLastIndex(({ type }) => type === "tool_result") + 1
  const part = (blocks: ApiMessage["content"]) => immutableMessage({ role, content: blocks })
  const rest = content.slice(end)
  return [end === 0 ? [] : [part(content.slice(0, end))], rest.some(isOfPrompt) ? [part(rest)] : []]
}

/** True when a tool result comes last, apart from reminders such as hooks' contexts: false for results that a prompt follows. */
const endsWithResult = (message: ApiMessage | undefined): boolean =>
  message?.content.findLast((block) => block.type === "tool_result" || isOfPrompt(block))?.type === "tool_result"

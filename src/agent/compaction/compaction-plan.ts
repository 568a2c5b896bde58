// Receives the conversation as requests send it; returns which messages are summarized, and which are preserved.
// Invariant: the preserved messages start with an answer, so that they can follow the summary, and no call loses its result.
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import type { ApiMessage } from "../transcript/transcript.ts"

/** `manual`: a user or a client requested it. `full`: the window is nearly used up. `refused`: the API refused a request as too long. */
export type CompactionCause = "manual" | "full" | "refused"

export interface CompactionPlan {
  /** Alternative ranges to summarize: if the model's answer to one is empty, the next is tried. */
  readonly summarised: ReadonlyArray<ReadonlyArray<ApiMessage>>
  /** The last answer and the messages after it. */
  readonly preserved: ReadonlyArray<ApiMessage>
}

/** The official SDK's error when there is nothing to summarize before the answer that would be preserved. */
export const TOO_FEW_GROUPS = "too_few_groups"

/** The official SDK's answer when the conversation is empty. */
export const NOTHING = "No messages to compact"

/** True when a compaction failed because there was too little to summarize; it does not count as a failure. */
export const isTooShort = (error: string | undefined): boolean => error === TOO_FEW_GROUPS || error === NOTHING

/** The plan; null when the conversation is too short. A manual compaction summarizes even a single exchange. */
export const compactionPlan = (messages: ReadonlyArray<ApiMessage>, cause: CompactionCause): CompactionPlan | null => {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const answers = messages.filter(({ role }) => role === "assistant").length
  if (answers < 2) return cause === "manual" && answers > 0 ? { summarised: [messages], preserved: [] } : null
  const before = messages.slice(0, last)
  // Copies messages that may be held as JSON, since these become part of an event.
  const preserved = messages.slice(last).map(({ role, content }) => immutableMessage({ role, content }))
  // As the official SDK: an answer to a prompt, or one that a prompt follows, is summarized too, with its calls and their
  // results, although it is preserved.
  const isPrompted = preserved.length > 1 && !endsWithResult(preserved.at(-1))
  const whole = cause !== "refused" && (isPrompted || !endsWithResult(before.at(-1)))
  const through = hasBlock(preserved[0], "tool_use") ? messages.length : last + 1
  return { summarised: [...(whole ? [messages.slice(0, through)] : []), before], preserved }
}

/** True when the last block is a tool result: false for results that a prompt follows. */
const endsWithResult = (message: ApiMessage | undefined): boolean => message?.content.at(-1)?.type === "tool_result"

const hasBlock = (message: ApiMessage | undefined, type: string): boolean =>
  message?.content.some((block) => block.type === type) === true

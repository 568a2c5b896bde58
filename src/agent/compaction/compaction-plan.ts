// Receives the conversation as requests send it; returns which of its messages are summed up, and which stay as they are.
// Invariant: what stays begins with an answer, so that it can follow the message with the summary, and no call loses its result.
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import type { ApiMessage } from "../transcript/transcript.ts"

/** `manual`: a user or a client requested it. `full`: the window is nearly used up. `refused`: the API refused a request as too long. */
export type CompactionCause = "manual" | "full" | "refused"

export interface CompactionPlan {
  /** What the summary is made of. If its answer is empty, the next is tried. */
  readonly summarised: ReadonlyArray<ReadonlyArray<ApiMessage>>
  /** The last answer, and what came after it. */
  readonly preserved: ReadonlyArray<ApiMessage>
}

/** As the official SDK names it: there is nothing to sum up before the answer that would stay. */
export const TOO_FEW_GROUPS = "too_few_groups"

/** As the official SDK answers, when the conversation is empty. */
export const NOTHING = "No messages to compact"

/** True when a compaction that failed with this error found too little to sum up: it was no try. */
export const isTooShort = (error: string | undefined): boolean => error === TOO_FEW_GROUPS || error === NOTHING

/** The plan; null when the conversation is too short for it. Asked by hand, also a single exchange is summed up. */
export const compactionPlan = (messages: ReadonlyArray<ApiMessage>, cause: CompactionCause): CompactionPlan | null => {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const answers = messages.filter(({ role }) => role === "assistant").length
  if (answers < 2) return cause === "manual" && answers > 0 ? { summarised: [messages], preserved: [] } : null
  const before = messages.slice(0, last)
  // Messages may be held as JSON; these become an event.
  const preserved = messages.slice(last).map(({ role, content }) => immutableMessage({ role, content }))
  // As the official SDK: an answer to a prompt, or one that has a prompt behind it, is summed up too, calls with their
  // results, although it stays.
  const isPrompted = preserved.length > 1 && !endsWithResult(preserved.at(-1))
  const whole = cause !== "refused" && (isPrompted || !endsWithResult(before.at(-1)))
  const through = hasBlock(preserved[0], "tool_use") ? messages.length : last + 1
  return { summarised: [...(whole ? [messages.slice(0, through)] : []), before], preserved }
}

/** False for the results of calls that a prompt of the next turn follows. */
const endsWithResult = (message: ApiMessage | undefined): boolean => message?.content.at(-1)?.type === "tool_result"

const hasBlock = (message: ApiMessage | undefined, type: string): boolean =>
  message?.content.some((block) => block.type === type) === true

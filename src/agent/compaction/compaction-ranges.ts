// Receives the conversation as requests send it; returns ranges of messages that a summary may replace, each with the messages
// that are then preserved.
// Invariant: no call loses its result, and a prompt that no answer follows is preserved.
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { modelOf, writtenBy } from "../../model/conversation-cache/model-of-message.ts"
import { estimateMessages } from "../../model/catalogue/estimate.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { CUT_OFF } from "../messages/prompt-text.ts"
import { isBeforeCall, isOfPrompt } from "../transcript/reminders.ts"
import type { ApiMessage, Transcript } from "../transcript/transcript.ts"
import { isEarlierSummary } from "./summary-text.ts"

/**
 * `manual`: a user or a client requested it. `full`: the window is nearly used up; `overfull`: it has no room for a summary;
 * `refilled`: a few answers after the turn's last compaction. `refused`: the API refused a request for its tokens; `oversized`: for
 * its bytes.
 */
export type CompactionCause = "manual" | "full" | "overfull" | "refilled" | "refused" | "oversized"

/** A request that the API refused as too long is assumed to exceed the limit by at least this many tokens. */
const LEAST_EXCESS = 1_000

/** Which messages a summary replaces, and which of the conversation remain after it. */
export interface CompactionRange {
  readonly summarized: ReadonlyArray<ApiMessage>
  /** They start with an answer; when a single exchange is summarized, they are only the prompts after it. */
  readonly preserved: ReadonlyArray<ApiMessage>
}

/** The official SDK's error when there is nothing to summarize before the answer that would be preserved. */
export const TOO_FEW_GROUPS = "too_few_groups"

/** The official SDK's answer when the conversation is empty. */
export const NOTHING = "No messages to compact"

/** True when a compaction failed because there was too little to summarize; it does not count as a failure. */
export const isTooShort = (error: string | undefined): boolean => error === TOO_FEW_GROUPS || error === NOTHING

/** The official SDK's error when even the shortest range is too long for the request for a summary. */
export const EXHAUSTED = "exhausted"

const REPORT: ApiMessage = immutableMessage({ role: "assistant", content: [] })

/** The conversation, with an empty answer for each report of a failed request. As the official SDK: such a report counts as one. */
export const withReports = (transcript: Transcript): ReadonlyArray<ApiMessage> => {
  const messages = transcript.messages()
  const complete = messages.slice(0, -1)
  let rest = messages.slice(-1)
  for (const since of transcript.sinceReports) {
    const [before = [], after = []] = rest.flatMap((message) => split(message, message.content.length - since))
    complete.push(...before, REPORT)
    rest = [...after]
  }
  return [...complete, ...rest]
}

/** The messages as a request sends them: without reports, so that what a user wrote before and after one is one message. */
export const withoutReports = (messages: ReadonlyArray<ApiMessage>): ReadonlyArray<ApiMessage> => {
  const sent: Array<ApiMessage> = []
  for (const message of messages.filter(isSent)) {
    const last = sent.at(-1)
    if (last?.role !== message.role) sent.push(message)
    else sent.splice(-1, 1, immutableMessage({ role: message.role, content: [...last.content, ...message.content] }))
  }
  return sent
}

/**
 * Alternative ranges: if the model's answer to one is empty, or the request for it is too long, the next is tried. Returns none
 * when the conversation is too short. `excess`: which share of the refused request's tokens was too many; null if the API's error
 * does not contain that. As the official SDK: a single exchange is not summarized for a `full` or `oversized` conversation; if
 * `excess` is known, exchanges with that share of the tokens are preserved, at least a tenth; a `refilled` conversation preserves
 * nothing, since its last messages may be what fills the window.
 */
export const compactionRanges = (
  messages: ReadonlyArray<ApiMessage>,
  cause: CompactionCause,
  excess: number | null,
): ReadonlyArray<CompactionRange> => {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const answers = messages.filter(({ role }) => role === "assistant").length
  if (cause === "refilled") return answers > 0 ? [{ summarized: messages, preserved: [] }] : []
  if (answers < 2)
    return hasAnswer(messages) && cause !== "full" && cause !== "oversized" ? [throughLastAnswer(messages)] : []
  const before = rangeBefore(messages, last)
  const { summarized, preserved } = before
  if (cause === "refused") {
    const rest = excess === null ? 0 : leastExcess(messages, excess) - estimateMessages(preserved)
    return [rest > 0 ? (shorterRange(messages, before, rest) ?? before) : before]
  }
  // As the official SDK: the first preserved answer is also part of the summary, with its calls and their results but not with what
  // other hooks than PreToolUse and notes add after them, if it answers a prompt or a prompt follows it.
  const isPrompted = preserved.length > 1 && !hasResult(preserved.at(-1))
  const includesFirst = cause !== "oversized" && (isPrompted || !endsWithoutPrompt(summarized.at(-1)))
  const through = [
    ...messages.slice(0, last + 1),
    ...messages
      .slice(last + 1)
      .map(resultsOf)
      .filter(isSent),
  ]
  return [...(includesFirst ? [{ summarized: through, preserved }] : []), before]
}

/**
 * A range that ends earlier than one whose request for a summary was too long by `excess` tokens, or by a tenth if that is null.
 * Returns null when no answer would be left to summarize. As the official SDK: the last exchanges that have that many tokens
 * together are preserved, or the last half of the exchanges if all together have fewer.
 */
export const shorterRange = (
  messages: ReadonlyArray<ApiMessage>,
  { summarized }: CompactionRange,
  excess: number | null,
): CompactionRange | null => {
  const answers = answersIn(summarized)
  let left = excess ?? leastExcess(summarized, 0)
  for (const [index, at] of [...answers.entries()].toReversed()) {
    left -= estimateMessages(summarized.slice(at, answers[index + 1]))
    if (left <= 0 && index > 0) return rangeBefore(messages, at)
  }
  const at = answers[Math.ceil((answers.length + 1) / 2) - 1]
  return at === undefined || at === answers[0] ? null : rangeBefore(messages, at)
}

/**
 * The last resort: a range without the oldest exchanges, which are lost. `failed` are the messages of the request that was too
 * long by `excess` tokens, and `cut` is the range that this function returned before, or null. Returns null when a single exchange
 * is left. As the official SDK: as many of the oldest exchanges are left out as have `excess` tokens, or a fifth of them if that is
 * null, and only prompts that no answer follows are preserved. If `excess` is known, the summary of an earlier compaction is left
 * out last, when there is nothing else to leave out.
 */
export const withoutOldest = (
  messages: ReadonlyArray<ApiMessage>,
  cut: CompactionRange | null,
  failed: ReadonlyArray<ApiMessage>,
  excess: number | null,
): CompactionRange | null => {
  const { summarized, preserved } = cut ?? throughLastAnswer(messages)
  const first = summarized[0]?.content ?? []
  const summary = first.find(isEarlierSummary)
  const rest = cut === null || summary !== undefined ? summarized : summarized.slice(1)
  const all = answersIn(rest).filter((at) => at > 0)
  // Without these, only the summary would be left out.
  const others = first.every((block) => block === summary || block === OMITTED) ? all.filter((at) => at > 1) : all
  const keepsSummary = summary !== undefined && excess !== null && others.length > 0
  const starts = keepsSummary ? others : all
  const held = keepsSummary ? [{ role: "user" as const, content: [summary] }] : []
  let left = estimateMessages(summarized) - estimateMessages(failed) + (excess ?? 0) + estimateMessages(held)
  const fifth = Math.max(1, Math.floor((starts.length + 1) / 5))
  const enough = (at: number, index: number) => {
    left -= estimateMessages(rest.slice(starts[index - 1] ?? 0, at))
    return left <= 0
  }
  const from = excess === null ? starts[fifth - 1] : (starts.find(enough) ?? starts.at(-1))
  const kept = rest.slice(from)
  if (from === undefined || !kept.some(isSent)) return null
  const content = keepsSummary ? [summary, OMITTED] : [OMITTED]
  return { summarized: [immutableMessage({ role: "user", content }), ...kept], preserved }
}

const OMITTED: Block = { type: "text", text: "[The conversation before this was too long and was left out.]" }

const answersIn = (messages: ReadonlyArray<ApiMessage>): ReadonlyArray<number> =>
  messages.flatMap(({ role }, at) => (role === "assistant" ? [at] : []))

/** By how many tokens a request with these messages is assumed to be too long: by this share of them, but at least by a tenth. */
const leastExcess = (messages: ReadonlyArray<ApiMessage>, share: number): number =>
  Math.max(estimateMessages(messages) * Math.max(share, 0.1), LEAST_EXCESS)

/** The range that ends at this index. Preserved messages are copied, since held ones are JSON and they become part of an event. */
const rangeBefore = (messages: ReadonlyArray<ApiMessage>, at: number): CompactionRange => ({
  summarized: messages.slice(0, at),
  preserved: withoutReports(messages.slice(at)).map((message) =>
    writtenBy(immutableMessage({ role: message.role, content: message.content }), modelOf(message)),
  ),
})

/** The range that ends with the last answer and the results of its calls. */
const throughLastAnswer = (messages: ReadonlyArray<ApiMessage>): CompactionRange => {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const [results, preserved] = resultsAndPrompts(messages[last + 1])
  return { summarized: [...messages.slice(0, last + 1), ...results], preserved }
}

/** The tool results of a user's message, and the prompts in it with the reminders among them. */
const resultsAndPrompts = (
  message: ApiMessage | undefined,
): readonly [ReadonlyArray<ApiMessage>, ReadonlyArray<ApiMessage>] => {
  if (message === undefined) return [[], []]
  const end = message.content.findLastIndex(({ type }) => type === "tool_result") + 1
  const isPrompted = message.content.slice(end).some((block) => isOfPrompt(block) && !CUT_OFF.has(block["text"]))
  return isPrompted || end === 0 ? split(message, end) : [[message], []]
}

/** The tool results in a user's message, with the contexts of PreToolUse hooks. */
const resultsOf = ({ role, content }: ApiMessage): ApiMessage =>
  immutableMessage({ role, content: content.filter((block) => block.type === "tool_result" || isBeforeCall(block)) })

/** The blocks before and after a place, as messages; none for no blocks. */
const split = (
  { role, content }: ApiMessage,
  at: number,
): readonly [ReadonlyArray<ApiMessage>, ReadonlyArray<ApiMessage>] => [
  at > 0 ? [immutableMessage({ role, content: content.slice(0, at) })] : [],
  at < content.length ? [immutableMessage({ role, content: content.slice(at) })] : [],
]

/** True if the model wrote one of the messages. */
const hasAnswer = (messages: ReadonlyArray<ApiMessage>): boolean =>
  messages.some((message) => message.role === "assistant" && isSent(message))

const isSent = ({ content }: ApiMessage): boolean => content.length > 0

const hasResult = (message: ApiMessage | undefined): boolean =>
  message?.content.some(({ type }) => type === "tool_result") === true

/** True when a tool result comes last, apart from reminders such as hooks' contexts, or when there is nothing but reminders. */
const endsWithoutPrompt = (message: ApiMessage | undefined): boolean => {
  const last = message?.content.findLast((block) => block.type === "tool_result" || isOfPrompt(block))
  return last === undefined ? message !== undefined && isSent(message) : last.type === "tool_result"
}

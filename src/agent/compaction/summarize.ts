// Receives alternative ranges of the conversation, the best first; requests a summary of each until the model has written one.
// Returns that, or why there is none.
// Invariant: every answer appends one `call:finished`, whose cost is counted for the compaction, and is sent to SubagentStop
// hooks; the conversation itself does not change, whatever the request's outcome.
import * as Effect from "effect/Effect"
import type { MessagesApi, ModelError } from "../../model/messages-api.ts"
import {
  apiErrorText,
  blamesConversation,
  countFailure,
  finalErrorKind,
  MAX_RETRIES,
  NOTHING_TRIED,
  plan,
} from "../../model/retry.ts"
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { timeoutsOf } from "../../model/live/model-timeouts.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { agentTranscriptPath, fire, hook } from "../calls/hook-events.ts"
import { backgroundTasks, MAX_LENGTH_CONTINUATIONS, MAX_TOKENS_TEXT } from "../conclude.ts"
import { fallbackOf } from "../fallback.ts"
import { LiveAnswer } from "../messages/live-answer.ts"
import { type CallServices, Hooks, type Log, type Turn, TurnContext } from "../ports.ts"
import { beginTry } from "../retry-wait.ts"
import { type SideAnswer, sideAnswer, withQuestion } from "../side-answer.ts"
import type { ApiMessage } from "../transcript/transcript.ts"
import {
  type CompactionCause,
  type CompactionRange,
  EXHAUSTED,
  withReports,
  withoutReports,
} from "./compaction-ranges.ts"
import { SummaryAttempts } from "./summary-attempts.ts"
import { hasSummary, summaryOf, summaryRequestText } from "./summary-text.ts"
import type { SummaryProgress } from "./while-compacting.ts"

/** The model's answer with the messages after those that it summarizes, or why there is none. */
export type Summary =
  | { readonly answer: string; readonly preserved: CompactionRange["preserved"]; readonly failed?: never }
  | { readonly failed: string }

const REFUSED = "the model's safety checks stopped the summary"
const EMPTY = "the model's answer had no summary"

/** Requests a summary of the ranges in order, and of shorter ones if they are too long, until an answer has one. */
export const summarize = Effect.fnUntraced(function* (
  ranges: ReadonlyArray<CompactionRange>,
  { cause, instructions, record, ...asked }: SummaryRequest,
): Effect.fn.Return<Summary, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const request = summaryRequestText(instructions)
  const attempts = new SummaryAttempts(ranges, withReports(turn.memory.transcript), cause)
  // As the official SDK: an answer without the summary's tag is requested again, and used if the next one has no summary.
  let untagged: Extract<Summary, { answer: string }> | null = null
  const end = (failed: string): Summary =>
    untagged !== null && summaryOf(untagged.answer) !== "" ? untagged : { failed }
  for (let range = attempts.current; range !== undefined; range = attempts.current) {
    const answer = yield* Effect.result(askToItsEnd(withQuestion(withoutReports(range.summarized), request), asked))
    if (answer._tag === "Success" && !answer.success.isRefused) {
      const { text } = answer.success
      record.push(...(yield* answered(answer.success)))
      const summary = { answer: text, preserved: range.preserved }
      if (hasSummary(text) && summaryOf(text) !== "") return summary
      if (untagged !== null) return end(EMPTY)
      if (text !== "" && !hasSummary(text)) untagged = summary
      else attempts.skip()
    } else {
      const error = answer._tag === "Failure" ? answer.failure : null
      const failed = error === null ? REFUSED : apiErrorText(error)
      record.push(...(yield* fire("StopFailure", failureFacts(turn, error, failed))).record)
      const next = error === null ? "failed" : attempts.shorten(error)
      if (next !== "shortened") return end(next === "exhausted" ? EXHAUSTED : failed)
    }
  }
  return end(EMPTY)
})

export interface SummaryRequest extends Asked {
  readonly cause: CompactionCause
  readonly instructions: string | null
  /** The hook events so far, to which those of the summary are added. */
  readonly record: Array<NewEvent>
}

interface Asked {
  /** The model that writes the summary; null for the turn's own. */
  readonly model: string | null
  readonly progress: SummaryProgress
}

const failureFacts = (turn: Turn, error: ModelError | null, failed: string) => ({
  agent_id: turn.newUuid(),
  // As the official SDK: the request for a subagent's summary has no agent type.
  ...(turn.agent === undefined ? {} : { agent_type: undefined }),
  // As the official SDK: a refusal is reported as an error of the request.
  error: error === null ? "invalid_request" : finalErrorKind(error),
  ...(error !== null && blamesConversation(error) ? { error_details: error.message } : {}),
  last_assistant_message: failed,
})

/**
 * Calls the hooks of an answer to the request for a summary. As the official SDK: PreToolUse and PostToolBatch for its calls, which
 * are refused; without calls SubagentStop, whose messages are not sent to clients.
 */
const answered = Effect.fnUntraced(function* (
  answer: SideAnswer,
): Effect.fn.Return<ReadonlyArray<NewEvent>, never, CallServices> {
  const turn = yield* TurnContext
  if (answer.calls.length === 0) return (yield* fire("SubagentStop", stopFacts(turn, answer.last))).record
  const agent_id = turn.newUuid()
  const hooks = yield* Hooks
  const events: Array<NewEvent> = []
  /** What the hooks decide has no effect, since the calls are not made. */
  const report = (name: "PreToolUse" | "PostToolBatch", facts: Readonly<Record<string, unknown>>, call?: string) => {
    const event = hook(turn, name, { agent_id, ...facts })
    const { id, input } = event.payload
    events.push(event)
    // A model that is asked again may repeat the id of its call.
    return hooks.listens(name) ? hooks.run(name, input, call, id) : Effect.void
  }
  const calls = answer.calls.map(({ name, input, id }) => ({ tool_name: name, tool_input: input, tool_use_id: id }))
  for (const call of calls) yield* report("PreToolUse", call, String(call.tool_use_id))
  yield* report("PostToolBatch", {
    tool_calls: calls.map((call) => ({ ...call, tool_response: "Not allowed in a summary." })),
  })
  return events
})

/** The input of SubagentStop hooks. As the official SDK: a request for a summary counts as a subagent. */
const stopFacts = (turn: Turn, answer: string) => {
  const id = turn.newUuid()
  return {
    agent_id: id,
    // As the official SDK: if the session's main thread runs as an agent (`options.agent`), the type is that agent's.
    agent_type: turn.agent === undefined ? (turn.options.agent ?? "") : "",
    agent_transcript_path: agentTranscriptPath(turn.sessionId, id),
    stop_hook_active: false,
    ...(answer === "" ? {} : { last_assistant_message: answer }),
    background_tasks: backgroundTasks(turn),
    session_crons: [],
  }
}

/**
 * Requests an answer, and its continuations if it reaches its maximum length, as the official SDK does. Text after the end of the
 * summary is dropped, and an error while it is continued ends the answer.
 */
const askToItsEnd = Effect.fnUntraced(function* (
  messages: ReadonlyArray<ApiMessage>,
  by: Asked,
): Effect.fn.Return<SideAnswer, ModelError, Log | TurnContext | MessagesApi> {
  let answer = yield* askUntilAnswered(messages, by)
  let { text } = answer
  let conversation = messages
  for (let left = MAX_LENGTH_CONTINUATIONS; left > 0 && answer.isCut && answer.last !== ""; left -= 1) {
    const cut = immutableMessage({ role: "assistant", content: [{ type: "text", text: answer.text }] })
    conversation = withQuestion([...conversation, cut], MAX_TOKENS_TEXT)
    const next = yield* Effect.result(askUntilAnswered(conversation, by))
    if (next._tag === "Failure") break
    answer = next.success
    if (!text.includes("</summary>")) text += answer.text
  }
  return { ...answer, text: text.trim() }
})

const askUntilAnswered = Effect.fnUntraced(function* (
  messages: ReadonlyArray<ApiMessage>,
  { model: first, progress }: Asked,
): Effect.fn.Return<SideAnswer, ModelError, Log | TurnContext | MessagesApi> {
  const turn = yield* TurnContext
  const maxRetries = turn.options.max_retries ?? MAX_RETRIES
  const state = { ...NOTHING_TRIED, maxRetries }
  const timeouts = timeoutsOf(turn.options, turn.now())
  /** Another model than the turn's. As in the official SDK, a fallback applies to this request only. */
  let model: string | undefined = first ?? undefined
  for (;;) {
    const live = new LiveAnswer()
    progress.live = live
    const manner = {
      plain: state.plainTries > 0,
      maxTokens: state.maxTokens,
      withoutStreaming: state.nonStreamingTried,
      ...(model === undefined ? {} : { model }),
    }
    const answer = yield* Effect.result(sideAnswer(live, { messages, purpose: "compaction", timeouts, ...manner }))
    if (answer._tag === "Success") return answer.success
    const error = answer.failure
    countFailure(state, error)
    const fallback = fallbackOf(turn, model)
    const tried = plan(error, { ...state, unseen: !live.decoder.hasContent, fallbackLeft: fallback !== null })
    if (tried.next === "fallback_model") model = fallback ?? undefined
    // As the official SDK: clients get the state `compacting`, but no `api_retry` for the request.
    if (!(yield* beginTry(turn, error, tried, state, timeouts, false))) return yield* error
  }
})

// Receives the messages to summarize; asks the model for a summary and returns its answer, or why there is none.
// Invariant: every answer appends one `call:finished`, whose cost is counted for the compaction, and is sent to SubagentStop
// hooks; the conversation itself does not change, whatever the request's outcome.
import * as Effect from "effect/Effect"
import type { MessagesApi, ModelError } from "../../model/messages-api.ts"
import { apiErrorText, countFailure, isPromptTooLong, MAX_RETRIES, NOTHING_TRIED, plan } from "../../model/retry.ts"
import { refusedMedia } from "../../model/refused-media.ts"
import { timeoutsOf } from "../../model/live/model-timeouts.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { agentTranscriptPath, fire } from "../calls/hook-events.ts"
import { backgroundTasks } from "../conclude.ts"
import { fallbackOf } from "../fallback.ts"
import { LiveAnswer } from "../messages/live-answer.ts"
import { type CallServices, type Log, type Turn, TurnContext } from "../ports.ts"
import { beginTry } from "../retry-wait.ts"
import { type SideAnswer, sideAnswer, withQuestion } from "../side-answer.ts"
import type { ApiMessage } from "../transcript/transcript.ts"
import { withoutMedia } from "./remove-media.ts"
import { hasSummary, summaryOf, summaryRequestText } from "./summary-text.ts"

/** The model's answer, or why there is none, with the API's error or the model's refusal if that is the reason. */
export type Summary = { readonly answer: string; readonly failed?: never } | Failed

interface Failed {
  readonly failed: string
  readonly error?: ModelError | "refused"
}

const REFUSED = "the model's safety checks stopped the summary"
const EMPTY = "the model's answer had no summary"
/** How often the oldest part is left out when the conversation is too long even for the request for a summary. */
const MAX_CUTS = 3

/** Tries the alternative parts of the conversation in order until an answer has a summary. `model`: null for the turn's own. Adds hook events to `record`. */
export const summarize = Effect.fnUntraced(function* (
  parts: ReadonlyArray<ReadonlyArray<ApiMessage>>,
  instructions: string | null,
  model: string | null,
  record: Array<NewEvent>,
): Effect.fn.Return<Summary, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const request = summaryRequestText(instructions)
  // As the official SDK: an answer without the summary's tag is requested again, and used if the next one has no summary.
  let untagged: string | null = null
  const end = (failed: Failed): Summary =>
    untagged !== null && summaryOf(untagged) !== "" ? { answer: untagged } : failed
  for (const part of parts) {
    let messages = part
    for (let cuts = 0; ; cuts += 1) {
      const answer = yield* Effect.result(askUntilAnswered(withQuestion(messages, request), model))
      if (answer._tag === "Success") {
        const { text, refused } = answer.success
        if (refused) return end({ failed: REFUSED, error: "refused" })
        // As the official SDK: messages of SubagentStop hooks about a summary are not sent.
        record.push(...(yield* fire("SubagentStop", stopFacts(turn, text))).record)
        if (hasSummary(text) && summaryOf(text) !== "") return { answer: text }
        if (untagged !== null) return end({ failed: EMPTY })
        if (text === "" || hasSummary(text)) break
        untagged = text
        continue
      }
      const error = answer.failure
      const media = refusedMedia(error)
      const readable = media === null ? null : withoutMedia(messages, media, error, true)
      if (readable !== null) {
        messages = readable
        continue
      }
      const shorter = isPromptTooLong(error) && cuts < MAX_CUTS ? withoutOldest(messages) : []
      if (shorter.length === 0) return end({ failed: apiErrorText(error), error })
      messages = shorter
    }
  }
  return end({ failed: EMPTY })
})

/** The input of SubagentStop hooks. As the official SDK: a request for a summary counts as a subagent. */
const stopFacts = (turn: Turn, answer: string) => {
  const id = turn.newUuid()
  return {
    agent_id: id,
    // As the official SDK: that of a session whose main thread runs as an agent has its type.
    agent_type: turn.agent === undefined ? (turn.options.agent ?? "") : "",
    agent_transcript_path: agentTranscriptPath(turn.sessionId, id),
    stop_hook_active: false,
    ...(answer === "" ? {} : { last_assistant_message: answer }),
    background_tasks: backgroundTasks(turn),
    session_crons: [],
  }
}

/** The messages without about the oldest third: they start with a user's message that has no tool result. */
const withoutOldest = (messages: ReadonlyArray<ApiMessage>): ReadonlyArray<ApiMessage> => {
  const from = Math.max(1, Math.floor(messages.length / 3))
  const next = messages.findIndex(
    ({ role, content }, index) =>
      index >= from && role === "user" && content.every(({ type }) => type !== "tool_result"),
  )
  return next < 0 ? [] : messages.slice(next)
}

const askUntilAnswered = Effect.fnUntraced(function* (
  messages: ReadonlyArray<ApiMessage>,
  first: string | null,
): Effect.fn.Return<SideAnswer, ModelError, Log | TurnContext | MessagesApi> {
  const turn = yield* TurnContext
  const maxRetries = turn.options.max_retries ?? MAX_RETRIES
  const state = { ...NOTHING_TRIED, maxRetries }
  const timeouts = timeoutsOf(turn.options, turn.now())
  /** Another model than the turn's. As in the official SDK, a fallback applies to this request only. */
  let model: string | undefined = first ?? undefined
  for (;;) {
    const live = new LiveAnswer()
    const manner = {
      plain: state.plainTries > 0,
      maxTokens: state.maxTokens,
      whole: state.nonStreamingTried,
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

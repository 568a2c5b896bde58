// Receives what is to be summed up; asks the model for a summary and returns its answer, or why there is none.
// Invariant: every answer leaves one `call:finished`, which is paid and belongs to the compaction; the conversation itself
// does not change, whatever becomes of the request.
import * as Effect from "effect/Effect"
import { MessagesApi, type ModelError, type OpenedStream } from "../../model/messages-api.ts"
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { apiErrorText, isPromptTooLong, MAX_RETRIES, plan } from "../../model/retry.ts"
import { timeoutsOf } from "../../model/live/model-timeouts.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { costOfBroken } from "../broken-answer.ts"
import { callFinished, LiveAnswer } from "../messages/live-answer.ts"
import { Log, TurnContext, type Turn } from "../ports.ts"
import { waitToRetry } from "../retry-wait.ts"
import { stepRequest } from "../step-request.ts"
import type { ApiMessage } from "../transcript/transcript.ts"
import { summaryRequestText } from "./summary-text.ts"

/** The summary as the model gave it, or why there is none, with the API's error if that is it. */
export type Summary =
  | { readonly answer: string; readonly failed?: never }
  | { readonly failed: string; readonly error?: ModelError }

const EMPTY = "the model's answer had no text"
/** Of a conversation that is too long even to be summed up, the oldest part is left out this often. */
const MAX_CUTS = 3

/** Tries one part of the conversation after the other until an answer has a text. */
export const summarize = Effect.fnUntraced(function* (
  parts: ReadonlyArray<ReadonlyArray<ApiMessage>>,
  instructions: string | null,
): Effect.fn.Return<Summary, never, Log | TurnContext | MessagesApi> {
  const request = summaryRequestText(instructions)
  for (const part of parts) {
    let messages = part
    for (let cuts = 0; ; cuts += 1) {
      const answer = yield* Effect.result(askUntilAnswered(asked(messages, request)))
      if (answer._tag === "Success") {
        if (answer.success !== "") return { answer: answer.success }
        break
      }
      const error = answer.failure
      const shorter = isPromptTooLong(error) && cuts < MAX_CUTS ? withoutOldest(messages) : []
      if (shorter.length === 0) return { failed: apiErrorText(error), error }
      messages = shorter
    }
  }
  return { failed: EMPTY }
})

/** The part with the request at its end, behind the results of the last calls if it ends with them. */
const asked = (messages: ReadonlyArray<ApiMessage>, request: string): ReadonlyArray<ApiMessage> => {
  const block = { type: "text", text: request }
  const last = messages.at(-1)
  return last?.role === "user"
    ? [...messages.slice(0, -1), { ...last, content: [...last.content, block] }]
    : [...messages, immutableMessage({ role: "user", content: [block] })]
}

/** Without its oldest third, up to a message of the user that is not the result of a call. */
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
): Effect.fn.Return<string, ModelError, Log | TurnContext | MessagesApi> {
  const turn = yield* TurnContext
  const maxRetries = turn.options.max_retries ?? MAX_RETRIES
  const state = { attempt: 1, overloads: 0, restarts: 0, rejections: 0, timeouts: 0, maxRetries }
  const timeouts = timeoutsOf(turn.options, turn.now())
  for (;;) {
    const live = new LiveAnswer()
    const { request, context } = stepRequest(turn, {
      messages,
      ...(turn.memory.accounting.tally?.fallbackModel == null
        ? {}
        : { model: turn.memory.accounting.tally.fallbackModel }),
      plain: state.rejections > 0,
    })
    const api = yield* MessagesApi
    live.startedAt = turn.now()
    const answer = yield* Effect.result(
      api
        .stream(request, { ...context, timeouts }, (opened) => readAll(opened, live))
        .pipe(Effect.onInterrupt(() => paid(turn, live, null))),
    )
    if (answer._tag === "Success") return answer.success
    const error = answer.failure
    yield* paid(turn, live, error)
    if (error.timedOut !== undefined) state.timeouts += 1
    const tried = plan(error, {
      ...state,
      unseen: !live.decoder.hasContent,
      nonStreamingTried: true,
      fallbackLeft: false,
    })
    if (tried.next === "restart") state.restarts += 1
    else if (tried.next === "again") state.rejections += 1
    else if (
      tried.next !== "retry" ||
      !(yield* waitToRetry(turn, error, { ...state, nonStreamingTried: false }, timeouts))
    )
      return yield* error
    else state.attempt += 1
  }
})

/** Reads the answer to its end and returns its text. */
const readAll = Effect.fnUntraced(function* (
  { requestId, next }: OpenedStream,
  live: LiveAnswer,
): Effect.fn.Return<string, ModelError, Log | TurnContext> {
  const turn = yield* TurnContext
  const log = yield* Log
  let text = ""
  live.requestId = requestId
  for (let events = yield* next; events !== null; events = yield* next) {
    for (const event of events) {
      live.open ||= event.type === "message_start"
      const known = live.decoder.push(event)
      if (known?.kind === "block_finished" && known.block.type === "text") text += String(known.block["text"] ?? "")
      if (known?.kind !== "message_finished") continue
      live.open = false
      const { stop_reason: stopReason, usage } = known
      yield* log.append([ofCompaction(callFinished(turn, live, { stopReason, usage, wasted: false }))])
    }
  }
  return text.trim()
})

/** What an answer without an end has cost. */
const paid = (turn: Turn, live: LiveAnswer, error: ModelError | null): Effect.Effect<void, never, Log> => {
  if (!live.open) return Effect.void
  live.open = false
  const end = { stopReason: null, usage: live.decoder.usage, wasted: true, ...costOfBroken(live, error, "nothing") }
  return Effect.flatMap(Log, (log) => log.append([ofCompaction(callFinished(turn, live, end))]))
}

const ofCompaction = (event: NewEvent<"call:finished">): NewEvent<"call:finished"> => ({
  ...event,
  payload: { ...event.payload, purpose: "compaction" },
})

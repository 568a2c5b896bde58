// Receives an answer that broke off, in the stream or by a crash; appends its usage and what is kept of it.
// Invariant: a text or a call that clients have seen is never withdrawn, and every such answer has one `call:finished`.
import * as Effect from "effect/Effect"
import type { ModelError } from "../model/messages-api.ts"
import { billedModel, PRICE_VERSION } from "../model/catalogue/models.ts"
import { costOf } from "../model/catalogue/prices.ts"
import { apiErrorText, classify, isCutOff, isOverloaded, THOUGHT_ONLY } from "../model/retry.ts"
import type { CallFinished } from "../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../schemas/log/events.ts"
import { currentModelOf } from "./fallback.ts"
import { answerStamp } from "./calls/hook-events.ts"
import { usageIn } from "./messages/answer-fields.ts"
import { callFinished, closingEvents, type LiveAnswer, partialEvent } from "./messages/live-answer.ts"
import { nudge, nudgesOf } from "./messages/nudge.ts"
import { Log, TurnContext, type Turn } from "./ports.ts"
import { apiErrorMessage } from "./messages/sdk-messages.ts"
import type { Fragment } from "./transcript/transcript.ts"
import { usageCount } from "../schemas/sdk/messages/usage.ts"

const CONTINUE_TEXT = "The connection broke while you were answering. Continue exactly where your last message stopped."

/** How often in a turn a broken answer is continued before the turn fails. */
const MAX_CONTINUATIONS = 3

/**
 * Closes an answer that broke off: its usage is recorded. A complete text or call of it is kept, and the model is asked to
 * continue from there; after `MAX_CONTINUATIONS` the result is `given_up`.
 */
export const abandon = Effect.fnUntraced(function* (
  live: LiveAnswer,
  error: ModelError,
): Effect.fn.Return<"calls" | "text" | "nothing" | "given_up", never, Log | TurnContext> {
  const turn = yield* TurnContext
  const log = yield* Log
  if (!live.open) return "nothing"
  live.open = false
  const fragment = turn.memory.transcript.fragment()
  // As the official SDK: an answer that ended before a text or call began, or without an error, is requested again without its
  // thinking.
  const kept = keptOf(fragment, live.decoder.hasContent && error.type !== THOUGHT_ONLY)
  const closing = closingEvents(live)
  const { usage } = live.decoder
  const isFatal = isPermanent(error, turn)
  const hasEnded = live.decoder.ended() !== null
  const events: Array<NewEvent> = [
    callFinished(turn, live, {
      stopReason: null,
      wasted: kept === "nothing",
      ...(isFatal
        ? { usage: {}, ...(hasEnded ? { billedUsage: usage } : { unbilled: true }) }
        : {
            usage,
            ...costOfBroken(live, error, kept !== "nothing" || (fragment !== undefined && !isOverloaded(error))),
          }),
    }),
  ]
  // A step that exceeded its total time limit is not continued by another one, nor is an answer after a permanent error.
  const givenUp =
    (isFatal && kept !== "calls") ||
    (kept === "text" && (nudgesOf(turn, "broken") >= MAX_CONTINUATIONS || error.timedOut === "total"))
  if (kept === "calls" || givenUp)
    events.push(brokenAnswer(turn, error, isFatal, kept === "calls" ? "tool_use" : "stop_sequence"))
  else if (kept === "text") events.push(...nudge(turn, "broken", CONTINUE_TEXT))
  // As the official SDK: a permanent error is sent before the events that close the answer.
  if (isFatal) {
    const delta = { stop_reason: null, stop_sequence: null }
    if (!hasEnded) closing.splice(-1, 0, { type: "message_delta", delta, usage })
    yield* log.append(events)
  }
  if (log.wantsPartials()) for (const event of closing) log.emit(partialEvent(turn, event, live))
  if (!isFatal) yield* log.append(events)
  return givenUp ? "given_up" : kept
})

/** True for an error that ends the turn. As the official SDK: a rate limit, too, once clients have seen a part of the answer. */
export const isPermanent = (error: ModelError, turn: Turn): boolean =>
  turn.memory.transcript.fragment() !== undefined && (classify(error) === "fatal" || error.type === "rate_limit_error")

/**
 * What a broken answer costs: its estimated usage when it timed out, or the connection was lost or (`error` null) closed by
 * Perch; when the API itself ended it, the usage in its `message_start` if something of it was `seen`, else nothing.
 */
export const costOfBroken = (live: LiveAnswer, error: ModelError | null, seen: boolean) => {
  if (error !== null && !isCutOff(error) && error.type !== "timeout_error")
    return seen ? {} : ({ unbilled: true } as const)
  const output = Math.max(usageCount(live.decoder.usage["output_tokens"]), live.decoder.estimatedOutputTokens)
  return { billedUsage: { ...live.decoder.usage, output_tokens: output } }
}

/** The message for clients that an answer broke off. */
const brokenAnswer = (turn: Turn, error: ModelError, isFatal: boolean, stopReason: string): NewEvent =>
  apiErrorMessage(answerStamp(turn), {
    kind: isFatal ? "unknown" : "server_error",
    text: isFatal ? `API Error: ${error.message}` : apiErrorText(error),
    status: null,
    type: error.type,
    requestId: isFatal ? error.requestId : null,
    stopReason,
  })

/**
 * What is kept of a broken answer: its calls (which are run), its text or, if it `goesOn`, any block that clients have seen
 * (which is continued), or nothing.
 */
const keptOf = (fragment: Fragment | undefined, goesOn = false): "calls" | "text" | "nothing" => {
  if (fragment === undefined) return "nothing"
  if (fragment.content.some((block) => block.type === "tool_use")) return "calls"
  return goesOn || fragment.content.some((block) => block.type === "text" && block["text"] !== "") ? "text" : "nothing"
}

/** Closes an answer that a crash cut off, with the usage of its first event. `goesOn`: the model continues a text. */
export const recoverAnswer = Effect.fnUntraced(function* (
  goesOn: boolean,
): Effect.fn.Return<void, never, Log | TurnContext> {
  const turn = yield* TurnContext
  const fragment = turn.memory.transcript.fragment()
  if (fragment === undefined) return
  const log = yield* Log
  const kept = keptOf(fragment)
  const model = billedModel(currentModelOf(turn), fragment.head["model"])
  const usage = usageIn(fragment.head)
  const closed: CallFinished = {
    message_id: fragment.id,
    request_id: null,
    model,
    stop_reason: null,
    usage,
    usd: costOf(model, usage),
    price_version: PRICE_VERSION,
    duration_ms: 0,
    wasted: kept === "nothing",
  }
  const events: Array<NewEvent> = [{ name: EventNames.callFinished, payload: closed, turn: turn.id }]
  if (kept === "text" && goesOn) events.push(...nudge(turn, "broken", CONTINUE_TEXT))
  yield* log.append(events)
})

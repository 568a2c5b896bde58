// Receives an answer that the model's safety checks stopped; drops its calls, asks the model once more, and ends the turn
// after a second refusal.
// Invariant: a call that ended before the refusal arrived keeps its result; every other call gets one with the reason.
import * as Effect from "effect/Effect"
import type { NewEvent } from "../schemas/log/events.ts"
import { answerStamp, informational, stamp } from "./calls/hook-events.ts"
import { nudge, nudgesOf } from "./messages/nudge.ts"
import { Loop } from "./loop.ts"
import { stoppedAgents } from "./subagents/stopped-agents.ts"
import { Asks, Log, TurnContext, type Turn } from "./ports.ts"
import { apiErrorMessage, systemMessage, toolResultMessage } from "./messages/sdk-messages.ts"

const REFUSAL_TEXT =
  "Your last answer was stopped by a safety check. If the request can be fulfilled safely, do it in another way; if not, say so plainly."
const NOT_RUN_TEXT = "Not run: the answer that made this call was stopped by a safety check."
const INTERRUPTED_TEXT =
  "Interrupted: the answer that made this call was stopped by a safety check while the call was running. It may have taken effect, in part or completely."

/** True when the last answer was refused and the refusal was not handled yet. */
export const isRefused = (turn: Turn): boolean => turn.memory.accounting.tally?.stopReason === "refusal"

/** Appends results for the refused answer's calls that have none. To be called when none of them is running any more. */
export const dropCalls: Effect.Effect<void, never, Asks | Log | TurnContext> = Effect.gen(function* () {
  const turn = yield* TurnContext
  const calls = turn.memory.transcript.openCalls()
  if (calls.length === 0) return
  const asks = yield* Asks
  const log = yield* Log
  for (const use of calls) {
    const ask = asks.find(use.id)
    if (ask === undefined || ask.answer !== null) continue
    const answer = { behavior: "deny", message: NOT_RUN_TEXT, interrupt: true }
    yield* asks.settle(ask.requestId, { by: "interrupt", answer })
  }
  const results = calls.map((use) => {
    const began = turn.memory.accounting.tally?.preToolUse.has(use.id) === true
    const text = began ? INTERRUPTED_TEXT : NOT_RUN_TEXT
    const result = { content: text, isError: true, output: text }
    return toolResultMessage(stamp(turn), use, result, { notExecuted: began ? "interrupted" : "cancelled" })
  })
  yield* log.append([...results, ...stoppedAgents(turn, yield* Loop)])
})

/** The events that ask the model again after its first refusal; null after the second, which ends the turn. */
export const askAgain = (turn: Turn): ReadonlyArray<NewEvent> | null => {
  if (nudgesOf(turn, "refusal") > 0) return null
  const text = "The model's answer was stopped by a safety check; the request is sent once more."
  const messageId = turn.memory.accounting.tally?.messageId
  return [
    informational(turn, text, { level: "notice" }),
    ...nudge(turn, "refusal", REFUSAL_TEXT, messageId == null ? {} : { refused_message_id: messageId }),
  ]
}

/** The messages of a refusal that ends the turn, which is reported as an API error. */
export const refusalMessages = (turn: Turn): readonly [NewEvent, NewEvent<"sdk:assistant">] => {
  const { model = null, requestId = null, messageId = null, stopDetails = null } = turn.memory.accounting.tally ?? {}
  const text = "The model's safety checks stopped its answer twice, and no fallback model is configured."
  return [
    systemMessage(stamp(turn), "model_refusal_no_fallback", {
      original_model: model ?? "",
      request_id: requestId,
      api_refusal_category: textAt(stopDetails, "category"),
      api_refusal_explanation: textAt(stopDetails, "explanation"),
      refused_user_message_uuid: turn.id,
      content: text,
    }),
    apiErrorMessage(answerStamp(turn), {
      kind: "invalid_request",
      text,
      status: null,
      type: "refusal",
      requestId,
      stopReason: "refusal",
      stopDetails,
      ...(messageId === null ? {} : { refusedMessageId: messageId }),
    }),
  ]
}

const textAt = (details: unknown, key: "category" | "explanation"): string | null => {
  const value = typeof details === "object" && details !== null ? Reflect.get(details, key) : null
  return typeof value === "string" ? value : null
}

// Receives a turn that is being stopped; writes its last events: the text so far, a result for every open call, the end.
// Invariant: these are written in one transaction, so a turn is either still open or ended with every call answered.
import * as Effect from "effect/Effect"
import type { EphemeralEvent, NewEvent } from "../schemas/log/events.ts"
import { stamp } from "./calls/hook-events.ts"
import { REJECTED_OUTPUT, REJECTED_TEXT } from "./calls/permission.ts"
import { type CallServices, Log, TurnContext, type Turn } from "./ports.ts"
import { INTERRUPTED, INTERRUPTED_TOOL } from "./messages/prompt-text.ts"
import { resultMessage, type TurnEnd } from "./messages/result.ts"
import { assistantMessage, toolResultMessage, userTextMessage } from "./messages/sdk-messages.ts"
import { callFinished, closingEvents, headOf, type LiveAnswer, partialEvent } from "./messages/live-answer.ts"

/** Ends the turn. `live` is the answer that streams, if one does; `reason` is the terminal reason when no call is open. */
export const stopTurn = Effect.fnUntraced(function* (
  live: LiveAnswer,
  reason: "aborted_streaming" | "aborted_tools",
): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  const calls = turn.memory.transcript.openCalls()
  const terminalReason = calls.length > 0 ? "aborted_tools" : reason
  const mark = terminalReason === "aborted_tools" ? INTERRUPTED_TOOL : INTERRUPTED
  const { events: partial, closing } = partialAnswer(turn, live, log.wantsPartials())
  // As the official SDK: the stream events that end the answer come behind the mark.
  const marked = { ...userTextMessage(stamp(turn), mark, false), after: closing }
  const events = [...partial, ...rejections(turn), marked]
  const stopReason = calls.length > 0 ? "tool_use" : (turn.memory.accounting.tally?.stopReason ?? null)
  const end: TurnEnd = { subtype: "error_during_execution", terminalReason, errors: [diagnosis(stopReason)] }
  yield* turn.finish(events, () => resultMessage(turn, end))
})

/** The one error of an interrupted turn, in the form that clients of the official SDK take for an interruption. */
const diagnosis = (stopReason: string | null): string =>
  `[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=${stopReason}`

/** Ends a turn that broke inside the server: what broke is for the server's log alone. */
export const breakTurn = Effect.fnUntraced(function* (live: LiveAnswer): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  const end: TurnEnd = {
    subtype: "error_during_execution",
    terminalReason: "turn_setup_failed",
    errors: ["The turn failed inside the server."],
  }
  const { events: partial, closing } = partialAnswer(turn, live, log.wantsPartials())
  const last = partial.at(-1)
  const closed = last === undefined ? [] : [...partial.slice(0, -1), { ...last, after: closing }]
  yield* turn.finish([...closed, ...rejections(turn)], () => resultMessage(turn, end))
})

/** A call whose question was open counts as refused: its question is settled before. */
const rejections = (turn: Turn): ReadonlyArray<NewEvent> =>
  turn.memory.transcript
    .openCalls()
    .map((use) =>
      toolResultMessage(
        stamp(turn),
        use,
        { content: REJECTED_TEXT, isError: true, output: REJECTED_OUTPUT },
        { notExecuted: "user-rejected" },
      ),
    )

/**
 * The text of the block that was open, and what the request is thought to have used; then the stream events that end the
 * answer for clients that read those.
 */
const partialAnswer = (
  turn: Turn,
  live: LiveAnswer,
  wantsPartials: boolean,
): { readonly events: ReadonlyArray<NewEvent>; readonly closing: ReadonlyArray<EphemeralEvent> } => {
  if (!live.open) return { events: [], closing: [] }
  live.open = false
  const events: Array<NewEvent> = []
  const text = live.decoder.openText()
  const closing = wantsPartials ? closed(turn, live) : []
  if (text !== null && text !== "") {
    events.push(assistantMessage(stamp(turn), headOf(live), [{ type: "text", text }], live.requestId, true))
  }
  const output = live.decoder.estimatedOutputTokens
  const usage = {
    ...live.decoder.usage,
    output_tokens: Math.max(Number(live.decoder.usage["output_tokens"] ?? 0), output),
  }
  return { events: [...events, callFinished(turn, live, { stopReason: null, usage, wasted: false })], closing }
}

const NO_TOKENS = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }

/** The stream events that end an answer which was cut off. */
const closed = (turn: Turn, live: LiveAnswer): ReadonlyArray<EphemeralEvent> => {
  const ending = closingEvents(live)
  // The counts known so far: those of message_start, or later ones.
  const delta = {
    type: "message_delta",
    delta: { stop_reason: null, stop_sequence: null },
    usage: { ...NO_TOKENS, ...live.decoder.usage },
  }
  return [...ending.slice(0, -1), delta, ...ending.slice(-1)].map((event) => partialEvent(turn, event, live))
}

// Receives a turn that is being stopped; writes its last events: the text so far, a result for every open call, the end.
// Invariant: these are written in one transaction, so a turn is either still open or ended with every call answered.
import { Effect } from "effect"
import type { EphemeralEvent, NewEvent } from "../schemas/events.ts"
import { stamp } from "./hook-events.ts"
import { REJECTED_OUTPUT, REJECTED_TEXT, refusedBy } from "./permission.ts"
import { Asks, type CallServices, Log, TurnContext } from "./ports.ts"
import { INTERRUPTED, INTERRUPTED_TOOL } from "./prompt-text.ts"
import { resultMessage, type TurnEnd } from "./result.ts"
import { assistantMessage, toolResultMessage, userTextMessage } from "./sdk-messages.ts"
import { callFinished, closingEvents, headOf, type LiveAnswer, partialEvent } from "./live-answer.ts"

/** Ends the turn. `live` is the answer that streams, if one does; `reason` tells a stop in mid-text from one in mid-tool. */
export const stopTurn = Effect.fnUntraced(function* (
  live: LiveAnswer,
  reason: "aborted_streaming" | "aborted_tools",
): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  const calls = turn.memory.transcript.openCalls()
  const terminalReason = calls.length > 0 ? "aborted_tools" : reason
  const mark = terminalReason === "aborted_tools" ? INTERRUPTED_TOOL : INTERRUPTED
  const partial = partialAnswer(turn, live, log.wantsPartials())
  const events = [...partial, ...(yield* rejections), userTextMessage(stamp(turn), mark, false)]
  const end: TurnEnd = { subtype: "error_during_execution", terminalReason, errors: ["The turn was interrupted."] }
  yield* turn.finish(events, () => resultMessage(turn, end))
})

/** Ends a turn that broke inside the server: what broke is for the server's log alone. */
export const breakTurn = Effect.fnUntraced(function* (live: LiveAnswer): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  const end: TurnEnd = {
    subtype: "error_during_execution",
    terminalReason: "turn_setup_failed",
    errors: ["The turn failed inside the server."],
  }
  const events = [...partialAnswer(turn, live, log.wantsPartials()), ...(yield* rejections)]
  yield* turn.finish(events, () => resultMessage(turn, end))
})

/** A call that somebody was being asked about counts as refused. */
const rejections: Effect.Effect<ReadonlyArray<NewEvent>, never, Asks | TurnContext> = Effect.gen(function* () {
  const turn = yield* TurnContext
  const asks = yield* Asks
  return turn.memory.transcript.openCalls().map((use) => {
    const permission = refusedBy(asks, use)
    return toolResultMessage(
      stamp(turn),
      use,
      { content: REJECTED_TEXT, isError: true, output: REJECTED_OUTPUT },
      { notExecuted: "user-rejected", ...(permission === null ? {} : { permission }) },
    )
  })
})

/** The text of the block that was open, and what the request is thought to have used. */
const partialAnswer = (
  turn: TurnContext["Service"],
  live: LiveAnswer,
  wantsPartials: boolean,
): ReadonlyArray<NewEvent> => {
  if (!live.open) return []
  live.open = false
  const events: Array<NewEvent> = []
  const text = live.decoder.openText()
  const closing = wantsPartials ? closed(turn, live) : []
  const shown = text !== null && text !== ""
  if (shown) {
    const said = assistantMessage(stamp(turn), headOf(live), [{ type: "text", text }], live.requestId, true)
    events.push({ ...said, after: closing })
  }
  const output = live.decoder.estimatedOutputTokens
  const usage = {
    ...live.decoder.usage,
    output_tokens: Math.max(Number(live.decoder.usage["output_tokens"] ?? 0), output),
  }
  const finished = callFinished(turn, live, { stopReason: null, usage, wasted: false })
  events.push(shown ? finished : { ...finished, after: closing })
  return events
}

/** The stream events that end an answer which was cut off. */
const closed = (turn: TurnContext["Service"], live: LiveAnswer): ReadonlyArray<EphemeralEvent> => {
  const ending = closingEvents(live)
  const delta = { type: "message_delta", delta: { stop_reason: null, stop_sequence: null }, usage: {} }
  return [...ending.slice(0, -1), delta, ...ending.slice(-1)].map((event) => partialEvent(turn, event, live))
}

// Receives a turn that is being stopped, or that a prompt replaces; appends its last events: the text so far, a result for
// every open call, the end.
// Invariant: these are written in one transaction, so a turn is either still open or ended with every call answered.
import * as Effect from "effect/Effect"
import type { EphemeralEvent, NewEvent } from "../schemas/log/events.ts"
import { needsBatchHook } from "./batch-end.ts"
import { stamp } from "./calls/hook-events.ts"
import { isOverTurns, overTurns } from "./conclude.ts"
import { logDefect } from "./defect.ts"
import { Loop } from "./loop.ts"
import { type CallServices, Log, type Turn, TurnContext, turnWith } from "./ports.ts"
import { INTERRUPTED, INTERRUPTED_TOOL } from "./messages/prompt-text.ts"
import type { TurnEnd } from "./messages/result.ts"
import type { LiveAnswer } from "./messages/live-answer.ts"
import { partialAnswer } from "./messages/partial-answer.ts"
import { rejections } from "./messages/rejections.ts"
import { userTextMessage } from "./messages/sdk-messages.ts"
import { unchecked } from "./start.ts"
import { stoppedAgents } from "./subagents/stopped-agents.ts"

/** Ends the turn. `live` is the answer that may be streaming; `reason` is the terminal reason when no call is open. */
export const stopTurn = Effect.fnUntraced(function* (
  live: LiveAnswer,
  reason: "aborted_streaming" | "aborted_tools",
): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  const opening = unchecked(turn, "The turn was stopped before its prompt was checked.")
  if (opening.length > 0 && turn.isPostponed()) return
  const calls = turn.memory.transcript.openCalls()
  // As the official SDK: while the answer streams, the interruption is one of the answer, whatever its calls do. After the answer,
  // calls with results count as running until PostToolBatch hooks have answered.
  const streaming = live.open && live.decoder.ended() === null
  const terminalReason = !streaming && (calls.length > 0 || needsBatchHook(turn)) ? "aborted_tools" : reason
  const mark = (calls.length > 0 && !streaming) || reason === "aborted_tools" ? INTERRUPTED_TOOL : INTERRUPTED
  const open = live.open ? live.decoder.openText() : null
  const { events: partial, closing } = partialAnswer(turn, live, log.wantsPartials())
  const stopReason = calls.length > 0 ? "tool_use" : (turn.memory.accounting.tally?.stopReason ?? null)
  const numTurns = opening.length > 0 && calls.length === 0 ? { numTurns: 0 } : {}
  // As the official SDK: a turn that is stopped during the calls of its last allowed answer has reached its maximum.
  const spent = terminalReason === "aborted_tools" && isOverTurns(turn) ? overTurns(turn, terminalReason) : null
  const failed: TurnEnd = {
    subtype: "error_during_execution",
    terminalReason,
    errors: [diagnosis(stopReason)],
    // As the official SDK: a turn whose prompt was not checked yet counts no messages.
    ...numTurns,
  }
  if (turn.isReplaced()) {
    // As the official SDK: no message marks the interruption, and the result is the text so far; without any answer, it is an error.
    const events = [...opening, ...followed(partial, closing), ...stoppedAgents(turn, yield* Loop), ...rejections(turn)]
    const stopped = stopReason === null ? {} : { stopReason }
    const replaced = { subtype: "success", terminalReason, result: open ?? "", ...stopped, ...numTurns } as const
    return yield* turn.finish(events, spent ?? (stopReason === null && open === null ? failed : replaced))
  }
  // As the official SDK: the stream events that end the answer come after the interrupt's message.
  const marked = { ...userTextMessage(stamp(turn), mark), after: closing }
  const events = [...opening, ...partial, ...stoppedAgents(turn, yield* Loop), ...rejections(turn), marked]
  yield* turn.finish(events, spent ?? failed)
})

/** The events, the last of them followed by the stream events that end the answer. */
const followed = (events: ReadonlyArray<NewEvent>, closing: ReadonlyArray<EphemeralEvent>): ReadonlyArray<NewEvent> => {
  const last = events.at(-1)
  return last === undefined ? [] : [...events.slice(0, -1), { ...last, after: [...(last.after ?? []), ...closing] }]
}

/** The error of an interrupted turn, in the form by which clients of the official SDK recognize an interruption. */
const diagnosis = (stopReason: string | null): string =>
  `[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=${stopReason}`

const BROKEN = "The turn failed inside the server."

/** The turn as if it had no tools and agents. */
const withoutTools = (turn: Turn): Turn => turnWith(turn, { tools: [], toolByName: () => undefined, agents: [] })

/** Ends a turn after a defect in the server. The defect itself goes only to the server's log. */
export const breakTurn = Effect.fnUntraced(function* (live: LiveAnswer): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  const end: TurnEnd = { subtype: "error_during_execution", terminalReason: "turn_setup_failed", errors: [BROKEN] }
  // The defect may be in what the first events list, such as a tool: then they are made without it.
  const opening = yield* Effect.sync(() => unchecked(turn, BROKEN)).pipe(
    Effect.catchCause((cause) =>
      Effect.map(logDefect("a turn could not start", cause), () => unchecked(withoutTools(turn), BROKEN, [])),
    ),
  )
  const { events: partial, closing } = partialAnswer(turn, live, log.wantsPartials())
  const closed = followed(partial, closing)
  yield* turn.finish([...opening, ...closed, ...rejections(turn), ...stoppedAgents(turn, yield* Loop)], end)
})

// Receives a turn that is being stopped; writes its last events: the text so far, a result for every open call, the end.
// Invariant: these are written in one transaction, so a turn is either still open or ended with every call answered.
import type { Effect } from "effect"
import type { NewEvent } from "../schemas/events.ts"
import type { TurnContext } from "./ports.ts"
import { resultMessage, type TurnEnd } from "./result.ts"
import { assistantMessage, toolResultMessage, userTextMessage } from "./sdk-messages.ts"
import { callFinished, headOf, type LiveAnswer } from "./step.ts"
import { REJECTED_TEXT, stamp } from "./tool-calls.ts"

const INTERRUPTED = "[Request interrupted by user]"
const INTERRUPTED_TOOL = "[Request interrupted by user for tool use]"

/** Characters per token, to estimate what an unfinished answer used. */
const CHARS_PER_TOKEN = 4

/** Ends the turn. `live` is the answer that streams, if one does; `reason` tells a stop in mid-text from one in mid-tool. */
export const stopTurn = (
  turn: TurnContext["Service"],
  live: LiveAnswer | null,
  reason: "aborted_streaming" | "aborted_tools",
): Effect.Effect<void> => {
  const calls = turn.memory.transcript.openCalls()
  const terminalReason = calls.length > 0 ? "aborted_tools" : reason
  const mark = terminalReason === "aborted_tools" ? INTERRUPTED_TOOL : INTERRUPTED
  const events = [...partialAnswer(turn, live), ...rejections(turn), userTextMessage(stamp(turn), mark, false)]
  const end: TurnEnd = { subtype: "error_during_execution", terminalReason, errors: ["The turn was interrupted."] }
  return turn.finish(events, () => resultMessage(turn, end))
}

/** Ends a turn that broke inside the server: what broke is for the server's log alone. */
export const breakTurn = (turn: TurnContext["Service"], live: LiveAnswer): Effect.Effect<void> => {
  const end: TurnEnd = {
    subtype: "error_during_execution",
    terminalReason: "turn_setup_failed",
    errors: ["The turn failed inside the server."],
  }
  return turn.finish([...partialAnswer(turn, live), ...rejections(turn)], () => resultMessage(turn, end))
}

const rejections = (turn: TurnContext["Service"]): ReadonlyArray<NewEvent> =>
  turn.memory.transcript
    .openCalls()
    .map((use) =>
      toolResultMessage(
        stamp(turn),
        use,
        { content: REJECTED_TEXT, isError: true, output: `Error: ${REJECTED_TEXT}` },
        { notExecuted: "user-rejected" },
      ),
    )

/** The text of the block that was open, and what the request is thought to have used. */
const partialAnswer = (turn: TurnContext["Service"], live: LiveAnswer | null): ReadonlyArray<NewEvent> => {
  if (live === null || !live.open) return []
  live.open = false
  const events: Array<NewEvent> = []
  const text = live.decoder.openText()
  if (text !== null && text !== "") {
    events.push(assistantMessage(stamp(turn), headOf(live), { type: "text", text }, live.requestId, true))
  }
  const said = Number(live.decoder.usage["output_tokens"] ?? 0)
  const usage = {
    ...live.decoder.usage,
    output_tokens: Math.max(said, Math.ceil((text ?? "").length / CHARS_PER_TOKEN)),
  }
  events.push(callFinished(turn, live, { stopReason: null, usage, wasted: false }))
  return events
}

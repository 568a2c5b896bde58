// Receives the streaming answer of a turn that is stopped; returns what is kept of it, and what closes it for clients.
import type { Decoded } from "../../model/answer/stream-decoder.ts"
import type { EphemeralEvent, NewEvent } from "../../schemas/log/events.ts"
import { answerStamp } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import { callFinished, closingEvents, headOf, type LiveAnswer, partialEvent } from "./live-answer.ts"
import { assistantMessage } from "./sdk-messages.ts"
import { usageCount } from "../../schemas/sdk/messages/usage.ts"

/**
 * `events`: the text of the open block, and the `call:finished` with the estimated usage. `closing`: the stream events that
 * close the answer for clients that subscribe to them.
 */
export const partialAnswer = (
  turn: Turn,
  live: LiveAnswer,
  wantsPartials: boolean,
): { readonly events: ReadonlyArray<NewEvent>; readonly closing: ReadonlyArray<EphemeralEvent> } => {
  if (!live.open) return { events: [], closing: [] }
  live.open = false
  const endedAnswer = live.decoder.ended()
  if (endedAnswer !== null) return { events: [wholeAnswer(turn, live, endedAnswer, wantsPartials)], closing: [] }
  const events: Array<NewEvent> = []
  const text = live.decoder.openText()
  const closing = wantsPartials ? closed(turn, live) : []
  if (text !== null && text !== "") {
    const { requestId } = live
    events.push(
      assistantMessage(answerStamp(turn), headOf(live), [{ type: "text", text }], { requestId, aborted: true }),
    )
  }
  const output = live.decoder.estimatedOutputTokens
  const usage = {
    ...live.decoder.usage,
    output_tokens: Math.max(usageCount(live.decoder.usage["output_tokens"]), output),
  }
  return { events: [...events, callFinished(turn, live, { stopReason: null, usage, wasted: false })], closing }
}

/** The end of an answer that lacks only `message_stop`: its own stop reason and usage, and a `message_stop` for clients. */
const wholeAnswer = (
  turn: Turn,
  live: LiveAnswer,
  { stop_reason, stop_details, usage }: Extract<Decoded, { kind: "message_finished" }>,
  wantsPartials: boolean,
): NewEvent => ({
  ...callFinished(turn, live, { stopReason: stop_reason, stopDetails: stop_details, usage, wasted: false }),
  after: wantsPartials ? [partialEvent(turn, { type: "message_stop" }, live)] : [],
})

const NO_TOKENS = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }

/** The stream events that close an answer which was cut off. */
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

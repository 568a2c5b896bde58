// Receives why the model must be told to go on; returns the events that tell it, and how often it was told.
import type { NudgeCause, TurnNudged } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { stamp } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import { userTextMessage } from "./sdk-messages.ts"

export const nudgesOf = (turn: Turn, cause: NudgeCause): number => turn.memory.accounting.tally?.nudges.get(cause) ?? 0

/** A message that asks the model to go on, and why: counted. `more` are further fields of the message. */
export const nudge = (
  turn: Turn,
  cause: NudgeCause,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): ReadonlyArray<NewEvent> => [userTextMessage(stamp(turn), text, true, more), nudged(turn, cause)]

/** That the model was told to go on, for the count. */
export const nudged = (turn: Turn, cause: NudgeCause): NewEvent => ({
  name: EventNames.turnNudged,
  payload: { cause } satisfies TurnNudged,
  turn: turn.id,
})

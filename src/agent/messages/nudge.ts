// Receives why the model must continue; returns the events that ask it to, and how often it was asked.
import type { NudgeCause, TurnNudged } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { stamp } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import { syntheticMessage } from "./sdk-messages.ts"

export const nudgesOf = (turn: Turn, cause: NudgeCause): number => turn.memory.accounting.tally?.nudges.get(cause) ?? 0

/** A message that asks the model to continue, and the event that counts it. `more` are further fields of the message. */
export const nudge = (
  turn: Turn,
  cause: NudgeCause,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): ReadonlyArray<NewEvent> => [syntheticMessage(stamp(turn), text, more), nudged(turn, cause)]

/** The event that counts that the model was asked to continue. */
export const nudged = (turn: Turn, cause: NudgeCause): NewEvent => ({
  name: EventNames.turnNudged,
  payload: { cause } satisfies TurnNudged,
  turn: turn.id,
})

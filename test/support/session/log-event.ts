// Events as tests write them: with a name of the log, and only the payload fields that the test needs.
import type { EventName, UnlistedName } from "../../../src/schemas/log/event-payloads.ts"
import type { EphemeralEvent, EventPlace, LogEvent, NewEvent } from "../../../src/schemas/log/events.ts"

/** Only the prefix of an unlisted name is checked. */
export type TestName = Exclude<EventName, UnlistedName>

interface Placed extends EventPlace {
  readonly name: string
  readonly payload: unknown
}

/** The event as the log returns it, whatever was written. */
export const logEvent = (event: Placed): LogEvent => event as LogEvent

/** An event of the turn `turn`, whose seq and time are both `seq`. */
export const numberedEvent = (
  seq: number,
  name: TestName,
  payload: unknown,
  turn: string | null = "t",
  parent: string | null = null,
): LogEvent => logEvent({ seq, name, uuid: `u${seq}`, turn, parent_tool_use_id: parent, at: seq, payload })

export const newEvent = (name: TestName, payload: unknown, turn?: string): NewEvent =>
  ({ name, payload, ...(turn === undefined ? {} : { turn }) }) as NewEvent

export const ephemeralEvent = (name: TestName, turn: string, payload: unknown): EphemeralEvent =>
  ({ name, turn, payload }) as EphemeralEvent

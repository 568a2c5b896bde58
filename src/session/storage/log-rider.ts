// A part of the session that writes rows of its own in the transactions of a session's events.
import type { NewEvent } from "../../schemas/log/events.ts"

export interface LogRider {
  /** Receives the events that are about to be written; true when it has something to write with them. */
  isDue(events: ReadonlyArray<NewEvent>): boolean
  /** Inside the transaction, before the events are written. */
  write(): void
  committed(): void
  rolledBack(): void
}

// Whoever writes rows of its own in the transactions of a session's events.
import type { NewEvent } from "../../schemas/log/events.ts"

export interface LogRider {
  /** True when it has something to write. */
  isDue(): boolean
  /** Inside the transaction, before the events that are given are written. */
  write(events: ReadonlyArray<NewEvent>): void
  committed(): void
  rolledBack(): void
}

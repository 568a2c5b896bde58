// Whoever writes rows of its own in the transactions of a session's events.

export interface LogRider {
  /** True when it has something to write. */
  isDue(): boolean
  /** Inside the transaction, before the events. */
  write(): void
  committed(): void
  rolledBack(): void
}

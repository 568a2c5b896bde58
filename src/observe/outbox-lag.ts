// Tracks how far D1, the Queue and the webhooks are behind the sessions of this isolate; returns the sums for a scrape.
// Invariant: nothing is read from a session's storage, and a session whose object was evicted takes no memory.

/** What one session has not delivered yet. The session's object updates it as it writes and flushes. */
export class OutboxLag {
  /** When the oldest undelivered event was written, in milliseconds since 1970; null when all events are delivered. */
  since: number | null = null
  /** Events up to and including this seq are delivered; null while the cursors are unknown. */
  through: number | null = null
  readonly #lastSeq: () => number

  constructor(lastSeq: () => number) {
    this.#lastSeq = lastSeq
  }

  /** The number of undelivered events. */
  get events(): number {
    return this.since === null || this.through === null ? 0 : Math.max(0, this.#lastSeq() - this.through)
  }

  /** Call when an event was written, at `now`. */
  wrote(now: number): void {
    this.since ??= now
    this.through ??= this.#lastSeq() - 1
  }

  /** Call when all events are delivered. */
  delivered(): void {
    this.since = null
    this.through = this.#lastSeq()
  }
}

/** From this number of entries on, those whose sessions are gone are removed. */
const MANY = 10_000

/** Module state on purpose: it is the isolate's. A session that is opened again replaces its earlier entry. */
const lags = new Map<string, WeakRef<OutboxLag>>()

export const watchLag = (tenant: string, session: string, lag: OutboxLag): void => {
  if (lags.size >= MANY) living()
  lags.set(`${tenant}/${session}`, new WeakRef(lag))
}

export const forgetLag = (tenant: string, session: string): void => {
  lags.delete(`${tenant}/${session}`)
}

export interface LagTotals {
  readonly sessions: number
  readonly events: number
  /** Age of the oldest event, in seconds; 0 when there is none. */
  readonly seconds: number
}

export const lagTotals = (now: number): LagTotals => {
  const lagging = living().filter(({ since }) => since !== null)
  return {
    sessions: lagging.length,
    events: lagging.reduce((sum, { events }) => sum + events, 0),
    seconds: lagging.reduce((most, { since }) => Math.max(most, (now - (since ?? now)) / 1000), 0),
  }
}

const living = (): ReadonlyArray<OutboxLag> => {
  const found: Array<OutboxLag> = []
  for (const [key, reference] of lags) {
    const lag = reference.deref()
    if (lag === undefined) lags.delete(key)
    else found.push(lag)
  }
  return found
}

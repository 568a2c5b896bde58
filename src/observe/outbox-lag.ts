// Keeps how far the sessions of this isolate are ahead of D1, the Queue and the webhooks; returns the sum for a scrape.
// Invariant: nothing is read from a session's storage, and a session whose object has left the memory keeps no memory.

/** What one session has not delivered yet. Its object changes it as it writes and flushes. */
export class OutboxLag {
  /** When the oldest event that is not delivered was written, in milliseconds since 1970; null when all are delivered. */
  since: number | null = null
  /** Events through this seq are delivered; null while nothing is known of the cursors. */
  through: number | null = null
  readonly #lastSeq: () => number

  constructor(lastSeq: () => number) {
    this.#lastSeq = lastSeq
  }

  /** Events that are not delivered. */
  get events(): number {
    return this.since === null || this.through === null ? 0 : Math.max(0, this.#lastSeq() - this.through)
  }

  /** An event was written at `now`. */
  wrote(now: number): void {
    this.since ??= now
    this.through ??= this.#lastSeq() - 1
  }

  /** Everything is delivered. */
  delivered(): void {
    this.since = null
    this.through = this.#lastSeq()
  }
}

/** Above so many, those whose objects are gone are looked for. */
const MANY = 10_000

/** Module state on purpose: it is the isolate's. A session that is opened again replaces its lag of before. */
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
  const behind = living().filter(({ since }) => since !== null)
  return {
    sessions: behind.length,
    events: behind.reduce((sum, { events }) => sum + events, 0),
    seconds: behind.reduce((most, { since }) => Math.max(most, (now - (since ?? now)) / 1000), 0),
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

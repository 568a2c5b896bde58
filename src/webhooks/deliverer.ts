// Attempts the deliveries that are due: receives the tenant's book and records the outcome of each attempt in it.
// Invariant: a delivery has at most one attempt in flight, at most MAX_AT_ONCE attempts are in flight, and an alarm is armed
// before any attempt, so that deliveries in flight are attempted again if the process dies.
import * as Effect from "effect/Effect"
import type { GuardedFetch } from "../net/guarded-fetch.ts"
import { attemptDelivery, type AttemptOutcome } from "./attempt.ts"
import type { DueDelivery, WebhookBook } from "./webhook-book.ts"

const MAX_AT_ONCE = 32
/** If the process dies, deliveries in flight are attempted again about this much later. */
const GUARD_MS = 30_000
const SOONEST_MS = 1000
/** How often old, ended deliveries are removed while none is pending. */
const TIDY_EVERY_MS = 12 * 3_600_000

export interface DelivererDeps {
  readonly book: WebhookBook
  readonly fetch: GuardedFetch
  /** Opens a sealed secret; rejects when it can't be opened. */
  readonly open: (sealed: string) => Promise<string>
  /** Wakes the object at this time (milliseconds since 1970); replaces an earlier alarm. */
  readonly arm: (at: number) => void
  /** Runs `work` after this many milliseconds, if the process still lives. */
  readonly later: (ms: number, work: () => void) => void
  readonly keepAlive: (work: Promise<void>) => void
  readonly now: () => number
}

export class Deliverer {
  readonly #deps: DelivererDeps
  /** The attempts in flight, by `webhook/delivery`. */
  readonly #inFlight = new Map<string, { readonly webhook: string; readonly work: Promise<void> }>()

  /** When the next pump is due while deliveries are in flight, in milliseconds since 1970; null when none is scheduled. */
  #pumpsAt: number | null = null

  constructor(deps: DelivererDeps) {
    this.#deps = deps
  }

  /** Starts the attempts that are due, up to the limits, and arms the alarm. Each attempt that ends calls it again. */
  pump(): void {
    const { book, now, arm, keepAlive } = this.#deps
    const room = MAX_AT_ONCE - this.#inFlight.size
    const due = room <= 0 ? [] : book.due((webhook, id) => this.#inFlight.has(`${webhook}/${id}`), this.#busy)
    const begins = due.slice(0, room)
    if (begins.length + this.#inFlight.size > 0) arm(now() + GUARD_MS)
    else {
      const next = book.nextDue() ?? (book.hasDeliveries ? now() + TIDY_EVERY_MS : null)
      if (next !== null) arm(Math.max(next, now() + SOONEST_MS))
    }
    for (const delivery of begins) {
      const work = this.#attempt(delivery)
      this.#inFlight.set(`${delivery.webhook}/${delivery.id}`, { webhook: delivery.webhook, work })
      keepAlive(work)
    }
    if (this.#inFlight.size > 0) this.#pumpLater()
  }

  /** Schedules a pump for deliveries that become due while others are in flight: the alarm is armed only for those. */
  #pumpLater(): void {
    const { book, now, later } = this.#deps
    const at = now()
    const next = book.nextDue(at)
    if (next === null || next >= Math.min(at + GUARD_MS, this.#pumpsAt ?? Number.POSITIVE_INFINITY)) return
    this.#pumpsAt = next
    later(next - at, () => {
      if (this.#pumpsAt === next) this.#pumpsAt = null
      this.pump()
    })
  }

  /** Resolves when no attempt is in flight. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all([...this.#inFlight.values()].map(({ work }) => work))
  }

  readonly #busy = (webhook: string): number =>
    [...this.#inFlight.values()].filter((one) => one.webhook === webhook).length

  /** Never rejects. */
  async #attempt(delivery: DueDelivery): Promise<void> {
    const { book, fetch, now } = this.#deps
    const { webhook, id, url, body } = delivery
    let outcome: AttemptOutcome
    try {
      const secrets = await this.#secrets(delivery.sealed)
      outcome = await Effect.runPromise(attemptDelivery(fetch, { url, id, body, secrets, now: now() }))
    } catch {
      outcome = { delivered: false, status: null, error: UNSIGNED, retryAfterMs: null }
    }
    this.#inFlight.delete(`${webhook}/${id}`)
    try {
      book.attempted(webhook, id, outcome)
      this.pump()
    } catch {
      // The object may be full. The alarm is armed, and attempts the delivery again.
      Effect.runSync(Effect.logError("a delivery was not stored", { webhook, id }))
    }
  }

  /** The previous secret is left out when it can't be opened; the current one must be. */
  async #secrets([current = "", ...previous]: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
    const first = await this.#deps.open(current)
    const others = await Promise.allSettled(previous.map((sealed) => this.#deps.open(sealed)))
    return [first, ...others.flatMap((other) => (other.status === "fulfilled" ? [other.value] : []))]
  }
}

const UNSIGNED = "The webhook's secret can't be opened: the server's root key has changed. Roll the secret."

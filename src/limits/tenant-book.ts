// One tenant's current use of its limits: receives requests, turns and sessions that are about to start; returns which may.
// Invariant: at no moment is more admitted than the limits allow, unless the caller passes `always`; what an isolate took
// and never returned expires by itself.
import type { Admission, Lease, Limits, SessionIdsPage, TenantUse } from "../schemas/limits.ts"
import { WINDOW_MS } from "../schemas/limits.ts"
import { isStillAhead } from "./still-ahead.ts"

/** A slot that is not renewed becomes free after this; a running turn renews its slot every 30 s. */
const SLOT_MS = 90_000
/** A lease grants an isolate at most this fraction (1/50) of the limit at once. */
const ISOLATE_DIVISOR = 50

/** The stored ids of a tenant's sessions. */
export interface SessionIds {
  has(id: string): boolean
  add(id: string): void
  remove(id: string): void
  readonly count: number
  /** The first `limit` ids after `after`, in ascending order. */
  page(after: string, limit: number): ReadonlyArray<string>
}

interface Window {
  readonly until: number
  used: number
  readonly byKey: Map<string, number>
}

export class TenantBook {
  readonly #ids: SessionIds
  readonly #now: () => number
  readonly #limits: () => Limits
  #window: Window | null = null
  /** When the slot of each session's turn expires (milliseconds since 1970). */
  readonly #turns = new Map<string, number>()
  readonly #isolates = new Map<string, { readonly running: number; readonly until: number }>()
  #failures: { readonly until: number; count: number } | null = null

  constructor(ids: SessionIds, limits: () => Limits, now: () => number) {
    this.#ids = ids
    this.#limits = limits
    this.#now = now
  }

  /** Grants up to `wanted` requests of a key in this minute, at most 1/50 of the limit, so that unused grants waste little. */
  lease(key: string, wanted: number): Lease {
    const limits = this.#limits()
    const window = this.#currentWindow()
    const ofKey = window.byKey.get(key) ?? 0
    const left = Math.max(
      0,
      Math.min(limits.requests_per_minute - window.used, limits.requests_per_minute_per_key - ofKey),
    )
    const share = Math.floor(Math.min(limits.requests_per_minute, limits.requests_per_minute_per_key) / ISOLATE_DIVISOR)
    const granted = Math.min(left, Math.max(1, Math.min(wanted, share)))
    window.used += granted
    window.byKey.set(key, ofKey + granted)
    return { granted, left: left - granted, until: window.until, limits }
  }

  /** Call when the limits have changed: starts a new minute, in which earlier grants do not count. */
  restart(): void {
    this.#window = null
  }

  #currentWindow(): Window {
    const now = this.#now()
    if (this.#window === null || !isStillAhead(this.#window.until, now, WINDOW_MS)) {
      this.#window = { until: now + WINDOW_MS, used: 0, byKey: new Map() }
    }
    return this.#window
  }

  /** The number of open sessions, and of running turns as of the last reports. */
  get use(): TenantUse {
    return { open_sessions: this.#ids.count, running_turns: this.#running(this.#now()) }
  }

  beginTurn(session: string, always: boolean): Admission {
    const now = this.#now()
    const limits = this.#limits()
    const count = this.#running(now)
    if (this.#turns.has(session) || always || count < limits.running_turns) {
      const isCounted = this.#turns.has(session)
      this.#turns.set(session, now + SLOT_MS)
      return { admitted: true, count: isCounted ? count : count + 1, limits }
    }
    return { admitted: false, count, limits }
  }

  endTurn(session: string): void {
    this.#turns.delete(session)
  }

  reportTurns(isolate: string, running: number): Admission {
    const now = this.#now()
    if (running === 0) this.#isolates.delete(isolate)
    else this.#isolates.set(isolate, { running, until: now + SLOT_MS })
    return { admitted: true, count: this.#running(now), limits: this.#limits() }
  }

  #running(now: number): number {
    for (const [id, until] of this.#turns) if (!isStillAhead(until, now, SLOT_MS)) this.#turns.delete(id)
    let running = this.#turns.size
    for (const [isolate, { running: here, until }] of this.#isolates) {
      if (!isStillAhead(until, now, SLOT_MS)) this.#isolates.delete(isolate)
      else running += here
    }
    return running
  }

  openSession(session: string, always: boolean): Admission {
    const limits = this.#limits()
    if (this.#ids.has(session)) return { admitted: true, count: this.#ids.count, limits }
    if (!always && this.#ids.count >= limits.open_sessions) {
      return { admitted: false, count: this.#ids.count, limits }
    }
    this.#ids.add(session)
    return { admitted: true, count: this.#ids.count, limits }
  }

  closeSession(session: string): void {
    this.#ids.remove(session)
  }

  sessions(after: string, limit: number): SessionIdsPage {
    const ids = this.#ids.page(after, limit + 1)
    return { ids: ids.slice(0, limit), next: ids.length > limit ? (ids[limit - 1] ?? null) : null }
  }

  failedSignIns(count: number): { readonly count: number; readonly until: number } {
    const now = this.#now()
    if (this.#failures === null || !isStillAhead(this.#failures.until, now, WINDOW_MS))
      this.#failures = { until: now + WINDOW_MS, count: 0 }
    this.#failures.count += count
    return { ...this.#failures }
  }
}

// The places of a tenant's lane: receives turns that arrive, renew and leave; returns which may run.
// Invariants: no turn is admitted while as many places are held as the limit allows; waiting turns are admitted by the time
// of their arrival; the place of a session that is lost becomes free when its lease ends, also when the clock was set back.
import type { HeldPlace, LaneArrival } from "../../schemas/rpc/lane-rpc.ts"
import { isStillAhead } from "../still-ahead.ts"

/** A place that is not renewed becomes free after this; a turn renews it every 30 s. */
export const LEASE_MS = 90_000
/** After a restart a place is held for at least this long, so that a running turn can renew it. */
export const RESTART_MS = 35_000
/** The lease of a session that waited, until it confirms that it has its place: it may be gone. */
export const CONFIRM_MS = 10_000
/** How long a free place is reserved for a waiting session that is between two of its calls. */
export const RETURN_MS = 2_000
/** A waiting session that does not call is removed from the queue after this. */
export const AWAY_MS = 30_000

/** A place as it is stored, so that it outlives a restart. */
export interface StoredPlace extends HeldPlace {
  readonly turn: string
  /** When its lease ends (milliseconds since 1970). */
  readonly until: number
}

export interface PlaceStore {
  readonly all: () => ReadonlyArray<StoredPlace>
  readonly put: (place: StoredPlace) => void
  readonly remove: (session: string) => void
}

interface Waiter {
  readonly session: string
  readonly turn: string
  readonly since: number
  readonly order: number
  /** The session was answered with a position, and does other work between its calls. */
  isAnswered: boolean
  /** Since when the session has no open call (milliseconds since 1970); null while it has one. */
  awayAt: number | null
}

export class LaneBook {
  readonly #store: PlaceStore
  readonly #now: () => number
  readonly #places = new Map<string, StoredPlace>()
  /** Ordered by arrival, the longest waiting first. */
  #waiting: Array<Waiter> = []
  #arrivals = 0
  #generation = 0
  #limit: number

  /** Resumes with the stored places. */
  constructor(store: PlaceStore, limit: number, now: () => number) {
    this.#store = store
    this.#now = now
    this.#limit = limit
    for (const place of store.all()) {
      this.#places.set(place.session, { ...place, until: Math.max(place.until, now() + RESTART_MS) })
      this.#generation = Math.max(this.#generation, place.generation)
    }
    this.limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** 0 removes the limit: all places and waiting turns are dropped. */
  set limit(limit: number) {
    this.#limit = limit
    if (limit > 0) return
    for (const session of this.#places.keys()) this.#store.remove(session)
    this.#places.clear()
    this.#waiting = []
  }

  get held(): number {
    return this.#places.size
  }

  get waiting(): ReadonlyArray<Pick<Waiter, "session" | "turn" | "since">> {
    return this.#waiting
  }

  /** The generation of the turn's place; 0 when there is no limit, undefined while the turn has no place. */
  generationOf({ session, turn }: Pick<LaneArrival, "session" | "turn">): number | undefined {
    if (this.#limit === 0) return 0
    const place = this.#places.get(session)
    return place?.turn === turn ? place.generation : undefined
  }

  /** A session asks for a place for its turn: it keeps the place that it has, or is queued by its arrival. Then call `admit`. */
  arrive({ session, turn, since }: Omit<LaneArrival, "known">): void {
    if (this.#limit === 0) return
    const now = this.#now()
    const current = this.#places.get(session)
    // The session has restarted: a new generation makes late messages of its earlier process void.
    if (current?.turn === turn) return this.#grant({ session, turn }, LEASE_MS)
    // A session has one turn at a time, so the turn that held the place is over.
    if (current !== undefined) this.#free(session)
    const known = this.#waiting.find((waiter) => waiter.session === session)
    if (known?.turn === turn) {
      known.awayAt = null
      return
    }
    this.#forget(session)
    this.#arrivals += 1
    const waiter = {
      session,
      turn,
      since: Math.min(since ?? now, now),
      order: this.#arrivals,
      isAnswered: false,
      awayAt: null,
    }
    const before = this.#waiting.findIndex((other) => other.since > waiter.since)
    this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, waiter)
  }

  /** Gives free places to the longest waiting turns. A session between two calls has its place reserved for `RETURN_MS`. */
  admit(): void {
    this.#expire()
    const now = this.#now()
    let free = this.#limit - this.#places.size
    for (const waiter of this.#waiting) {
      if (free <= 0) return
      if (waiter.awayAt !== null && now >= waiter.awayAt + RETURN_MS) continue
      free -= 1
      if (waiter.awayAt === null) this.#grant(waiter, waiter.isAnswered ? CONFIRM_MS : LEASE_MS)
    }
  }

  /** The session's call was answered; the session calls again if it still waits. */
  away(session: string): void {
    const waiter = this.#waiting.find((other) => other.session === session)
    if (waiter === undefined) return
    waiter.isAnswered = true
    waiter.awayAt = this.#now()
  }

  /** Extends the lease of a place; false when the session no longer has it. */
  renew({ session, generation }: HeldPlace): boolean {
    if (this.#limit === 0) return true
    this.#expire()
    const place = this.#places.get(session)
    if (place?.generation !== generation) return false
    this.#hold({ ...place, until: this.#now() + LEASE_MS })
    return true
  }

  leave({ session, generation }: HeldPlace): void {
    if (this.#places.get(session)?.generation === generation) this.#free(session)
  }

  cancel({ session, turn }: Pick<LaneArrival, "session" | "turn">): void {
    if (this.#places.get(session)?.turn === turn) this.#free(session)
    if (this.#waiting.some((waiter) => waiter.session === session && waiter.turn === turn)) this.#forget(session)
  }

  /** When time alone may admit a waiting turn (milliseconds since 1970), as a lease ends; null when only a call can. */
  get nextExpiry(): number | null {
    if (this.#waiting.length === 0) return null
    const now = this.#now()
    const returns = this.#waiting.flatMap(({ awayAt }) =>
      awayAt === null ? [] : [awayAt + RETURN_MS, awayAt + AWAY_MS],
    )
    const next = Math.min(...[...this.#places.values()].map(({ until }) => until), ...returns.filter((at) => at > now))
    return Number.isFinite(next) ? next : null
  }

  #grant({ session, turn }: Pick<Waiter, "session" | "turn">, ms: number): void {
    this.#forget(session)
    const now = this.#now()
    this.#generation = Math.max(now, this.#generation + 1)
    this.#hold({ session, turn, generation: this.#generation, until: now + ms })
  }

  #hold(place: StoredPlace): void {
    this.#store.put(place)
    this.#places.set(place.session, place)
  }

  #free(session: string): void {
    this.#places.delete(session)
    this.#store.remove(session)
  }

  #forget(session: string): void {
    this.#waiting = this.#waiting.filter((waiter) => waiter.session !== session)
  }

  #expire(): void {
    const now = this.#now()
    for (const place of this.#places.values()) {
      if (place.until <= now) this.#free(place.session)
      // The clock was set back: the lease starts again, because the turn may be running.
      else if (place.until > now + LEASE_MS) this.#hold({ ...place, until: now + LEASE_MS })
    }
    this.#waiting = this.#waiting.filter(
      ({ awayAt }) => awayAt === null || isStillAhead(awayAt + AWAY_MS, now, AWAY_MS),
    )
  }
}

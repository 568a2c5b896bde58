// The Durable Object of a tenant's lane: admits the turns of its sessions, as many at once as the tenant's limit allows.
// Invariant: a place is stored before its session is answered, so that a restarted object admits no turn too many; a
// tenant without the limit has no such object.
import { DurableObject } from "cloudflare:workers"
import type { Env } from "../../schemas/env.ts"
import type { LaneRpc } from "../../schemas/rpc/lane-rpc.ts"
import { isStillAhead } from "../still-ahead.ts"
import { LaneBook, type PlaceStore, type StoredPlace } from "./lane-book.ts"
import { LaneCalls } from "./lane-calls.ts"

const LIMIT = "limit"
/** The limit is read again after this, because the message about a change may have been lost. */
const STALE_MS = 60_000

interface Lane {
  readonly book: LaneBook
  readonly calls: LaneCalls
  readAt: number
}

export class LaneObject extends DurableObject<Env> implements LaneRpc {
  #lane: Lane | null = null

  async enter(arrival: Parameters<LaneRpc["enter"]>[0]): ReturnType<LaneRpc["enter"]> {
    const { calls } = this.#fresh(this.#lane ?? (await this.#open()))
    return calls.enter(arrival)
  }

  async renew(place: Parameters<LaneRpc["renew"]>[0]): ReturnType<LaneRpc["renew"]> {
    const { book, calls } = this.#fresh(this.#lane ?? (await this.#open()))
    const isHeld = book.renew(place)
    calls.settle()
    return isHeld
  }

  async leave(place: Parameters<LaneRpc["leave"]>[0]): Promise<void> {
    const { book, calls } = this.#lane ?? (await this.#open())
    book.leave(place)
    calls.settle()
  }

  async cancel(turn: Parameters<LaneRpc["cancel"]>[0]): Promise<void> {
    const { calls } = this.#lane ?? (await this.#open())
    calls.cancel(turn)
  }

  async limitChanged(limit: number): Promise<void> {
    this.ctx.storage.kv.put(LIMIT, limit)
    if (this.#lane === null) return
    this.#lane.readAt = Date.now()
    this.#change(this.#lane, limit)
  }

  async #open(): Promise<Lane> {
    const limit = await this.#readLimit()
    if (this.#lane !== null) return this.#lane
    const book = new LaneBook(storedPlaces(this.ctx.storage.sql), limit, () => Date.now())
    this.#lane = { book, calls: new LaneCalls(book), readAt: Date.now() }
    return this.#lane
  }

  /** Reads the limit from the tenant's object; while that can't be reached, the last known limit applies. */
  async #readLimit(): Promise<number> {
    const known = this.ctx.storage.kv.get(LIMIT)
    try {
      const { limits } = await this.env.TENANTS.getByName(this.ctx.id.name ?? "").limits()
      if (known !== limits.lane_turns) this.ctx.storage.kv.put(LIMIT, limits.lane_turns)
      return limits.lane_turns
    } catch (error) {
      if (typeof known === "number") return known
      throw error
    }
  }

  #fresh(lane: Lane): Lane {
    const now = Date.now()
    if (isStillAhead(lane.readAt + STALE_MS, now, STALE_MS)) return lane
    lane.readAt = now
    const read = this.#readLimit().then(
      (limit) => this.#change(lane, limit),
      () => undefined,
    )
    this.ctx.waitUntil(read)
    return lane
  }

  #change({ book, calls }: Lane, limit: number): void {
    if (book.limit === limit) return
    book.limit = limit
    calls.settle()
  }
}

const storedPlaces = (sql: SqlStorage): PlaceStore => {
  sql.exec(
    "CREATE TABLE IF NOT EXISTS places (session TEXT PRIMARY KEY, turn TEXT NOT NULL, generation INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID",
  )
  return {
    all: () => sql.exec<StoredPlace & Record<string, string | number>>("SELECT * FROM places").toArray(),
    put: ({ session, turn, generation, until }) =>
      void sql.exec("INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?)", session, turn, generation, until),
    remove: (session) => void sql.exec("DELETE FROM places WHERE session = ?", session),
  }
}

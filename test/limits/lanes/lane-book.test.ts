// The slots of a lane: in any order of arrivals, ends, losses and restarts, never more turns are admitted than the limit
// allows, and waiting ones are admitted in the order of their arrival.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  AWAY_MS,
  CONFIRM_MS,
  LaneBook,
  LEASE_MS,
  type PlaceStore,
  RESTART_MS,
  RETURN_MS,
  type StoredPlace,
} from "../../../src/limits/lanes/lane-book.ts"

/** The interval at which sessions renew. */
const RENEW_MS = 30_000

class MemoryStore implements PlaceStore {
  readonly #places = new Map<string, StoredPlace>()
  readonly all = () => [...this.#places.values()]
  readonly put = (place: StoredPlace) => void this.#places.set(place.session, place)
  readonly remove = (session: string) => void this.#places.delete(session)
}

const setUp = (limit: number) => {
  const store = new MemoryStore()
  let now = 1_000_000
  const made = () => new LaneBook(store, limit, () => now)
  const lane = { book: made() }
  const enter = (session: string, since: number | null = null, turn = session) => {
    lane.book.arrive({ session, turn, since })
    lane.book.admit()
    return lane.book.generationOf({ session, turn })
  }
  const restart = () => {
    lane.book = made()
  }
  const pass = (ms: number) => {
    now += ms
    lane.book.admit()
  }
  return { lane, enter, restart, pass, clock: () => now }
}

describe("a lane with two places", () => {
  it("admits two turns, and the next in order of arrival when one ends", () => {
    const { lane, enter, pass } = setUp(2)
    const [a, b] = [enter("a"), enter("b")]
    expect([a, b].every((generation) => generation !== undefined && generation > 0)).toBe(true)
    expect([enter("c"), (pass(1), enter("d"))]).toEqual([undefined, undefined])
    expect(lane.book.waiting.map(({ session }) => session)).toEqual(["c", "d"])
    lane.book.leave({ session: "a", generation: a ?? 0 })
    lane.book.admit()
    expect(lane.book.generationOf({ session: "c", turn: "c" })).toBeGreaterThan(0)
    expect(lane.book.waiting.map(({ session }) => session)).toEqual(["d"])
  })

  it("keeps the arrival time of a turn that resumes, ahead of later ones", () => {
    const { lane, enter, pass, clock } = setUp(2)
    const begun = clock()
    const a = enter("a")
    enter("b")
    pass(5)
    enter("c")
    lane.book.leave({ session: "a", generation: a ?? 0 })
    lane.book.admit()
    pass(5)
    enter("d")
    enter("a", begun)
    expect(lane.book.waiting.map(({ session }) => session)).toEqual(["a", "d"])
  })

  it("frees the slot of a lost session after its lease, and an unclaimed one after a moment", () => {
    const { lane, enter, pass } = setUp(1)
    enter("a")
    enter("b")
    pass(LEASE_MS - 1)
    expect(lane.book.generationOf({ session: "b", turn: "b" })).toBeUndefined()
    lane.book.away("b")
    lane.book.arrive({ session: "b", turn: "b", since: null })
    enter("c")
    pass(1)
    const b = lane.book.generationOf({ session: "b", turn: "b" })
    expect(b).toBeGreaterThan(0)
    pass(CONFIRM_MS)
    expect(lane.book.generationOf({ session: "c", turn: "c" })).toBeGreaterThan(0)
    expect(lane.book.renew({ session: "b", generation: b ?? 0 })).toBe(false)
  })

  it("keeps a session's position between two calls, and skips one that does not return", () => {
    const { lane, enter, pass } = setUp(1)
    const a = enter("a")
    enter("b")
    lane.book.away("b")
    enter("c")
    lane.book.leave({ session: "a", generation: a ?? 0 })
    lane.book.admit()
    expect(lane.book.held).toBe(0)
    pass(RETURN_MS)
    expect(lane.book.generationOf({ session: "c", turn: "c" })).toBeGreaterThan(0)
    expect(lane.book.waiting.map(({ session }) => session)).toEqual(["b"])
    pass(AWAY_MS)
    expect(lane.book.waiting).toEqual([])
  })

  it("holds a place and a position no longer than their time when the clock is set back by hours", () => {
    const { lane, enter, pass } = setUp(1)
    const a = enter("a") ?? 0
    enter("b")
    enter("c")
    lane.book.away("b")
    pass(-5 * 3_600_000)
    // The turn runs on with its place; the session that waited is gone.
    expect(lane.book.renew({ session: "a", generation: a })).toBe(true)
    expect(lane.book.waiting.map(({ session }) => session)).toEqual(["c"])
    pass(-5 * 3_600_000)
    pass(LEASE_MS)
    expect(lane.book.renew({ session: "a", generation: a })).toBe(false)
    expect(lane.book.generationOf({ session: "c", turn: "c" })).toBeGreaterThan(0)
  })

  it("recognizes a late message of an older pass by its generation", () => {
    const { lane, enter } = setUp(1)
    const before = enter("a")
    const after = enter("a")
    expect(after).toBeGreaterThan(before ?? 0)
    lane.book.leave({ session: "a", generation: before ?? 0 })
    expect(lane.book.renew({ session: "a", generation: before ?? 0 })).toBe(false)
    expect(lane.book.renew({ session: "a", generation: after ?? 0 })).toBe(true)
  })

  it("admits all when the limit is removed, and no further ones when it is lowered", () => {
    const { lane, enter } = setUp(3)
    const [a] = [enter("a"), enter("b"), enter("c"), enter("d")]
    lane.book.limit = 1
    lane.book.leave({ session: "a", generation: a ?? 0 })
    lane.book.admit()
    expect(lane.book.generationOf({ session: "d", turn: "d" })).toBeUndefined()
    lane.book.limit = 4
    lane.book.admit()
    expect(lane.book.generationOf({ session: "d", turn: "d" })).toBeGreaterThan(0)
    enter("e")
    enter("f")
    lane.book.limit = 0
    expect(lane.book.generationOf({ session: "f", turn: "f" })).toBe(0)
    expect([lane.book.held, lane.book.waiting.length]).toEqual([0, 0])
  })
})

type Step =
  | { readonly do: "arrive" | "end" | "lose" | "away" | "park"; readonly session: number }
  | { readonly do: "restart"; readonly after: number }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "limit"; readonly limit: number }

const session = fc.integer({ min: 0, max: 9 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("arrive" as const), session }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("end" as const, "park" as const), session }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("lose" as const, "away" as const), session }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("restart" as const), after: fc.integer({ min: 0, max: 300_000 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("limit" as const), limit: fc.integer({ min: 1, max: 5 }) }) },
)

/** Sessions as they behave: they renew while they run, call again when the lane restarts, and some are lost. */
class World {
  readonly store = new MemoryStore()
  now = 1_000_000
  limit: number
  book: LaneBook
  /** The generation of each running turn. */
  readonly running = new Map<string, number>()
  readonly begunAt = new Map<string, number>()
  /** Sessions with an open call, and their arrival times. */
  readonly calling = new Map<string, number>()
  readonly problems: Array<string> = []
  #renewedAt = this.now

  constructor(limit: number) {
    this.limit = limit
    this.book = this.#made()
  }

  #made(): LaneBook {
    return new LaneBook(this.store, this.limit, () => this.now)
  }

  take(one: Step): void {
    if (one.do === "restart") this.#restart(one.after)
    else if (one.do === "pass") this.pass(one.ms)
    else if (one.do === "limit") {
      this.limit = one.limit
      this.book.limit = one.limit
    } else this.#ofSession(one.do, `s${one.session}`)
    this.settle()
  }

  #ofSession(what: "arrive" | "end" | "lose" | "away" | "park", id: string): void {
    const generation = this.running.get(id)
    if (what === "arrive" && generation === undefined && !this.calling.has(id)) this.#call(id)
    if (what === "away" && this.calling.has(id)) {
      this.calling.delete(id)
      this.book.away(id)
    }
    if (generation === undefined) return
    // A lost session sends nothing more, and its turn does not run.
    if (what === "lose" || what === "end" || what === "park") this.running.delete(id)
    if (what === "end" || what === "park") this.book.leave({ session: id, generation })
    if (what === "end") this.begunAt.delete(id)
  }

  #call(id: string): void {
    const since = this.begunAt.get(id) ?? this.now
    this.calling.set(id, since)
    this.book.arrive({ session: id, turn: id, since: this.begunAt.get(id) ?? null })
  }

  /** The lane is down for a while: messages from sessions are lost. */
  #restart(after: number): void {
    this.now += after
    this.#renewedAt = Math.max(this.#renewedAt, this.now - RENEW_MS + 1)
    this.book = this.#made()
    for (const id of this.calling.keys())
      this.book.arrive({ session: id, turn: id, since: this.calling.get(id) ?? null })
  }

  pass(ms: number): void {
    for (const end = this.now + ms; this.now < end;) {
      this.now = Math.min(end, this.#renewedAt + RENEW_MS)
      if (this.now < this.#renewedAt + RENEW_MS) break
      this.#renewedAt = this.now
      for (const [id, generation] of this.running) {
        if (!this.book.renew({ session: id, generation }))
          this.problems.push(`${id} lost its place while it renewed it`)
      }
    }
  }

  /** The admitted turns run from now on. */
  settle(): void {
    this.book.admit()
    const entered = [...this.calling].filter(([id]) => this.book.generationOf({ session: id, turn: id }) !== undefined)
    const latest = Math.max(...entered.map(([, since]) => since))
    for (const [id] of entered) {
      this.calling.delete(id)
      const generation = this.book.generationOf({ session: id, turn: id }) ?? 0
      this.running.set(id, generation)
      if (!this.begunAt.has(id)) this.begunAt.set(id, this.now)
      this.book.renew({ session: id, generation })
    }
    if (entered.length > 0 && this.running.size > this.limit) {
      this.problems.push(`${this.running.size} run, of ${this.limit}`)
    }
    for (const [id, since] of this.calling) {
      if (since < latest) this.problems.push(`${id} waits since ${since}, and one of ${latest} got in`)
    }
  }
}

it("in any order of arrivals, ends, losses and restarts never too many run, and all are admitted", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 80 }), (limit, steps) => {
      const world = new World(limit)
      for (const one of steps) world.take(one)
      expect(world.problems).toEqual([])
      // From here on turns only end, and the leases of lost ones expire.
      const waited = world.calling.size
      for (let rounds = 0; world.calling.size > 0 && rounds <= waited + 4; rounds += 1) {
        const running = [...world.running.keys()]
        for (const id of running) world.take({ do: "end", session: Number(id.slice(1)) })
        world.take({ do: "pass", ms: RESTART_MS })
      }
      expect([...world.calling.keys()]).toEqual([])
      expect(world.problems).toEqual([])
    }),
    { numRuns: 400 },
  )
})

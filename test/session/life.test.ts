// The states of a session's life, and the transitions between them.
import { describe, expect, it } from "vitest"
import { type LifeState, SessionLife } from "../../src/session/life.ts"
import type { OpenSession } from "../../src/session/open-session.ts"

// The life stores this value and calls nothing of it.
const session = {} as unknown as OpenSession

const STATES: Readonly<Record<LifeState["tag"], LifeState>> = {
  absent: { tag: "absent" },
  restoring: { tag: "restoring" },
  forking: { tag: "forking", done: Promise.resolve() },
  open: { tag: "open", session },
  erasing: { tag: "erasing", session },
  erased: { tag: "erased" },
}

/** The path to each state, and the states that may follow it. */
const TABLE: ReadonlyArray<{
  readonly way: ReadonlyArray<LifeState["tag"]>
  readonly next: ReadonlyArray<LifeState["tag"]>
}> = [
  { way: [], next: ["absent", "restoring", "forking", "open", "erased"] },
  { way: ["restoring"], next: ["absent", "restoring", "open"] },
  { way: ["forking"], next: ["absent", "forking", "open"] },
  { way: ["open"], next: ["open", "erasing"] },
  { way: ["open", "erasing"], next: ["open", "erasing", "erased"] },
  { way: ["erased"], next: ["erased"] },
]

const lifeAfter = (way: ReadonlyArray<LifeState["tag"]>): SessionLife => {
  const life = new SessionLife()
  for (const tag of way) life.become(STATES[tag])
  return life
}

describe("the life of a session", () => {
  it.each(TABLE)("after $way can only become $next", ({ way, next }) => {
    for (const state of Object.values(STATES)) {
      const life = lifeAfter(way)
      if (next.includes(state.tag)) {
        life.become(state)
        expect(life.state.tag).toBe(state.tag)
      } else expect(() => life.become(state), state.tag).toThrow("a session's life went from")
    }
  })

  it("has a session while it is open or being erased, and admits nothing new once erasure starts", () => {
    const seen = TABLE.map(({ way }) => lifeAfter(way))
    expect(seen.map((life) => life.session === session)).toEqual([false, false, false, true, true, false])
    expect(seen.map((life) => life.isClosed)).toEqual([false, false, false, false, true, true])
    expect(seen.map((life) => life.isErased)).toEqual([false, false, false, false, false, true])
    expect(() => new SessionLife().existing).toThrow("the session does not exist")
  })
})

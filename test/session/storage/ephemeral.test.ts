// When a session with `persistSession: false` ends: a minute after the last client has disconnected and nothing runs.
import { describe, expect, it } from "vitest"
import { Meta } from "../../../src/session/storage/meta.ts"
import { createTables } from "../../../src/session/storage/tables.ts"
import { EphemeralSession } from "../../../src/session/storage/ephemeral.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

const MINUTE = 60_000

const watched = (applies = true) => {
  const { sql, rowsWritten } = openTwin()
  createTables(sql)
  const state = { applies, attached: false, busy: false, lastAt: 0, now: 1_000_000, alarm: 0 }
  const look = () => {
    state.alarm = 0
    // A new instance each time, as after an eviction.
    return new EphemeralSession({
      meta: new Meta(sql),
      applies: () => state.applies,
      attached: () => state.attached,
      busy: () => state.busy,
      lastAt: () => state.lastAt,
      now: () => state.now,
      alarmAt: (at) => {
        state.alarm = at
      },
    }).checkAbandoned()
  }
  return { state, look, rowsWritten }
}

describe("an ephemeral session", () => {
  it("that no client ever connected to ends a minute after it was created, at the armed alarm", () => {
    const { state, look } = watched()
    expect(look()).toBe(false)
    expect(state.alarm).toBe(state.now + MINUTE)
    state.now += MINUTE - 1
    expect(look()).toBe(false)
    state.now += 1
    expect(look()).toBe(true)
  })

  it("stays while a client is connected, and counts again from when the last one disconnected", () => {
    const { state, look } = watched()
    look()
    state.attached = true
    state.now += 10 * MINUTE
    expect(look()).toBe(false)
    expect(state.alarm).toBeGreaterThan(state.now)
    state.attached = false
    expect(look()).toBe(false)
    expect(state.alarm).toBe(state.now + MINUTE)
    state.now = state.alarm
    expect(look()).toBe(true)
  })

  it("stays while a turn is open, and for a minute after its last event", () => {
    const { state, look } = watched()
    look()
    state.busy = true
    state.now += 60 * MINUTE
    expect(look()).toBe(false)
    state.busy = false
    state.lastAt = state.now
    expect(look()).toBe(false)
    expect(state.alarm).toBe(state.now + MINUTE)
    state.now += MINUTE
    expect(look()).toBe(true)
  })

  it("stays forever once its options say that it is persistent, and costs nothing from then on", () => {
    const { state, look, rowsWritten } = watched(false)
    const before = rowsWritten()
    state.now += 100 * MINUTE
    expect([look(), state.alarm]).toEqual([false, 0])
    expect(rowsWritten()).toBe(before)
  })
})

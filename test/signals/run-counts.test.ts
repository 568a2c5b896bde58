// A run's usage of its limits, counted from its log.
import { describe, expect, it } from "vitest"
import type { Signal } from "../../src/schemas/signal.ts"
import { countsOf } from "../../src/signals/run-counts.ts"

const signal = (id: string, parent?: string): Signal => ({
  id,
  name: "item:made",
  payload: {},
  timestamp: "2026-01-01T00:00:00.000Z",
  ...(parent === undefined ? {} : { source: { parent } }),
})

const LIMITS = { queue: 2, depth: 2, agents: 1 }

describe("waiting signals", () => {
  it("are limited: those from outside leave room for the run's own", () => {
    const counts = countsOf(LIMITS, { signals: [], at: 0, phase: 0 })
    expect(counts.entered([signal("a"), signal("b")])).toBeNull()
    expect(counts.room()).toBe(0)
    expect(counts.entered([signal("a1", "a"), signal("a2", "a")])).toBeNull()
    counts.taken(signal("a"))
    expect(counts.room()).toBe(1)
    expect(counts.entered([signal("a3", "a")])?.message).toContain("limit queue, which is 2")
  })

  it("are those after the one that is processed", () => {
    const signals = [signal("a"), signal("b"), signal("a1", "a"), signal("a2", "a")]
    const begun = countsOf(LIMITS, { signals, at: 0, phase: 1 })
    expect(begun.room()).toBe(1)
    expect(begun.entered([signal("a3", "a")])).not.toBeNull()
    const later = countsOf(LIMITS, { signals, at: 3, phase: 0 })
    expect(later.room()).toBe(2)
    expect(later.entered([signal("b1", "b")])).toBeNull()
  })
})

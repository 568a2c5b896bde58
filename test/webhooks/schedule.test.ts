// When failed deliveries are retried: within a day, with growing pauses, whatever the receiver requests.
import { expect, it } from "vitest"
import { GIVE_UP_AFTER_MS, nextAttempt } from "../../src/webhooks/schedule.ts"

/** Milliseconds after the offer at which attempts are made. */
const attemptsOf = (random: number, retryAfterMs: number | null = null): ReadonlyArray<number> => {
  const times = [0]
  for (;;) {
    const now = times.at(-1)!
    const next = nextAttempt({ attempts: times.length, createdAt: 0, now, retryAfterMs, random })
    if (next === null) return times
    times.push(next)
  }
}

it.each([0, 0.5, 1])("eleven attempts, or one fewer, end within 24 hours (jitter %d)", (random) => {
  const times = attemptsOf(random)
  expect(times.length).toBeGreaterThanOrEqual(10)
  expect(times.length).toBeLessThanOrEqual(11)
  expect(times.at(-1)).toBeLessThanOrEqual(GIVE_UP_AFTER_MS)
  expect(times.at(-1)).toBeGreaterThan(GIVE_UP_AFTER_MS / 2)
  const pauses = times.slice(1).map((time, at) => time - times[at]!)
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(pauses[0]).toBeGreaterThanOrEqual(5000)
})

it("a pause that the receiver requests is respected, up to an hour", () => {
  expect(attemptsOf(0, 20_000)[1]).toBe(20_000)
  expect(attemptsOf(0, 10 * 24 * 3_600_000)[1]).toBe(3_600_000)
})

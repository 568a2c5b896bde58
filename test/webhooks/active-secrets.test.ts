// The secrets of a webhook that sign its deliveries, while its current one is replaced.
import { expect, it } from "vitest"
import { WebhookBook } from "../../src/webhooks/webhook-book.ts"
import { openTwin } from "../workspace/sql-twin.ts"

const HOUR = 3_600_000

/** A webhook with one delivery that is always due, and the clock. */
const setUp = () => {
  const clock = { now: 1_700_000_000_000 }
  const { sql } = openTwin()
  const book = new WebhookBook({ sql, now: () => clock.now, random: () => 0 })
  book.create("w", { url: "https://example.com/w", events: ["**"] }, { sealed: "one", fingerprint: "w" })
  book.add("w", { id: "e1", type: "webhook:test", at: clock.now, body: "{}" })
  const roll = (sealed: string, overlapMs: number) => void book.rollSecret("w", sealed, overlapMs)
  const active = () =>
    book.due(
      () => false,
      () => 0,
    )[0]?.sealed
  return { clock, sql, roll, active }
}

it("an earlier secret signs until its own end, however often the current one is replaced meanwhile", () => {
  const { clock, roll, active } = setUp()
  roll("two", HOUR)
  clock.now += HOUR / 2
  // A client that has lost the response rolls again.
  roll("three", HOUR)
  expect(active()).toEqual(["three", "two", "one"])
  clock.now += HOUR / 2
  expect(active()).toEqual(["three", "two"])
  clock.now += HOUR / 2
  expect(active()).toEqual(["three"])
})

it("a shorter overlap also applies to earlier secrets", () => {
  const { clock, roll, active } = setUp()
  roll("two", 2 * HOUR)
  roll("three", HOUR)
  clock.now += HOUR
  expect(active()).toEqual(["three"])
  roll("four", 0)
  expect(active()).toEqual(["four"])
})

it("at most four secrets sign a delivery, the newest first", () => {
  const { roll, active } = setUp()
  for (const next of ["two", "three", "four", "five"]) roll(next, HOUR)
  expect(active()).toEqual(["five", "four", "three", "two"])
})

it("the previous secret that an earlier version stored signs until its end", () => {
  const { clock, sql, roll, active } = setUp()
  sql.exec("UPDATE webhooks SET sealed = 'two', previous = 'one', previous_until = ?", clock.now + HOUR)
  expect(active()).toEqual(["two", "one"])
  roll("three", 2 * HOUR)
  expect(active()).toEqual(["three", "two", "one"])
  clock.now += HOUR
  expect(active()).toEqual(["three", "two"])
})

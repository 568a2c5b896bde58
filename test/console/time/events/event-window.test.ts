import { expect, it } from "vitest"
import { MAX_SHOWN, withLater, withNewest } from "../../../../src/console/time/events/event-window.ts"
import type { RawEvent } from "../../../../src/console/time/past/marks.ts"
import { downFrom, rawEvent } from "./raw-events.ts"

const events = (...seqs: ReadonlyArray<number>) => seqs.map(rawEvent)
const seqsOf = (shown: ReadonlyArray<RawEvent>) => shown.map(({ seq }) => seq)

it("an event that is shown already is not added again", () => {
  expect(seqsOf(withLater(events(9, 8), events(8, 7), "desc").events)).toEqual([9, 8, 7])
  expect(seqsOf(withLater(events(1, 2), events(2, 3), "asc").events)).toEqual([1, 2, 3])
  expect(seqsOf(withNewest(events(9, 8), rawEvent(9)).events)).toEqual([9, 8])
  expect(seqsOf(withNewest([], rawEvent(9)).events)).toEqual([9])
})

it("drops the oldest event for a newer one when as many as possible are shown", () => {
  const { events: shown, isCut } = withNewest(downFrom(5000, MAX_SHOWN), rawEvent(5001))
  expect([isCut, shown.length, shown[0]?.seq, shown.at(-1)?.seq]).toEqual([true, MAX_SHOWN, 5001, 5002 - MAX_SHOWN])
  expect(withNewest(downFrom(5000, MAX_SHOWN - 1), rawEvent(5001)).isCut).toBe(false)
})

it("drops the first events for a later page when as many as possible are shown", () => {
  const { events: shown, isCut } = withLater(downFrom(5000, MAX_SHOWN), downFrom(5000 - MAX_SHOWN, 100), "desc")
  expect([isCut, shown.length, shown[0]?.seq, shown.at(-1)?.seq]).toEqual([true, MAX_SHOWN, 4900, 4901 - MAX_SHOWN])
  expect(withLater(downFrom(5000, 900), downFrom(4100, 100), "desc").isCut).toBe(false)
})

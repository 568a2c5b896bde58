import { expect, test } from "vitest"
import { blocksOf } from "../../../../src/console/time/events/event-blocks.ts"
import { downFrom } from "./raw-events.ts"

test("all events are in blocks, in their order", () => {
  const events = downFrom(1234, 1000)
  expect(blocksOf(events).flatMap((block) => block.events)).toEqual(events)
  expect(blocksOf([])).toEqual([])
})

test("an event that is added before the first one, and one that is dropped at the end, change only their blocks", () => {
  const before = new Map(blocksOf(downFrom(1234, 1000)).map(({ key, events }) => [key, events.map(({ seq }) => seq)]))
  const after = blocksOf(downFrom(1235, 1000))
  const changed = after.filter(({ key, events }) => `${before.get(key)}` !== `${events.map(({ seq }) => seq)}`)
  expect(changed.map(({ events }) => events.length)).toEqual([36, 14])
})

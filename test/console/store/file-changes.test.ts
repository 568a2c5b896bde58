import { afterEach, expect, test, vi } from "vitest"
import { FileChanges } from "../../../src/console/store/file-changes.ts"

afterEach(() => void vi.useRealTimers())

test("the first report counts at once, and all of the next second count together", () => {
  vi.useFakeTimers()
  const changes = new FileChanges()
  for (let report = 0; report < 3; report += 1) changes.note()
  expect(changes.count.value).toBe(1)
  vi.advanceTimersByTime(1000)
  expect(changes.count.value).toBe(2)
  vi.advanceTimersByTime(1000)
  expect(changes.count.value).toBe(2)
  changes.note()
  expect(changes.count.value).toBe(3)
})

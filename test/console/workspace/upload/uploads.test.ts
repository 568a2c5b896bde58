import { describe, expect, test } from "vitest"
import { type Item, jobRunner, summaryOf, targetOf } from "../../../../src/console/workspace/upload/uploads.ts"

describe("uploads", () => {
  test("are placed below the folder with their own folders, and never above it", () => {
    expect(targetOf("/workspace", "photos/a.png")).toBe("/workspace/photos/a.png")
    expect(targetOf("/", "../..//a.txt")).toBe("/a.txt")
  })

  test("are summarized by outcome", () => {
    const items: ReadonlyArray<Item> = [
      { path: "/a", size: 10, state: "done" },
      { path: "/b", size: 5, state: "failed", reason: "too large" },
    ]
    expect(summaryOf(items)).toEqual({ files: 2, done: 1, failed: 1, bytes: 15, doneBytes: 10, isOver: true })
    expect(summaryOf([...items, { path: "/c", size: 1, state: "waiting" }]).isOver).toBe(false)
  })

  test("run a few at a time", async () => {
    let running = 0
    let most = 0
    const seen: Array<number> = []
    await jobRunner(2)([1, 2, 3, 4, 5], async (job) => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      seen.push(job)
      running -= 1
    })
    expect([most, seen]).toEqual([2, [1, 2, 3, 4, 5]])
  })

  test("run in the order of their calls, a few at a time over all of them", async () => {
    const run = jobRunner(2)
    const begun: Array<number> = []
    const ends: Array<() => void> = []
    const job = (number: number) => {
      begun.push(number)
      return new Promise<void>((resolve) => ends.push(resolve))
    }
    const first = run([1, 2, 3], job)
    const second = run([4], job)
    expect(begun).toEqual([1, 2])
    for (const end of ends.splice(0)) end()
    await expect.poll(() => begun).toEqual([1, 2, 3, 4])
    ends[0]?.()
    await first
    ends[1]?.()
    await second
    await Promise.all([run([], job), run([5], async (number) => void begun.push(number))])
    expect(begun.at(-1)).toBe(5)
  })
})

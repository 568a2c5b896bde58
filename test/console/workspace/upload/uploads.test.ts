import { describe, expect, test } from "vitest"
import { type Item, runAll, summaryOf, targetOf } from "../../../../src/console/workspace/upload/uploads.ts"

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
    await runAll([1, 2, 3, 4, 5], 2, async (job) => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      seen.push(job)
      running -= 1
    })
    expect([most, seen]).toEqual([2, [1, 2, 3, 4, 5]])
  })
})

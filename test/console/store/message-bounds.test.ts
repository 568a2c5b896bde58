import { describe, expect, test } from "vitest"
import { keptOf, sizeOf } from "../../../src/console/store/message-bounds.ts"

const each = (count: number, size: number): ReadonlyArray<number> => Array.from({ length: count }, () => size)

describe("the messages that a page keeps", () => {
  test("are all below the bounds", () => {
    expect(keptOf([])).toBe(0)
    expect(keptOf(each(2000, 16_000))).toBe(2000)
  })

  test("are the newest 500 when there are too many", () => {
    expect(keptOf(each(2001, 10))).toBe(500)
  })

  test("are the newest with eight million characters when their texts are too long", () => {
    expect(keptOf(each(400, 100_000))).toBe(80)
    expect(keptOf([...each(300, 200_000), ...each(100, 10)])).toBe(139)
    expect(keptOf(each(2000, 100_000))).toBe(80)
  })

  test("are a page at least", () => {
    expect(keptOf(each(60, 1_000_000))).toBe(50)
    expect(keptOf(each(20, 5_000_000))).toBe(20)
  })
})

test("the size of a part counts all of its texts", () => {
  const state = {
    status: "completed",
    input: { file_path: "/a" },
    output: "x".repeat(100),
    time: { start: 1 },
  } as const
  expect(sizeOf({ id: "p", messageID: "m", type: "tool", state })).toBe(1 + 1 + 4 + 9 + 2 + 100)
})

import { describe, expect, it } from "vitest"
import { contextGrid } from "../../../src/model/catalogue/context-grid.ts"

const KINDS = { Skills: "used", Messages: "used", Buffer: "buffer", Free: "free" } as const

/** The squares of a grid as text: how many of each category, and how full each category's last one is. */
const gridOf = (counts: Partial<Record<keyof typeof KINDS, number>>, window = 200_000) => {
  const categories = Object.entries(counts).map(([name, tokens]) => ({
    name,
    tokens,
    color: "blue",
    kind: KINDS[name as keyof typeof KINDS],
  }))
  const rows = contextGrid(categories, window)
  expect(rows.map((row) => row.length)).toEqual(Array.from({ length: 10 }, () => (window < 1_000_000 ? 10 : 20)))
  const runs = Map.groupBy(rows.flat(), ({ categoryName }) => categoryName)
  return [...runs].map(([name, squares]) => {
    expect(squares.slice(0, -1).every(({ squareFullness }) => squareFullness === 1)).toBe(true)
    const { percentage, squareFullness } = squares.at(-1)!
    return `${squares.length} ${name} ${percentage}% ${Number(squareFullness.toFixed(3))}`
  })
}

// Recorded with the official SDK 0.3.330.
describe("the squares of a context report", () => {
  it("show each category that is in use with at least one square, the last of which may be partly full", () => {
    expect(gridOf({ Skills: 1552, Messages: 3448, Free: 195_000 })).toEqual([
      "1 Skills 1% 0.776",
      "2 Messages 2% 0.724",
      "97 Free 98% 1",
    ])
    expect(gridOf({ Skills: 1552, Messages: 163_448, Free: 35_000 })).toEqual([
      "1 Skills 1% 0.776",
      "82 Messages 82% 0.724",
      "17 Free 18% 1",
    ])
  })

  it("show what is reserved for compaction after the free squares", () => {
    expect(gridOf({ Skills: 1552, Messages: 38_448, Buffer: 33_000, Free: 127_000 })).toEqual([
      "1 Skills 1% 0.776",
      "19 Messages 19% 1",
      "63 Free 64% 1",
      "17 Buffer 17% 0.5",
    ])
  })

  it("are twice as many for a window of a million tokens", () => {
    expect(gridOf({ Skills: 1552, Messages: 248_448, Free: 750_000 }, 1_000_000)).toEqual([
      "1 Skills 0% 0.31",
      "50 Messages 25% 0.69",
      "149 Free 75% 1",
    ])
  })

  it("are no more when the conversation exceeds the window", () => {
    expect(gridOf({ Skills: 1552, Messages: 198_448, Free: 0 })).toEqual(["1 Skills 1% 0.776", "99 Messages 99% 1"])
    expect(gridOf({ Messages: 300_000, Free: 0 })).toEqual(["100 Messages 150% 1"])
    expect(gridOf({ Skills: 400_000, Buffer: 0, Free: 0 })).toEqual(["100 Skills 200% 1"])
  })

  it("are all there when the shares are rounded down", () => {
    expect(gridOf({ Messages: 198_800, Free: 1200 })).toEqual(["99 Messages 99% 1", "1 Free 1% 1"])
    expect(gridOf({ Messages: 0, Free: 200_000 })).toEqual(["100 Free 100% 1"])
  })
})

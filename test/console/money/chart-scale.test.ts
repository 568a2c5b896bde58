import { describe, expect, test } from "vitest"
import { budgetOf, labelEvery, labelPlace, scaleOf } from "../../../src/console/money/chart-scale.ts"

describe("the scale of a chart", () => {
  test("ends at a round number that is not below any value", () => {
    expect(scaleOf([3, 7, 9])).toEqual({ max: 10, ticks: [0, 2.5, 5, 7.5, 10] })
    expect(scaleOf([0.0123]).ticks).toEqual([0, 0.005, 0.01, 0.015])
    expect(scaleOf([])).toEqual({ max: 1, ticks: [0, 1] })
  })

  test("has at least the required maximum", () => {
    expect(scaleOf([0.2], 1).max).toBe(1)
  })

  test("has few steps and includes the largest value, whatever it is", () => {
    for (let value = 0.0001; value < 1e7; value *= 1.37) {
      const { max, ticks } = scaleOf([value])
      expect(max).toBeGreaterThanOrEqual(value)
      expect(ticks.length).toBeLessThanOrEqual(6)
    }
  })

  test("omits labels that would overlap", () => {
    expect([labelEvery(7, 10), labelEvery(30, 10), labelEvery(0, 10)]).toEqual([1, 3, 1])
  })

  test("a label does not end outside of the chart", () => {
    expect([labelPlace(100, "11-26", 200), labelPlace(195, "11-26", 200)]).toEqual([100, 180])
  })

  test("a budget is fine, nearly used up, or exceeded", () => {
    expect(budgetOf(1, 10)).toEqual({ share: 0.1, state: "fine" })
    expect(budgetOf(8, 10).state).toBe("near")
    expect(budgetOf(11, 10)).toEqual({ share: 1, state: "over" })
    expect(budgetOf(0, 0).state).toBe("over")
  })
})

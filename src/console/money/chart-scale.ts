// The scale of a chart: its maximum, and round numbers for its axis.

export interface Scale {
  readonly max: number
  readonly ticks: ReadonlyArray<number>
}

const STEPS = [1, 2, 2.5, 5, 10]

/** From 0 to a round number that is at least as large as every value, in at most five equal steps. */
export const scaleOf = (values: ReadonlyArray<number>, atLeast = 0): Scale => {
  const largest = Math.max(...values, atLeast, 0)
  if (largest === 0) return { max: 1, ticks: [0, 1] }
  const power = 10 ** Math.floor(Math.log10(largest / 4))
  const step = (STEPS.find((factor) => factor * power * 4 >= largest) ?? 10) * power
  const steps = Math.ceil(largest / step - 1e-9)
  // Rounded, because sums of binary fractions would be shown as 0.30000000000000004.
  const ticks = Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)))
  return { max: ticks.at(-1) ?? largest, ticks }
}

/** Returns n if every nth label has to be shown below the bars, so that labels do not overlap; `fit` labels have room. */
export const labelEvery = (bars: number, fit: number): number => Math.max(Math.ceil(bars / Math.max(fit, 1)), 1)

/** Half the width of a label's character, in pixels. */
const HALF_CHARACTER = 4

/** The middle of a label for the place `x`: moved to the left if the label would end outside of the chart. */
export const labelPlace = (x: number, label: string, width: number): number =>
  Math.min(x, width - label.length * HALF_CHARACTER)

/** The used share of a budget, 0 to 1, and whether it is almost or completely used up. */
export const budgetOf = (used: number, limit: number) => {
  const share = limit === 0 ? 1 : Math.min(used / limit, 1)
  return { share, state: used >= limit ? "over" : share >= 0.8 ? "near" : "fine" } as const
}

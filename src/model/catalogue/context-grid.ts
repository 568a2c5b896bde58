// Receives the categories of a context report and its window in tokens; returns the squares that show them: ten rows of ten, of
// twenty for windows from a million tokens on. As the official SDK: a category that is in use has at least one square, and the
// free ones come before those that are reserved for compaction.
import type { SDKControlGetContextUsageResponse } from "../../schemas/sdk/control/context-report.ts"

type Category = SDKControlGetContextUsageResponse["categories"][number]
type Row = SDKControlGetContextUsageResponse["gridRows"][number]

const ROWS = 10
const LARGE_WINDOW = 1_000_000

export const contextGrid = (categories: ReadonlyArray<Category>, window: number): ReadonlyArray<Row> => {
  const columns = window >= LARGE_WINDOW ? 20 : 10
  const total = ROWS * columns
  /** `count`: how many squares, if not in proportion to the tokens. */
  const squaresOf = (kind: Category["kind"], count?: number): Row =>
    categories
      .filter((category) => category.kind === kind && (category.tokens > 0 || kind === "free"))
      .flatMap(({ name, tokens, color }) => {
        const exact = (tokens / window) * total
        const percentage = Math.round((tokens / window) * 100)
        return Array.from({ length: count ?? Math.max(1, Math.round(exact)) }, (_, at) => {
          const squareFullness = count === undefined && at === Math.floor(exact) ? exact - at : 1
          return { color, isFilled: true, categoryName: name, tokens, percentage, squareFullness }
        })
      })
  const used = squaresOf("used").slice(0, total)
  const buffer = squaresOf("buffer").slice(0, total - used.length)
  const squares = [...used, ...squaresOf("free", total - used.length - buffer.length), ...buffer]
  return Array.from({ length: ROWS }, (_, row) => squares.slice(row * columns, (row + 1) * columns))
}

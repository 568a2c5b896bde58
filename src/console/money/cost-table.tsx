// Costs and tokens as a table: a row for each turn, day, model or session; of many the first ones, and more at each click.
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { count, counted, usd } from "../kit/format.ts"
import { MoreButton } from "../kit/text/more-button.tsx"
import { usePrinting } from "../kit/use-printing.ts"
import { percent, type Tokens } from "./turn-costs.ts"

export interface CostLine extends Tokens {
  readonly key: string
  readonly name: ComponentChildren
  /** In US dollars; null when it has no price. */
  readonly usd: number | null
  readonly hitRate: number | null
}

interface TableProps {
  readonly title: string
  readonly unit: string
  readonly lines: ReadonlyArray<CostLine>
}

/** How many rows are shown at first, and how many more at each click: rendering hundreds at once blocks a slow device. */
const ROWS = 100

/** An amount in US dollars as text; null means that there is no price. */
const price = (amount: number | null): string => (amount === null ? "no price" : usd(amount))

export const CostTable = ({ title, unit, lines }: TableProps) => {
  const most = useSignal(ROWS)
  const shown = usePrinting() ? lines : lines.slice(0, most.value)
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={title}>
        <table class="numbers wide">
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{unit}</th>
              <th scope="col">Cost</th>
              <th scope="col">Input</th>
              <th scope="col">Output</th>
              <th scope="col">Cache read</th>
              <th scope="col">Cache written</th>
              <th scope="col">Hit rate</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <tr key={line.key}>
                <th scope="row">{line.name}</th>
                <td>{price(line.usd)}</td>
                <td>{count(line.input)}</td>
                <td>{count(line.output)}</td>
                <td>{count(line.cacheRead)}</td>
                <td>{count(line.cacheWrite)}</td>
                <td>{percent(line.hitRate)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < lines.length ? (
        <MoreButton onMore={() => (most.value += ROWS)}>
          Show more of {counted(lines.length, unit.toLowerCase())}
        </MoreButton>
      ) : null}
    </>
  )
}

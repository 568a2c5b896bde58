// Costs and tokens as a table: a row for each turn, day, model or session.
import type { ComponentChildren } from "preact"
import { count, usd } from "../kit/format.ts"
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

/** An amount in US dollars as text; null means that there is no price. */
const price = (amount: number | null): string => (amount === null ? "no price" : usd(amount))

export const CostTable = ({ title, unit, lines }: TableProps) => (
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
        {lines.map((line) => (
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
)

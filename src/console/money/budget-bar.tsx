// The used share of a budget, as a meter and in words.
import { budgetOf } from "./chart-scale.ts"

interface BudgetProps {
  readonly name: string
  readonly used: number
  readonly limit: number
  readonly format: (value: number) => string
}

const STATE = { fine: "", near: "nearly used up", over: "used up" }

export const BudgetBar = ({ name, used, limit, format }: BudgetProps) => {
  const { state } = budgetOf(used, limit)
  return (
    <p class={`budget ${state}`}>
      <span>{name}</span>
      <meter
        min={0}
        max={Math.max(limit, used, 1e-9)}
        high={limit * 0.8}
        value={used}
        aria-label={name}
        aria-valuetext={`${format(used)} of ${format(limit)}`}
      />
      <span>
        {format(used)} of {format(limit)} {STATE[state] === "" ? null : <strong>{STATE[state]}</strong>}
      </span>
    </p>
  )
}

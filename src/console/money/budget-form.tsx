// A form that sets, changes or removes the budget of a session, for example when it is exhausted.
import { useState } from "preact/hooks"
import { ErrorText } from "../kit/error-text.tsx"
import { useRequest } from "../kit/use-request.ts"
import type { SessionStore } from "../store/session-store.ts"

interface BudgetFormProps {
  readonly store: SessionStore
  /** In US dollars; null if there is no budget. */
  readonly budget: number | null
}

export const BudgetForm = ({ store, budget }: BudgetFormProps) => {
  // Null until something is typed: the budget may be changed elsewhere.
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? (budget === null ? "" : String(budget))
  const request = useRequest()
  const change = async (maxBudgetUsd: number | null) => {
    await store.update({ options: { maxBudgetUsd } })
    setTyped(null)
  }
  const save = async () => {
    const maxBudgetUsd = Number(text)
    if (!Number.isFinite(maxBudgetUsd) || maxBudgetUsd <= 0)
      throw new Error(
        `The budget must be an amount in USD above 0. Got ${text.trim() === "" ? "nothing" : text.trim()}.`,
      )
    await change(maxBudgetUsd)
  }
  return (
    <form
      class="budget-form"
      onSubmit={(event) => {
        event.preventDefault()
        request.run(save)
      }}
    >
      <label>
        Budget in USD{" "}
        <input
          inputMode="decimal"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={request.isBusy}>
        {request.isBusy ? "Saving…" : budget === null ? "Set the budget" : "Change the budget"}
      </button>
      {budget === null ? null : (
        <button type="button" disabled={request.isBusy} onClick={() => request.run(() => change(null))}>
          Remove the budget
        </button>
      )}
      <ErrorText error={request.error} />
    </form>
  )
}

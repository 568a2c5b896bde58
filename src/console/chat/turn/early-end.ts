// Receives the result of a turn; returns a sentence about an end that no answer shows, such as an exhausted budget.
import type { ResultMessage } from "../../../client/api/messages.ts"

export interface EarlyEnd {
  readonly text: string
  readonly isBudget: boolean
}

/** Without `error_during_execution`: interrupted and failed turns are shown with the answer that they cut off. */
const TEXTS: Readonly<Record<string, string>> = {
  error_max_budget_usd: "The turn ended because its budget is used up",
  error_max_turns: "The turn ended because it has made as many model requests as it may",
  error_max_structured_output_retries: "The turn ended because no answer had the form that was asked for",
}

export const earlyEnd = (result: ResultMessage | null): EarlyEnd | null => {
  const text = TEXTS[result?.subtype ?? ""]
  if (result === null || text === undefined) return null
  const reason = result.errors?.[0]
  return {
    text: reason === undefined ? `${text}.` : `${text}: ${reason}.`,
    isBudget: result.subtype === "error_max_budget_usd",
  }
}

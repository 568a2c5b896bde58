// Receives the state of a turn between two steps; returns what the turn does next.
// Invariant: pure. The order of the rules is written here and nowhere else: what a crash cut off between its cause and its
// end is ended first, and the model is asked last.

export interface TurnState {
  /** What was done since the last step: nothing yet, its open calls were run, or its last answer was judged. */
  readonly phase: "entered" | "calls_done" | "judged"
  /** A model request failed for good. */
  readonly failed: boolean
  readonly overBudget: boolean
  /** The last answer was stopped by a safety check, and nothing was done about it. */
  readonly refused: boolean
  /** Calls without a result, results without their common hook, or a hook or value that decides the turn. */
  readonly openCalls: boolean
  /** The model's last answer is the end of the conversation so far. */
  readonly answered: boolean
  /** The turn has made as many requests as it may. */
  readonly overTurns: boolean
  /** The conversation is to be summed up before the next request. */
  readonly full: boolean
}

/**
 * `fail`, `end_over_budget`, `end_over_turns`: the turn ends. `drop_calls`: of a refused answer. `judge`: the answer may end
 * the turn. `compact`: the conversation is summed up. `step`: the model is asked.
 */
export type TurnAction =
  | "fail"
  | "end_over_budget"
  | "drop_calls"
  | "run_calls"
  | "judge"
  | "end_over_turns"
  | "compact"
  | "step"

export const nextAction = (state: TurnState): TurnAction => {
  if (state.phase === "entered") {
    if (state.failed) return "fail"
    if (state.overBudget) return "end_over_budget"
    if (state.refused) return "drop_calls"
    if (state.openCalls) return "run_calls"
  }
  if (state.phase !== "judged" && state.answered) return "judge"
  if (state.overTurns) return "end_over_turns"
  return state.full ? "compact" : "step"
}

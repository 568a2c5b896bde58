// Receives the state of a turn between two steps; returns what the turn does next.
// Invariant: pure. The order of the rules is defined only here: what a crash interrupted is completed first, and the model
// is asked last.

export interface TurnState {
  /** What was done since the last step: nothing yet, its open calls were run, or its last answer did not end the turn. */
  readonly phase: "entered" | "calls_done" | "judged"
  /** A model request failed and is not retried. */
  readonly failed: boolean
  readonly overBudget: boolean
  /** The last answer was stopped by a safety check, which was not handled yet. */
  readonly refused: boolean
  /** There are calls without a result, results without their PostToolBatch hook, or a hook or value that decides the turn. */
  readonly openCalls: boolean
  /** The conversation so far ends with an answer of the model. */
  readonly answered: boolean
  /** The turn has made as many requests as it may. */
  readonly overTurns: boolean
  /** The conversation is to be summarized before the next request. */
  readonly full: boolean
}

/**
 * `fail`, `end_over_budget`, `end_over_turns`: end the turn. `drop_calls`: drop the calls of a refused answer. `run_calls`: run
 * the open calls. `judge`: decide whether the answer ends the turn. `compact`: summarize the conversation. `step`: ask the model.
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

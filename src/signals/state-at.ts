// Receives a workflow and the log of a run; returns the state that the run had at a position of the log.
// Invariant: only handlers change the state, so no agent's answer is needed: the state is a fold of the log.
import * as Effect from "effect/Effect"
import { isObserved, type Signal } from "../schemas/signal.ts"
import type { HandlerError, WorkflowError } from "./errors.ts"
import { isDone, runHandlers } from "./step.ts"
import type { Workflow } from "./workflow.ts"

/** The state after the first `count` signals of the log were processed; by default, after all that the run has processed. */
export const stateAt = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  signals: ReadonlyArray<Signal>,
  count: number = signals.length,
): Effect.fn.Return<S, HandlerError | WorkflowError, R> {
  let state = workflow.initialState
  for (const signal of signals.slice(0, count)) {
    if (isObserved(signal.name)) continue
    state = (yield* runHandlers(workflow, state, signal)).state
    // The run ended here: the signals that were still waiting were not processed.
    if (yield* isDone(workflow, state)) return state
  }
  return state
})

// The state of a run: a Ref that handlers read and update.
// Invariant: a run has one state, and only its handlers change it.
import type * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"

export type WorkflowState<S> = Ref.Ref<S>

export const getState = <S>(state: WorkflowState<S>): Effect.Effect<S> => Ref.get(state)

/** Replaces the state by what `change` makes of it, in one step. */
export const updateState = <S>(state: WorkflowState<S>, change: (state: S) => S): Effect.Effect<void> =>
  Ref.update(state, change)

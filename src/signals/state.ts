// The state of a run: a Ref that handlers read and update.
// Invariant: a run has one state, and only its handlers change it.
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { WorkflowError } from "./errors.ts"

export type WorkflowState<S> = Ref.Ref<S>

/** The current state. */
export const getState = <S>(state: WorkflowState<S>): Effect.Effect<S> => Ref.get(state)

/** Replaces the state with the result of `change`, atomically. */
export const updateState = <S>(state: WorkflowState<S>, change: (state: S) => S): Effect.Effect<void> =>
  Ref.update(state, change)

/** Encodes the state as JSON: with the workflow's schema, or unchanged if it has none. */
export const encodeState = <S>(
  { name, stateSchema }: { readonly name: string; readonly stateSchema?: Schema.Codec<S, unknown> },
  state: S,
): Effect.Effect<Schema.Json, WorkflowError> =>
  Effect.mapError(
    stateSchema === undefined ? jsonOf(state) : Schema.encodeEffect(Schema.toCodecJson(stateSchema))(state),
    (cause) =>
      new WorkflowError({
        message: `The state of ${name} does not match ${stateSchema === undefined ? "JSON: give the workflow a stateSchema" : "its stateSchema"}. ${cause.message}`,
        cause,
      }),
  )

const jsonOf = Schema.decodeUnknownEffect(Schema.Json)

/** Decodes a state that `encodeState` has encoded. */
export const decodeState = <S>(
  { name, stateSchema }: { readonly name: string; readonly stateSchema?: Schema.Codec<S, unknown> },
  state: Schema.Json,
): Effect.Effect<S, WorkflowError> => {
  // Without a schema, `encodeState` has checked that the state is JSON and returned it unchanged.
  if (stateSchema === undefined) return Effect.succeed(state as S)
  return Effect.mapError(
    Schema.decodeUnknownEffect(Schema.toCodecJson(stateSchema))(state),
    (cause) =>
      new WorkflowError({
        message: `The stored state of ${name} does not match its stateSchema. ${cause.message}`,
        cause,
      }),
  )
}

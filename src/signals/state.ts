// The state of a run: a Ref that handlers read and update.
// Invariant: a run has one state, and only its handlers change it.
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { WorkflowError } from "./errors.ts"

export type WorkflowState<S> = Ref.Ref<S>

/** The state as it is now. */
export const getState = <S>(state: WorkflowState<S>): Effect.Effect<S> => Ref.get(state)

/** Replaces the state by what `change` makes of it, in one step. */
export const updateState = <S>(state: WorkflowState<S>, change: (state: S) => S): Effect.Effect<void> =>
  Ref.update(state, change)

/** The state as JSON: by the workflow's schema, or as it is. */
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

/** The state of a text that `encodeState` has made. */
export const decodeState = <S>(
  { name, stateSchema }: { readonly name: string; readonly stateSchema?: Schema.Codec<S, unknown> },
  state: Schema.Json,
): Effect.Effect<S, WorkflowError> => {
  // Without a schema the state was JSON when it was encoded, and is the same JSON.
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

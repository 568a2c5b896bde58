// Receives promises of D1 and the Queue; returns Effects that fail with StoreError.
// Invariant: an error names the operation and nothing else: no SQL, no values, no cause.
import { Effect, Schema } from "effect"

/** D1 or the Queue did not do what it was asked. Every operation of the store is safe to repeat. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  message: Schema.String,
  /** D1 or the Queue could not be reached, or was too busy: the same may succeed later. */
  unavailable: Schema.optionalKey(Schema.Boolean),
}) {}

/** A page cursor that this server did not give out. */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", {
  message: Schema.String,
}) {}

export const attempt = <A>(operation: string, run: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({
    try: run,
    catch: () => new StoreError({ operation, message: `${operation} failed`, unavailable: true }),
  })

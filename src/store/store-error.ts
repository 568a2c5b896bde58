// Receives promises of D1 and the Queue; returns Effects that fail with StoreError.
// Invariant: an error names the operation and nothing else: no SQL, no values, no cause.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

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

/** What the store calls. */
export type StoreService = "d1" | "queue"

/** Calls of this isolate that failed. Module state on purpose: the metrics read it. */
const failures: Record<StoreService, number> = { d1: 0, queue: 0 }

export const storeFailures = (): Readonly<Record<StoreService, number>> => failures

export const attempt = <A>(
  operation: string,
  run: () => Promise<A>,
  service: StoreService = "d1",
): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({
    try: run,
    catch: () => {
      failures[service] += 1
      return new StoreError({ operation, message: `${operation} failed`, unavailable: true })
    },
  })

// Receives promises of D1 and the Queue; returns Effects that fail with StoreError.
// Invariants: an error names the operation and nothing else: no SQL, no values, no cause. A call that is never answered fails.
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

/** D1 ends a query of its own after 30 s: what has no answer after this has none to come. */
export const CALL_LIMIT_MS = 40_000

/** Rejects when `run` has not resolved in time. What was sent may still be carried out. */
const inTime = async <A>(run: () => Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), CALL_LIMIT_MS)
  })
  try {
    return await Promise.race([run(), late])
  } finally {
    clearTimeout(timer)
  }
}

export const attempt = <A>(
  operation: string,
  run: () => Promise<A>,
  service: StoreService = "d1",
): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({
    try: () => inTime(run),
    catch: () => {
      failures[service] += 1
      return new StoreError({ operation, message: `${operation} failed`, unavailable: true })
    },
  })

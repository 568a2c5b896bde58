// Receives promises of D1 and the Queue; returns Effects that fail with StoreError.
// Invariants: an error names the operation and nothing else: no SQL, no values, no cause. A call without an answer fails.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** An operation of D1 or the Queue failed, or its result was unreadable. Every operation of the store is safe to repeat. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  message: Schema.String,
  /** D1 or the Queue could not be reached, or was too busy: a retry may succeed. */
  unavailable: Schema.optionalKey(Schema.Boolean),
}) {}

/** A page cursor that this server did not issue. */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", {
  message: Schema.String,
}) {}

/** The services that the store calls. */
export type StoreService = "d1" | "queue"

/** The number of failed calls in this isolate. Module state on purpose: the metrics read it. */
const failures: Record<StoreService, number> = { d1: 0, queue: 0 }

export const storeFailures = (): Readonly<Record<StoreService, number>> => failures

/** D1 itself aborts a query after 30 s: a call that has no answer by now will not get one. */
export const CALL_LIMIT_MS = 40_000

/** Rejects when a call of another service has no answer in time. The call may still take effect. */
export const inTime = async <A>(run: () => Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no response in time")), CALL_LIMIT_MS)
  })
  try {
    return await Promise.race([run(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs a call of D1 or the Queue. Fails with a StoreError, and counts that, when it rejects or has no response in time. */
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

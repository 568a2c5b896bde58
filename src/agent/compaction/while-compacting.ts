// Receives the request for a summary; while it runs, repeats to clients that the conversation is being compacted.
// Invariant: the request is neither delayed nor changed, and nothing is sent after it has ended.
import * as Effect from "effect/Effect"

/** The interval, as in the official SDK. */
const EVERY_MS = 30_000

export const whileCompacting =
  <R>(announce: Effect.Effect<void, never, R>) =>
  <A, E, R2>(work: Effect.Effect<A, E, R2>): Effect.Effect<A, E, R | R2> =>
    Effect.raceFirst(work, Effect.forever(Effect.andThen(Effect.sleep(EVERY_MS), announce)))

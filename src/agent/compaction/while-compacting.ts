// Receives the request for a summary as it runs; sends clients again that the conversation is compacted, as long as it takes.
// Invariant: the request is neither delayed nor changed by it, and nothing is sent once it has ended.
import * as Effect from "effect/Effect"

/** As the official SDK. */
const EVERY_MS = 30_000

export const whileCompacting =
  <R>(announce: Effect.Effect<void, never, R>) =>
  <A, E, R2>(work: Effect.Effect<A, E, R2>): Effect.Effect<A, E, R | R2> =>
    Effect.raceFirst(work, Effect.forever(Effect.andThen(Effect.sleep(EVERY_MS), announce)))

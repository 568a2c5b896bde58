// Receives the request for a summary; while it runs, repeats to clients that the conversation is being compacted.
// Invariant: the request is neither delayed nor changed, and nothing is sent after it has ended.
import * as Effect from "effect/Effect"
import type { LiveAnswer } from "../messages/live-answer.ts"

/** The answer to the request for a summary that streams now, if any. */
export interface SummaryProgress {
  live: LiveAnswer | null
}

/** How many characters of the summary have arrived. */
export const charactersOf = ({ live }: SummaryProgress): number => live?.decoder.openText()?.length ?? 0

/** The interval, as in the official SDK. */
const EVERY_MS = 30_000

export const whileCompacting =
  <R>(announce: Effect.Effect<void, never, R>) =>
  <A, E, R2>(work: Effect.Effect<A, E, R2>): Effect.Effect<A, E, R | R2> =>
    Effect.raceFirst(work, Effect.forever(Effect.andThen(Effect.sleep(EVERY_MS), announce)))

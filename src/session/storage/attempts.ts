// Counts how often a turn, or a run of a subagent in the background, was tried again after it had failed or its process had
// died.
// Invariant: only attempts that left no new event count, so what makes progress is tried without limit.
import * as Schema from "effect/Schema"

/** The last event at the last attempt, and how many attempts in a row found it. */
export const Attempts = Schema.Struct({ seq: Schema.Int, tries: Schema.Int })
export type Attempts = typeof Attempts.Type

/** What was tried more often than this without a new event is itself what fails, or kills its process. */
const MAX_TRIES = 5

export const nextAttempt = (before: Attempts | undefined, seq: number): Attempts => ({
  seq,
  tries: before?.seq === seq ? before.tries + 1 : 1,
})

export const isStuck = ({ tries }: Attempts): boolean => tries > MAX_TRIES

// Counts how often a turn, or a run of a subagent in the background, was tried again after it had failed or its process had
// died.
// Invariant: only attempts without progress count. An answer and its cost are none: an incomplete one is requested again.
import * as Schema from "effect/Schema"
import { isAnswering } from "../../agent/transcript/subagents.ts"
import type { SessionLog } from "./log.ts"

/** The last event of the log that is progress. */
export const progressOf = (log: Pick<SessionLog, "at" | "lastSeq">): number => {
  let seq = log.lastSeq
  for (let last = log.at(seq); last !== undefined && isAnswering(last.event); last = log.at(seq)) seq -= 1
  return seq
}

/** That event at the last attempt, and how many attempts in a row found it. */
export const Attempts = Schema.Struct({ seq: Schema.Int, tries: Schema.Int })
export type Attempts = typeof Attempts.Type

/** What was tried more often than this without a new event is itself what fails, or kills its process. */
const MAX_TRIES = 5

export const nextAttempt = (before: Attempts | undefined, seq: number): Attempts => ({
  seq,
  tries: before?.seq === seq ? before.tries + 1 : 1,
})

export const isStuck = ({ tries }: Attempts, spare = 0): boolean => tries > MAX_TRIES + spare

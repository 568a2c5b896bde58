// Receives a `hook:fired` event of the log; returns the outcome of its hooks.
import * as Result from "effect/Result"
import { decodeOutcome, type HookOutcome, NO_HOOKS } from "../../hooks/outcome.ts"
import type { HookFired } from "../../schemas/log/event-payloads.ts"

/** The outcome of a `hook:fired` event. */
export const loggedHookOutcome = ({ outcome }: HookFired): HookOutcome => {
  for (const _ in outcome) return Result.getOrThrow(decodeOutcome(outcome))
  // Most events have no hooks: nothing is decoded for them.
  return NO_HOOKS
}

// Receives a turn that is about to ask the model; sums the conversation up when it has nearly filled the model's window, or
// when the API has refused it as too long.
// Invariant: between two answers of the model it is tried once, so that a compaction that fails or does not help ends in the
// request itself and its error.
import * as Effect from "effect/Effect"
import type { MessagesApi } from "../../model/messages-api.ts"
import { answering } from "../fallback.ts"
import { type CallServices, Log, TurnContext, type Turn } from "../ports.ts"
import { cancelledState, compact } from "./compact.ts"
import { compactionPlan } from "./compaction-plan.ts"
import { compactionThreshold, tokensInUse } from "./window.ts"

/** After so many compactions in a row that failed none begins by itself any more. */
const MAX_FAILURES = 3

/** True when the next request would pass what the conversation may take of the window. */
export const isNearlyFull = (turn: Turn): boolean => {
  const threshold = compactionThreshold(turn.options, answering(turn))
  if (threshold === null || turn.memory.accounting.failedCompactions >= MAX_FAILURES) return false
  return tokensInUse(turn.memory) >= threshold
}

/** True when the conversation is shorter now. */
export const autoCompact = Effect.fnUntraced(function* (
  cause: "full" | "refused",
): Effect.fn.Return<boolean, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const log = yield* Log
  if (turn.options.settings?.autoCompactEnabled === false) return false
  // As the official SDK: a first request that is too long is so at once.
  if (cause === "refused" && compactionPlan(turn.memory.transcript.messages(), cause) === null) return false
  const made = yield* compact(cause).pipe(
    Effect.onInterrupt(() => Effect.suspend(() => log.append([cancelledState(turn)]))),
  )
  yield* log.append([...made.closing, ...(made.failed === undefined ? made.restart : [])])
  return made.failed === undefined
})

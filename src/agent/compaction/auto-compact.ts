// Receives a turn that is about to send a model request; summarizes the conversation when it has nearly filled the model's
// window, or when the API has refused it as too long.
// Invariant: compaction is tried once between two answers of the model. If it fails or does not help, the request is sent
// anyway and its error ends the turn.
import * as Effect from "effect/Effect"
import type { MessagesApi } from "../../model/messages-api.ts"
import { answering } from "../fallback.ts"
import { type CallServices, Log, TurnContext, type Turn } from "../ports.ts"
import { cancelledState, compact } from "./compact.ts"
import { compactionPlan } from "./compaction-plan.ts"
import { compactionThreshold, tokensInUse } from "./window.ts"

/** After this many consecutive failures no automatic compaction is started. */
const MAX_FAILURES = 3

/** True when the next request would exceed the conversation's share of the window. */
export const isNearlyFull = (turn: Turn): boolean => {
  const threshold = compactionThreshold(turn.options, answering(turn))
  if (threshold === null || turn.memory.accounting.failedCompactions >= MAX_FAILURES) return false
  return tokensInUse(turn.memory) >= threshold
}

/** Compacts the conversation; true when that succeeded. */
export const autoCompact = Effect.fnUntraced(function* (
  cause: "full" | "refused",
): Effect.fn.Return<boolean, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const log = yield* Log
  if (turn.options.settings?.autoCompactEnabled === false) return false
  // As the official SDK: when there is nothing to summarize, the refusal of the request is final.
  if (cause === "refused" && compactionPlan(turn.memory.transcript.messages(), cause) === null) return false
  const made = yield* compact(cause).pipe(
    Effect.onInterrupt(() => Effect.suspend(() => log.append([cancelledState(turn)]))),
  )
  yield* log.append([...made.closing, ...(made.failed === undefined ? made.restart : [])])
  return made.failed === undefined
})

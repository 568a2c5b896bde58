// Receives a turn that is about to send a model request; summarizes the conversation when it has nearly filled the model's
// window, or when the API has refused it as too long.
// Invariant: compaction is tried once between two answers of the model. If it fails or does not help, the request is sent
// anyway and its error ends the turn. A conversation that is full again right after each compaction ends the turn too.
import * as Effect from "effect/Effect"
import type { MessagesApi, ModelError } from "../../model/messages-api.ts"
import { excessTokens } from "../../model/retry.ts"
import { currentModelOf } from "../fallback.ts"
import { answerStamp } from "../calls/hook-events.ts"
import { displayed } from "../messages/displayed-message.ts"
import { apiErrorMessage } from "../messages/sdk-messages.ts"
import { type CallServices, Log, TurnContext, type Turn } from "../ports.ts"
import { cancelledState, compact } from "./compact.ts"
import { withReports } from "./compaction-ranges.ts"
import { compactionThreshold, leavesNoRoom, tokensInUse } from "./window.ts"

/** After this many consecutive failures no automatic compaction is started. */
const MAX_FAILURES = 3

/** True when the next request would exceed the conversation's share of the window. */
export const isNearlyFull = (turn: Turn): boolean => {
  const threshold = compactionThreshold(turn.options, currentModelOf(turn))
  if (threshold === null || turn.memory.accounting.failedCompactions >= MAX_FAILURES) return false
  return tokensInUse(turn.memory) >= threshold
}

/** True before the first request of a turn whose prompt calls no command. */
export const awaitsFirstRequest = ({ memory: { accounting } }: Turn): boolean =>
  accounting.tally?.requests === 0 && accounting.tally.command === null

/** As the official SDK: a turn ends when so many compactions in a row would each follow another one after a few answers. */
const MAX_REFILLS = 3

/** True when the conversation was full again right after each compaction: appends the error with which the turn then ends. */
export const reportRefill = Effect.gen(function* () {
  const turn = yield* TurnContext
  const log = yield* Log
  if ((turn.memory.accounting.tally?.refills ?? 0) < MAX_REFILLS) return false
  const error = apiErrorMessage(answerStamp(turn), {
    kind: "invalid_request",
    // Starts like the official SDK's text, which apps match on.
    text: `Autocompact is thrashing: ${MAX_REFILLS} times in a row, the conversation was full again within 3 answers. A file or a result is probably too large: read it in parts, or start a new conversation.`,
    status: null,
    type: "autocompact_thrashing",
    requestId: null,
    terminalReason: "rapid_refill_breaker",
  })
  yield* log.append(yield* displayed(error))
  return true
})

/** Compacts the conversation; true when that succeeded. `refusal`: the API's error that makes it necessary, or null. */
export const autoCompact = Effect.fnUntraced(function* (
  refusal: ModelError | null,
): Effect.fn.Return<boolean, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const log = yield* Log
  if (turn.options.settings?.autoCompactEnabled === false) return false
  // As the official SDK: before the model's first answer, or the first report of a failed request, the refusal is final.
  if (refusal !== null && !withReports(turn.memory.transcript).some(({ role }) => role === "assistant")) return false
  const isRefilled = (turn.memory.accounting.tally?.refills ?? 0) > 0
  const refused = refusal?.status === 413 ? "oversized" : "refused"
  const full = leavesNoRoom(turn, currentModelOf(turn)) ? "overfull" : "full"
  const cause = refusal === null ? (isRefilled ? "refilled" : full) : refused
  const excess = refusal && (excessTokens(refusal)?.share ?? null)
  // As the official SDK: the prompt that does not fit is echoed between the state of its compaction and the new conversation.
  const echo = refusal === null && awaitsFirstRequest(turn) ? turn.echo() : []
  const compaction = yield* compact(cause, { excess }).pipe(
    Effect.onInterrupt(() => Effect.suspend(() => log.append([cancelledState(turn), ...echo]))),
  )
  yield* log.append([...compaction.closing, ...echo, ...(compaction.failed === undefined ? compaction.restart : [])])
  return compaction.failed === undefined
})

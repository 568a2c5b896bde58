// Receives the tally of a turn; returns its `result` message.
import type { NewEvent } from "../schemas/events.ts"
import type { TurnContext } from "./ports.ts"
import { sdkEvent } from "./sdk-messages.ts"
import { stamp } from "./tool-calls.ts"

/** How a turn ended, beyond its numbers. */
export type TurnEnd =
  | {
      readonly subtype: "success"
      readonly terminalReason: string
      readonly result: string
      readonly isError?: boolean
      readonly apiErrorStatus?: number | null
    }
  | {
      readonly subtype: "error_during_execution" | "error_max_turns" | "error_max_budget_usd"
      readonly terminalReason: string
      readonly errors: ReadonlyArray<string>
    }

/** To be made when everything else of the turn has been counted. */
export const resultMessage = (turn: TurnContext["Service"], end: TurnEnd): NewEvent => {
  const { sessionId, uuid, at } = stamp(turn)
  const { accounting } = turn.memory
  const tally = accounting.tally
  const isError = end.subtype === "success" ? end.isError === true : true
  return sdkEvent(turn.turn, {
    type: "result",
    subtype: end.subtype,
    is_error: isError,
    duration_ms: tally === null ? 0 : at - tally.startedAt,
    duration_api_ms: tally?.apiMs ?? 0,
    num_turns: 1 + (tally?.userMessages ?? 0),
    ...(end.subtype === "success"
      ? { result: end.result, api_error_status: end.apiErrorStatus ?? null, ...ttft(tally) }
      : { errors: end.errors }),
    stop_reason: tally?.stopReason ?? null,
    total_cost_usd: accounting.totalUsd,
    usage: tally?.usage ?? {},
    modelUsage: accounting.modelUsage,
    permission_denials: tally?.denials ?? [],
    terminal_reason: end.terminalReason,
    result_index: accounting.results,
    session_id: sessionId,
    uuid,
  })
}

const ttft = (tally: { readonly firstMessageAt: number | null; readonly startedAt: number } | null) =>
  tally === null || tally.firstMessageAt === null ? {} : { ttft_ms: tally.firstMessageAt - tally.startedAt }

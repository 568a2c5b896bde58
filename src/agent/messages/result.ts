// Receives the tally of a turn and how it ended; returns its `result` message.
import { emptyUsage } from "../../schemas/sdk/messages/empty-usage.ts"
import { withWindows } from "../../model/catalogue/window.ts"
import type { SubagentResult } from "../../schemas/interop/subagent-run.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { reportedToolName } from "../../schemas/sdk/tools/tool-names.ts"
import { stamp, type Stamped } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import type { TurnTally } from "../transcript/turn-tally.ts"
import { repliesTo, sdkEvent } from "./sdk-messages.ts"

/** How a turn ended, without its counts. */
export type TurnEnd =
  | {
      readonly subtype: "success"
      /** Null for a prompt that never reached the model. */
      readonly terminalReason: string | null
      readonly result: string
      readonly isError?: boolean
      readonly apiErrorStatus?: number | null
      /** The kind of API error that ended the turn, for StopFailure hooks. */
      readonly failure?: string
      readonly stopReason?: string
      readonly numTurns?: number
      readonly structured?: { readonly value: unknown }
      /** Stop hooks can't block this end. */
      readonly decided?: true
      /** The slash command that answered instead of the model. */
      readonly localCommand?: string
      readonly deferred?: { readonly id: string; readonly name: string; readonly input: unknown }
    }
  | {
      readonly subtype:
        | "error_during_execution"
        | "error_max_turns"
        | "error_max_budget_usd"
        | "error_max_structured_output_retries"
      readonly terminalReason: string
      readonly errors: ReadonlyArray<string>
      readonly numTurns?: number
    }

/** To be made after all other events of the turn are counted. `more` has the outcome of a routed turn's subtask. */
export const resultMessage = (
  turn: Stamped & Pick<Turn, "memory" | "options" | "waiting" | "origin">,
  end: TurnEnd,
  more: { readonly subagent_result?: SubagentResult },
): NewEvent => {
  const { sessionId, uuid, at } = stamp(turn)
  const { accounting } = turn.memory
  const { tally } = accounting
  const isError = end.subtype === "success" ? end.isError === true : true
  return sdkEvent(turn.id, `sdk:result/${end.subtype}`, {
    is_error: isError,
    duration_ms: tally === null ? 0 : at - tally.startedAt,
    duration_api_ms: tally?.apiMs ?? 0,
    num_turns: end.numTurns ?? 1 + (tally?.userMessages ?? 0),
    ...(end.subtype === "success" ? successFields(end, tally) : { errors: end.errors }),
    stop_reason: (end.subtype === "success" ? end.stopReason : undefined) ?? tally?.stopReason ?? null,
    total_cost_usd: accounting.ofConversation.usd,
    // As the official SDK: the usage of a turn that exceeded its budget does not include its last request.
    usage: (end.subtype === "error_max_budget_usd" ? tally?.usageBefore : tally?.usage) ?? emptyUsage(),
    modelUsage: withWindows(turn.options, accounting.ofConversation.models),
    permission_denials: (tally?.denials ?? []).map((denial) => ({
      ...denial,
      tool_name: reportedToolName(denial.tool_name),
    })),
    queued_turn_count: turn.waiting(),
    ...(end.terminalReason === null ? {} : { terminal_reason: end.terminalReason }),
    // As the official SDK: numbered from 0 each time that the session is resumed.
    result_index: accounting.results - accounting.resultsBefore,
    ...(turn.origin === undefined ? {} : { origin: turn.origin }),
    ...repliesTo(
      turn.promptUuids,
      tally?.joined.map((joined) => joined.turn),
    ),
    ...more,
    session_id: sessionId,
    uuid,
  })
}

const successFields = (
  end: Extract<TurnEnd, { subtype: "success" }>,
  tally: Pick<TurnTally, "firstMessageAt" | "replaced" | "startedAt"> | null,
) => ({
  // As the official SDK: for a text that a hook replaced, clients get the displayed one.
  result: tally?.replaced?.written === end.result ? tally.replaced.text : end.result,
  api_error_status: end.apiErrorStatus ?? null,
  ...(tally === null || tally.firstMessageAt === null ? {} : { ttft_ms: tally.firstMessageAt - tally.startedAt }),
  ...(end.structured === undefined ? {} : { structured_output: end.structured.value }),
  ...(end.localCommand === undefined ? {} : { local_command: end.localCommand }),
  ...(end.deferred === undefined ? {} : { deferred_tool_use: end.deferred }),
})

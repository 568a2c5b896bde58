// The result that the SDK receives when its prompt cannot even begin.
// Invariant: the shape is that of the official process when it cannot start: no turn, no cost, one error.
import { emptyUsage } from "./empty-usage.ts"
import type { SDKResultError } from "./result-messages.ts"

/** `uuid` names the message. */
export const failureResult = (sessionId: string, message: string, uuid: string): SDKResultError => ({
  type: "result",
  subtype: "error_during_execution",
  is_error: true,
  duration_ms: 0,
  duration_api_ms: 0,
  num_turns: 0,
  stop_reason: null,
  total_cost_usd: 0,
  usage: emptyUsage(),
  modelUsage: {},
  permission_denials: [],
  errors: [message],
  result_index: 0,
  session_id: sessionId,
  uuid,
})

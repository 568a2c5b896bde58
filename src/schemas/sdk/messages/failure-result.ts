// The result that the SDK receives when its prompt cannot even begin.
// Invariant: the shape is that of the official process when it cannot start: no turn, no cost, one error.
import type { SDKResultError } from "./result-messages.ts"

const NOTHING_USED: SDKResultError["usage"] = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: "standard",
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
  inference_geo: "",
  iterations: [],
  speed: "standard",
  fallback_credit: null,
}

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
  usage: NOTHING_USED,
  modelUsage: {},
  permission_denials: [],
  errors: [message],
  result_index: 0,
  session_id: sessionId,
  uuid,
})

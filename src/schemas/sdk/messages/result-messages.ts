// The last message of a turn: its outcome, its usage and its cost.
// Invariant: `is_error` is independent of the subtype: a `success` can have the text of a failed request as its result.
import * as Schema from "effect/Schema"
import {
  FastModeDisabledReason,
  FastModeState,
  SDKDeferredToolUse,
  SDKMessageOrigin,
  SDKPermissionDenial,
  SDKStartupFailureReason,
  stamped,
  TerminalReason,
} from "./message-values.ts"
import { open } from "../open.ts"
import { NonNullableUsage, ReportedModelUsage } from "./usage.ts"

const shared = {
  type: Schema.Literal("result"),
  duration_ms: Schema.Finite,
  duration_api_ms: Schema.Finite,
  user_message_uuid: Schema.optionalKey(Schema.String),
  user_message_uuids: Schema.optionalKey(Schema.Array(Schema.String)),
  resume_reason: Schema.optionalKey(Schema.String),
  is_error: Schema.Boolean,
  num_turns: Schema.Finite,
  stop_reason: Schema.NullOr(Schema.String),
  total_cost_usd: Schema.Finite,
  usage: NonNullableUsage,
  modelUsage: Schema.Record(Schema.String, ReportedModelUsage),
  permission_denials: Schema.Array(SDKPermissionDenial),
  queued_turn_count: Schema.optionalKey(Schema.Finite),
  terminal_reason: Schema.optionalKey(TerminalReason),
  result_index: Schema.optionalKey(Schema.Finite),
  credential_expires_at: Schema.optionalKey(Schema.String),
  fast_mode_state: Schema.optionalKey(FastModeState),
  fast_mode_disabled_reason: Schema.optionalKey(FastModeDisabledReason),
  origin: Schema.optionalKey(SDKMessageOrigin),
  ...stamped,
}

const QueuedBehind = Schema.Literals(["durable_post", "ephemeral_post", "retry_backoff", "hold", "none"])

/** Times that a local installation measures of itself. Perch sends none of them. */
const measured = {
  time_to_request_ms: Schema.optionalKey(Schema.Finite),
  request_sent_wall_ms: Schema.optionalKey(Schema.Finite),
  first_content_frame_ms: Schema.optionalKey(Schema.Finite),
  first_stream_post_ms: Schema.optionalKey(Schema.Finite),
  first_stream_post_ack_ms: Schema.optionalKey(Schema.Finite),
  first_stream_post_queue_wait_ms: Schema.optionalKey(Schema.Finite),
  first_stream_post_queued_behind: Schema.optionalKey(QueuedBehind),
  first_stream_post_wall_ms: Schema.optionalKey(Schema.Finite),
  first_text_post_ms: Schema.optionalKey(Schema.Finite),
  first_text_post_queue_wait_ms: Schema.optionalKey(Schema.Finite),
  first_text_post_queued_behind: Schema.optionalKey(QueuedBehind),
  first_text_post_wall_ms: Schema.optionalKey(Schema.Finite),
  time_to_request_from_spawn_ms: Schema.optionalKey(Schema.Finite),
  warm_spare_claimed: Schema.optionalKey(Schema.Boolean),
  time_origin_ms: Schema.optionalKey(Schema.Finite),
}

/** The turn ended by itself. With `is_error`, its `result` is the error text of a request that failed permanently. */
export const SDKResultSuccess = open({
  subtype: Schema.Literal("success"),
  ttft_ms: Schema.optionalKey(Schema.Finite),
  ttft_stream_ms: Schema.optionalKey(Schema.Finite),
  local_command: Schema.optionalKey(Schema.String),
  api_error_status: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  result: Schema.String,
  structured_output: Schema.optionalKey(Schema.Unknown),
  deferred_tool_use: Schema.optionalKey(SDKDeferredToolUse),
  ...shared,
  ...measured,
})
export type SDKResultSuccess = typeof SDKResultSuccess.Type

/** The turn was ended: by a failure, by a limit, or by an interrupt. */
export const SDKResultError = open({
  subtype: Schema.Literals([
    "error_during_execution",
    "error_max_turns",
    "error_max_budget_usd",
    "error_max_structured_output_retries",
  ]),
  errors: Schema.Array(Schema.String),
  startup_failure_reason: Schema.optionalKey(SDKStartupFailureReason),
  invalid_config_file: Schema.optionalKey(
    open({
      path: Schema.String,
      is_global: Schema.Boolean,
      backup_searched: Schema.Boolean,
      backup_path: Schema.optionalKey(Schema.String),
    }),
  ),
  ...shared,
})
export type SDKResultError = typeof SDKResultError.Type

export type SDKResultMessage = SDKResultSuccess | SDKResultError

// Messages about the session: the start of a turn, its state, retries, refusals, compaction, denials.
// Invariant: names and values are the official SDK's; fields that it does not declare are kept.
import * as Schema from "effect/Schema"
import {
  ApiKeySource,
  FastModeDisabledReason,
  FastModeState,
  SDKAssistantMessageError,
  stamped,
} from "./message-values.ts"
import { EFFORTS } from "../efforts.ts"
import { open } from "../open.ts"
import { PermissionMode } from "../options/permissions.ts"

/** The first message of every turn: its model, tools, mode and other settings. */
export const SDKSystemMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("init"),
  agents: Schema.optionalKey(Schema.Array(Schema.String)),
  apiKeySource: ApiKeySource,
  betas: Schema.optionalKey(Schema.Array(Schema.String)),
  claude_code_version: Schema.String,
  cwd: Schema.String,
  tools: Schema.Array(Schema.String),
  mcp_servers: Schema.Array(
    open({ name: Schema.String, status: Schema.String, source: Schema.optionalKey(Schema.String) }),
  ),
  model: Schema.String,
  permissionMode: PermissionMode,
  slash_commands: Schema.Array(Schema.String),
  terminal_slash_commands: Schema.optionalKey(Schema.Array(Schema.String)),
  output_style: Schema.String,
  skills: Schema.Array(Schema.String),
  plugins: Schema.Array(open({ name: Schema.String, path: Schema.String, version: Schema.optionalKey(Schema.String) })),
  plugin_errors: Schema.optionalKey(
    Schema.Array(
      open({
        plugin: Schema.String,
        type: Schema.String,
        message: Schema.String,
        path: Schema.optionalKey(Schema.String),
        managed_lock: Schema.optionalKey(
          open({ plugin_enabled: Schema.Boolean, name: Schema.String, marketplace: Schema.optionalKey(Schema.String) }),
        ),
      }),
    ),
  ),
  fast_mode_state: Schema.optionalKey(FastModeState),
  fast_mode_disabled_reason: Schema.optionalKey(FastModeDisabledReason),
  effort: Schema.optionalKey(Schema.NullOr(Schema.Literals(EFFORTS))),
  view_mode: Schema.optionalKey(Schema.Literals(["focus", "default"])),
  capabilities: Schema.optionalKey(Schema.Array(Schema.String)),
  ...stamped,
})
export type SDKSystemMessage = typeof SDKSystemMessage.Type

export const SDKStatus = Schema.NullOr(Schema.Literals(["compacting", "requesting"]))
export type SDKStatus = typeof SDKStatus.Type
/** What the session is busy with, and a changed permission mode. */
export const SDKStatusMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("status"),
  status: SDKStatus,
  permissionMode: Schema.optionalKey(PermissionMode),
  compact_result: Schema.optionalKey(Schema.Literals(["success", "failed"])),
  compact_error: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKStatusMessage = typeof SDKStatusMessage.Type

/** Marks the position up to which the conversation was summarized. */
export const SDKCompactBoundaryMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("compact_boundary"),
  compact_metadata: open({
    trigger: Schema.Literals(["manual", "auto"]),
    pre_tokens: Schema.Finite,
    post_tokens: Schema.optionalKey(Schema.Finite),
    duration_ms: Schema.optionalKey(Schema.Finite),
    preserved_segment: Schema.optionalKey(
      open({ head_uuid: Schema.String, anchor_uuid: Schema.String, tail_uuid: Schema.String }),
    ),
    preserved_messages: Schema.optionalKey(open({ anchor_uuid: Schema.String, uuids: Schema.Array(Schema.String) })),
  }),
  ...stamped,
})
export type SDKCompactBoundaryMessage = typeof SDKCompactBoundaryMessage.Type

/** A model request failed and will be sent again in `retry_delay_ms`. */
export const SDKAPIRetryMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("api_retry"),
  attempt: Schema.Finite,
  max_retries: Schema.Finite,
  retry_delay_ms: Schema.Finite,
  error_status: Schema.NullOr(Schema.Finite),
  error: SDKAssistantMessageError,
  no_response: Schema.optionalKey(open({ waited_ms: Schema.Finite, retry_wait_ms: Schema.Finite })),
  ...stamped,
})
export type SDKAPIRetryMessage = typeof SDKAPIRetryMessage.Type

/** The progress of a long control request. */
export const SDKControlRequestProgressMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("control_request_progress"),
  request_id: Schema.String,
  status: Schema.Literals(["started", "api_retry"]),
  attempt: Schema.optionalKey(Schema.Finite),
  max_retries: Schema.optionalKey(Schema.Finite),
  retry_delay_ms: Schema.optionalKey(Schema.Finite),
  error_status: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  ...stamped,
})
export type SDKControlRequestProgressMessage = typeof SDKControlRequestProgressMessage.Type

/** The model refused; another one was asked. */
export const SDKModelRefusalFallbackMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("model_refusal_fallback"),
  trigger: Schema.Literal("refusal"),
  direction: Schema.Literals(["retry", "revert", "sticky"]),
  scope: Schema.optionalKey(Schema.Literals(["session", "local"])),
  original_model: Schema.String,
  fallback_model: Schema.String,
  request_id: Schema.NullOr(Schema.String),
  api_refusal_category: Schema.optionalKey(Schema.NullOr(Schema.String)),
  api_refusal_explanation: Schema.optionalKey(Schema.NullOr(Schema.String)),
  retracted_message_uuids: Schema.optionalKey(Schema.Array(Schema.String)),
  refused_user_message_uuid: Schema.optionalKey(Schema.NullOr(Schema.String)),
  content: Schema.String,
  ...stamped,
})
export type SDKModelRefusalFallbackMessage = typeof SDKModelRefusalFallbackMessage.Type

/** The model refused, and no other one was asked. */
export const SDKModelRefusalNoFallbackMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("model_refusal_no_fallback"),
  original_model: Schema.String,
  request_id: Schema.NullOr(Schema.String),
  api_refusal_category: Schema.optionalKey(Schema.NullOr(Schema.String)),
  api_refusal_explanation: Schema.optionalKey(Schema.NullOr(Schema.String)),
  refused_user_message_uuid: Schema.optionalKey(Schema.NullOr(Schema.String)),
  content: Schema.String,
  ...stamped,
})
export type SDKModelRefusalNoFallbackMessage = typeof SDKModelRefusalNoFallbackMessage.Type

/** How many tokens the model has thought so far. Never stored. */
export const SDKThinkingTokensMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("thinking_tokens"),
  estimated_tokens: Schema.Finite,
  estimated_tokens_delta: Schema.Finite,
  user_message_uuid: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKThinkingTokensMessage = typeof SDKThinkingTokensMessage.Type

/** The session's new state: idle, running, or waiting for a client. */
export const SDKSessionStateChangedMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("session_state_changed"),
  state: Schema.Literals(["idle", "running", "requires_action"]),
  ...stamped,
})
export type SDKSessionStateChangedMessage = typeof SDKSessionStateChangedMessage.Type

/** The server is shutting down on purpose; the session continues. */
export const SDKWorkerShuttingDownMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("worker_shutting_down"),
  reason: Schema.String,
  ...stamped,
})
export type SDKWorkerShuttingDownMessage = typeof SDKWorkerShuttingDownMessage.Type

/** A tool call was denied without asking a client. */
export const SDKPermissionDeniedMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("permission_denied"),
  tool_name: Schema.String,
  tool_use_id: Schema.String,
  agent_id: Schema.optionalKey(Schema.String),
  decision_reason_type: Schema.optionalKey(Schema.String),
  decision_reason: Schema.optionalKey(Schema.String),
  message: Schema.String,
  ...stamped,
})
export type SDKPermissionDeniedMessage = typeof SDKPermissionDeniedMessage.Type

/** The conversation restarts under a new id. */
export const SDKConversationResetMessage = open({
  type: Schema.Literal("conversation_reset"),
  new_conversation_id: Schema.String,
  trigger: Schema.optionalKey(Schema.Literals(["clear", "plan_mode_exit", "fresh_session", "onboarding"])),
  user_message_uuid: Schema.optionalKey(Schema.String),
  timestamp: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKConversationResetMessage = typeof SDKConversationResetMessage.Type

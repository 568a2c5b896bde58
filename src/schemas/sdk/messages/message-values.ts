// Values that several messages share: where a message comes from, why a turn ended, what a request was refused for.
// Invariant: the values are the official SDK's, so that a client's own checks on them keep working.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"

/** The fields that nearly every message has. A uuid is any text here, because replayed and recorded messages keep theirs. */
export const stamped = { uuid: Schema.String, session_id: Schema.String }

/** Why a model request failed: the `error` of an assistant message. */
export const SDKAssistantMessageError = Schema.Literals([
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "rate_limit",
  "overloaded",
  "invalid_request",
  "model_not_found",
  "server_error",
  "unknown",
  "max_output_tokens",
  "cloud_credential_error",
])
export type SDKAssistantMessageError = typeof SDKAssistantMessageError.Type

/** Who or what put a user message into the conversation. */
export const SDKMessageOrigin = Schema.Union([
  open({ kind: Schema.Literal("human") }),
  open({ kind: Schema.Literal("channel"), server: Schema.String }),
  open({
    kind: Schema.Literal("peer"),
    from: Schema.String,
    fromMode: Schema.optionalKey(Schema.Literals(["bypass", "prompting"])),
    name: Schema.optionalKey(Schema.String),
    fromSession: Schema.optionalKey(Schema.String),
    senderTaskId: Schema.optionalKey(Schema.String),
    body: Schema.optionalKey(Schema.String),
    verifiedPeerPid: Schema.optionalKey(Schema.Finite),
  }),
  open({
    kind: Schema.Literal("task-notification"),
    subkind: Schema.optionalKey(
      Schema.Literals(["scheduled-trigger", "peer-send-message", "projects-relay", "session-inbox", "external-event"]),
    ),
    fireReason: Schema.optionalKey(Schema.String),
    runId: Schema.optionalKey(Schema.String),
  }),
  open({ kind: Schema.Literal("coordinator") }),
  open({ kind: Schema.Literal("unclassified") }),
  open({ kind: Schema.Literal("observer"), from: Schema.String, senderTaskId: Schema.String }),
  open({ kind: Schema.Literal("auto-continuation") }),
  open({ kind: Schema.Literal("observer-activity") }),
])
export type SDKMessageOrigin = typeof SDKMessageOrigin.Type

/** Why the turn ended. */
export const TerminalReason = Schema.Literals([
  "blocking_limit",
  "rapid_refill_breaker",
  "prompt_too_long",
  "image_error",
  "model_error",
  "api_error",
  "malformed_tool_use_exhausted",
  "aborted_streaming",
  "aborted_tools",
  "stop_hook_prevented",
  "hook_stopped",
  "tool_deferred",
  "max_turns",
  "background_requested",
  "completed",
  "budget_exhausted",
  "structured_output_retry_exhausted",
  "tool_deferred_unavailable",
  "turn_setup_failed",
  // Perch's own: the recording that a session plays has no answer.
  "recording_not_found",
])
export type TerminalReason = typeof TerminalReason.Type

export const FastModeState = Schema.Literals(["off", "cooldown", "on"])
export type FastModeState = typeof FastModeState.Type

export const FastModeDisabledReason = Schema.Literals([
  "free",
  "preference",
  "extra_usage_disabled",
  "network_error",
  "unknown",
  "not_first_party",
  "disabled_by_env",
  "model_not_allowed",
  "sdk_opt_in_required",
  "pending",
])
export type FastModeDisabledReason = typeof FastModeDisabledReason.Type

/** Where the key for model requests came from. */
export const ApiKeySource = Schema.Literals([
  "ANTHROPIC_API_KEY",
  "apiKeyHelper",
  "/login managed key",
  "none",
  "user",
  "project",
  "org",
  "temporary",
  "oauth",
])
export type ApiKeySource = typeof ApiKeySource.Type

/** A tool call that was not allowed to run. */
export const SDKPermissionDenial = open({
  tool_name: Schema.String,
  tool_use_id: Schema.String,
  tool_input: Schema.Record(Schema.String, Schema.Unknown),
})
export type SDKPermissionDenial = typeof SDKPermissionDenial.Type

/** A tool call that a hook deferred until the session is resumed. */
export const SDKDeferredToolUse = open({
  id: Schema.String,
  name: Schema.String,
  input: Schema.Record(Schema.String, Schema.Unknown),
})
export type SDKDeferredToolUse = typeof SDKDeferredToolUse.Type

/** Why a local installation did not start; Perch never sends one of these. */
export const SDKStartupFailureReason = Schema.Literals([
  "org_pin_api_key_conflict",
  "provider_not_allowed",
  "org_verify_failed",
  "org_pin_mismatch",
  "managed_settings_invalid",
  "remote_settings_required_unavailable",
  "gateway_signin_required",
  "gateway_access_denied",
  "proxy_invalid",
  "temp_dir_unusable",
  "cwd_unavailable",
  "shell_tool_missing",
  "session_held_by_background",
  "worktree_resume_refused",
  "worktree_unverified",
  "cli_version_too_old",
  "bypass_root",
  "org_config_required_unavailable",
  "org_config_refused",
  "sandbox_required_unavailable",
  "initialize_not_first",
  "config_file_invalid",
  "managed_settings_not_delivered",
  "initialize_fields_not_delivered",
])
export type SDKStartupFailureReason = typeof SDKStartupFailureReason.Type

/** A resource that a tool of an MCP server points to. */
export const SDKMcpResourceLink = open({
  uri: Schema.String,
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  mimeType: Schema.optionalKey(Schema.String),
  size: Schema.optionalKey(Schema.Finite),
  annotations: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})
export type SDKMcpResourceLink = typeof SDKMcpResourceLink.Type

/** A command that a prompt may start with. */
export const SlashCommand = open({
  name: Schema.String,
  description: Schema.String,
  argumentHint: Schema.String,
  aliases: Schema.optionalKey(Schema.Array(Schema.String)),
  builtin: Schema.optionalKey(Schema.Boolean),
})
export type SlashCommand = typeof SlashCommand.Type

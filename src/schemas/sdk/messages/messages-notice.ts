// Messages outside the conversation: hooks, notices, commands, memories, files, limits. Several of them are sent only by
// a local installation; they are described so that a recording or a client's own transcript can be decoded.
// Invariant: names and values are the official SDK's; fields that it does not declare are kept.
import * as Schema from "effect/Schema"
import { SlashCommand, stamped } from "./message-values.ts"
import { open } from "../open.ts"
import { SDKRateLimitInfo } from "./usage-values.ts"

/** The output of a local command, which the model never sees. */
export const SDKLocalCommandOutputMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("local_command_output"),
  content: Schema.String,
  ...stamped,
})
export type SDKLocalCommandOutputMessage = typeof SDKLocalCommandOutputMessage.Type

const hookFields = { hook_id: Schema.String, hook_name: Schema.String, hook_event: Schema.String }

/** A command hook began. */
export const SDKHookStartedMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("hook_started"),
  ...hookFields,
  ...stamped,
})
export type SDKHookStartedMessage = typeof SDKHookStartedMessage.Type

/** What a command hook has printed so far. */
export const SDKHookProgressMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("hook_progress"),
  ...hookFields,
  stdout: Schema.String,
  stderr: Schema.String,
  output: Schema.String,
  ...stamped,
})
export type SDKHookProgressMessage = typeof SDKHookProgressMessage.Type

/** A command hook ended. */
export const SDKHookResponseMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("hook_response"),
  ...hookFields,
  output: Schema.String,
  stdout: Schema.String,
  stderr: Schema.String,
  exit_code: Schema.optionalKey(Schema.Finite),
  outcome: Schema.Literals(["success", "error", "cancelled"]),
  ...stamped,
})
export type SDKHookResponseMessage = typeof SDKHookResponseMessage.Type

/** The progress of a plugin's installation. */
export const SDKPluginInstallMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("plugin_install"),
  status: Schema.Literals(["started", "installed", "failed", "completed"]),
  name: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKPluginInstallMessage = typeof SDKPluginInstallMessage.Type

/** The progress of a login. */
export const SDKAuthStatusMessage = open({
  type: Schema.Literal("auth_status"),
  isAuthenticating: Schema.Boolean,
  output: Schema.Array(Schema.String),
  error: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKAuthStatusMessage = typeof SDKAuthStatusMessage.Type

/** The whole new list of commands. Never stored. */
export const SDKCommandsChangedMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("commands_changed"),
  commands: Schema.Array(SlashCommand),
  ...stamped,
})
export type SDKCommandsChangedMessage = typeof SDKCommandsChangedMessage.Type

/** A short text for the user. */
export const SDKNotificationMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("notification"),
  key: Schema.String,
  text: Schema.String,
  priority: Schema.Literals(["low", "medium", "high", "immediate"]),
  color: Schema.optionalKey(Schema.String),
  timeout_ms: Schema.optionalKey(Schema.Finite),
  ...stamped,
})
export type SDKNotificationMessage = typeof SDKNotificationMessage.Type

/** Files that were saved, and those that were not. */
export const SDKFilesPersistedEvent = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("files_persisted"),
  files: Schema.Array(open({ filename: Schema.String, file_id: Schema.String })),
  failed: Schema.Array(open({ filename: Schema.String, error: Schema.String })),
  processed_at: Schema.String,
  ...stamped,
})
export type SDKFilesPersistedEvent = typeof SDKFilesPersistedEvent.Type

/** Memories that were sent to the model. */
export const SDKMemoryRecallMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("memory_recall"),
  mode: Schema.Literals(["select", "synthesize"]),
  memories: Schema.Array(
    open({
      path: Schema.String,
      scope: Schema.Literals(["personal", "team", "organization"]),
      content: Schema.optionalKey(Schema.String),
    }),
  ),
  ...stamped,
})
export type SDKMemoryRecallMessage = typeof SDKMemoryRecallMessage.Type

/** The limits of a plan changed. */
export const SDKRateLimitEvent = open({
  type: Schema.Literal("rate_limit_event"),
  rate_limit_info: SDKRateLimitInfo,
  ...stamped,
})
export type SDKRateLimitEvent = typeof SDKRateLimitEvent.Type

/** An MCP server reports that the user has finished on its page. */
export const SDKElicitationCompleteMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("elicitation_complete"),
  mcp_server_name: Schema.String,
  elicitation_id: Schema.String,
  ...stamped,
})
export type SDKElicitationCompleteMessage = typeof SDKElicitationCompleteMessage.Type

/** A prompt that the user may want to send next. */
export const SDKPromptSuggestionMessage = open({
  type: Schema.Literal("prompt_suggestion"),
  suggestion: Schema.String,
  ...stamped,
})
export type SDKPromptSuggestionMessage = typeof SDKPromptSuggestionMessage.Type

/** A client could not copy the transcript into its own store. */
export const SDKMirrorErrorMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("mirror_error"),
  error: Schema.String,
  key: open({ projectKey: Schema.String, sessionId: Schema.String, subpath: Schema.optionalKey(Schema.String) }),
  ...stamped,
})
export type SDKMirrorErrorMessage = typeof SDKMirrorErrorMessage.Type

/** A text to show next to the conversation. */
export const SDKInformationalMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("informational"),
  content: Schema.String,
  level: Schema.Literals(["info", "notice", "suggestion", "warning"]),
  tool_use_id: Schema.optionalKey(Schema.String),
  prevent_continuation: Schema.optionalKey(Schema.Boolean),
  tag: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKInformationalMessage = typeof SDKInformationalMessage.Type

/** A local disk is full: a write was lost. */
export const SDKSessionWritesLostMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("session_writes_lost"),
  error_code: Schema.Literals(["ENOSPC", "EDQUOT"]),
  lost: Schema.Array(Schema.Literals(["transcript", "global_config"])),
  transcript_session_ids: Schema.optionalKey(Schema.Array(Schema.String)),
  ...stamped,
})
export type SDKSessionWritesLostMessage = typeof SDKSessionWritesLostMessage.Type

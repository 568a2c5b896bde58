// The inputs of the hook events of a turn: tools, permissions, prompts, the session's start and end, stops, compaction.
// Invariant: every field of the SDK's types is here under its name; inputs and outputs of tools are not checked.
import * as Schema from "effect/Schema"
import { hookInput as hook } from "./hook-base.ts"
import { McpServerProvenance } from "../options/mcp-config.ts"
import { SDKAssistantMessageError } from "../messages/message-values.ts"
import { kept, open } from "../open.ts"
import { PermissionUpdate } from "../options/permissions.ts"

const opt = Schema.optionalKey

/** Why a session ended. */
export const ExitReason = Schema.Literals(["clear", "resume", "logout", "prompt_input_exit", "other"])
export type ExitReason = typeof ExitReason.Type

const BackgroundTaskSummary = open({
  id: Schema.String,
  type: Schema.String,
  status: Schema.String,
  description: Schema.String,
  command: opt(Schema.String),
  agent_type: opt(Schema.String),
  server: opt(Schema.String),
  tool: opt(Schema.String),
  name: opt(Schema.String),
})

const SessionCronSummary = open({
  id: Schema.String,
  schedule: Schema.String,
  recurring: Schema.Boolean,
  prompt: Schema.String,
})

const PostToolBatchToolCall = open({
  tool_name: Schema.String,
  tool_input: Schema.Unknown,
  tool_use_id: Schema.String,
  tool_response: opt(Schema.Unknown),
})

/** Inputs by event. */
export const TurnHooks = {
  PreToolUse: hook("PreToolUse", {
    tool_name: Schema.String,
    tool_input: Schema.Unknown,
    tool_use_id: Schema.String,
    mcp_server: opt(McpServerProvenance),
  }),
  // Of SDK 0.3.332.
  PreSkillShellCommand: hook("PreSkillShellCommand", {
    tool_name: Schema.String,
    tool_input: open({ command: Schema.String }),
    tool_use_id: Schema.String,
    command_name: Schema.String,
    command_source: opt(Schema.String),
    invoked_by: Schema.Literals(["user", "claude", "other"]),
  }),
  PostToolUse: hook("PostToolUse", {
    tool_name: Schema.String,
    tool_input: Schema.Unknown,
    tool_response: Schema.Unknown,
    tool_use_id: Schema.String,
    duration_ms: opt(Schema.Finite),
    mcp_server: opt(McpServerProvenance),
  }),
  PostToolUseFailure: hook("PostToolUseFailure", {
    tool_name: Schema.String,
    tool_input: Schema.Unknown,
    tool_use_id: Schema.String,
    error: Schema.String,
    is_interrupt: opt(Schema.Boolean),
    duration_ms: opt(Schema.Finite),
    mcp_server: opt(McpServerProvenance),
  }),
  PostToolBatch: hook("PostToolBatch", { tool_calls: Schema.Array(PostToolBatchToolCall) }),
  PermissionRequest: hook("PermissionRequest", {
    tool_name: Schema.String,
    tool_input: Schema.Unknown,
    permission_suggestions: opt(Schema.Array(kept(PermissionUpdate))),
    mcp_server: opt(McpServerProvenance),
  }),
  PermissionDenied: hook("PermissionDenied", {
    tool_name: Schema.String,
    tool_input: Schema.Unknown,
    tool_use_id: Schema.String,
    reason: Schema.String,
    mcp_server: opt(McpServerProvenance),
  }),
  Notification: hook("Notification", {
    message: Schema.String,
    title: opt(Schema.String),
    notification_type: Schema.String,
  }),
  UserPromptSubmit: hook("UserPromptSubmit", {
    prompt: Schema.String,
    source: opt(Schema.Literals(["user", "sdk", "system", "loop_wakeup", "schedule_wakeup", "poll_event"])),
    session_title: opt(Schema.String),
  }),
  UserPromptExpansion: hook("UserPromptExpansion", {
    expansion_type: Schema.Literals(["slash_command", "mcp_prompt"]),
    command_name: Schema.String,
    command_args: Schema.String,
    command_source: opt(Schema.String),
    prompt: Schema.String,
  }),
  SessionStart: hook("SessionStart", {
    source: Schema.Literals(["startup", "resume", "clear", "compact", "fork"]),
    agent_type: opt(Schema.String),
    model: opt(Schema.String),
    session_title: opt(Schema.String),
    seconds_since_last_response: opt(Schema.Finite),
    context_tokens: opt(Schema.Finite),
    prompt_cache_likely_expired: opt(Schema.Boolean),
    estimated_cache_write_usd: opt(Schema.Finite),
  }),
  SessionEnd: hook("SessionEnd", { reason: ExitReason }),
  Stop: hook("Stop", {
    stop_hook_active: Schema.Boolean,
    last_assistant_message: opt(Schema.String),
    background_tasks: opt(Schema.Array(BackgroundTaskSummary)),
    session_crons: opt(Schema.Array(SessionCronSummary)),
  }),
  StopFailure: hook("StopFailure", {
    error: SDKAssistantMessageError,
    error_details: opt(Schema.String),
    last_assistant_message: opt(Schema.String),
  }),
  SubagentStart: hook("SubagentStart", { agent_id: Schema.String, agent_type: Schema.String }),
  SubagentStop: hook("SubagentStop", {
    stop_hook_active: Schema.Boolean,
    agent_id: Schema.String,
    agent_transcript_path: Schema.String,
    agent_type: Schema.String,
    last_assistant_message: opt(Schema.String),
    background_tasks: opt(Schema.Array(BackgroundTaskSummary)),
    session_crons: opt(Schema.Array(SessionCronSummary)),
  }),
  PreCompact: hook("PreCompact", {
    trigger: Schema.Literals(["manual", "auto"]),
    custom_instructions: Schema.NullOr(Schema.String),
  }),
  PostCompact: hook("PostCompact", { trigger: Schema.Literals(["manual", "auto"]), compact_summary: Schema.String }),
  MessageDisplay: hook("MessageDisplay", {
    turn_id: Schema.String,
    message_id: Schema.String,
    index: Schema.Finite,
    final: Schema.Boolean,
    delta: Schema.String,
  }),
}

// What is compared: the keys of each message and hook input in the SDK's published types, and the fields whose values are
// compared.

/** A list of names, written as one text. */
const words = (text: string): ReadonlyArray<string> => text.split(" ")

const ENVELOPE = ["uuid", "session_id"]
const SUBAGENT = ["agent_id", "subagent_type", "task_description"]

/** Keys by message type. Messages of other types are not compared. */
export const MESSAGE_KEYS: Readonly<Record<string, ReadonlyArray<string>>> = {
  assistant: [...ENVELOPE, ...SUBAGENT, ...words("message parent_tool_use_id request_id timestamp error aborted")],
  user: [
    ...ENVELOPE,
    ...SUBAGENT,
    ...words("message parent_tool_use_id timestamp tool_use_result isSynthetic isReplay"),
  ],
  stream_event: [...ENVELOPE, "event", "parent_tool_use_id"],
  result: [
    ...ENVELOPE,
    ...words("subtype duration_ms duration_api_ms is_error num_turns stop_reason total_cost_usd usage"),
    ...words("modelUsage permission_denials terminal_reason result errors structured_output origin"),
    "result_index",
  ],
  "system/init": [
    ...ENVELOPE,
    ...words("cwd tools mcp_servers model permissionMode slash_commands apiKeySource output_style"),
    ...words("claude_code_version agents skills plugins"),
  ],
  "system/status": [...ENVELOPE, ...words("status permissionMode compact_result compact_error")],
  "system/compact_boundary": [...ENVELOPE, "compact_metadata"],
  conversation_reset: [...ENVELOPE, "new_conversation_id", "trigger"],
  "system/api_retry": [...ENVELOPE, "attempt", "max_retries", "retry_delay_ms", "error_status", "error"],
  "system/permission_denied": [
    ...ENVELOPE,
    ...words("tool_name tool_use_id message decision_reason_type decision_reason agent_id"),
  ],
  "system/informational": [...ENVELOPE, "content", "level", "tag", "prevent_continuation"],
  "system/task_started": [...ENVELOPE, ...words("task_id tool_use_id description task_type subagent_type prompt")],
  "system/task_progress": [
    ...ENVELOPE,
    ...words("task_id tool_use_id description subagent_type usage last_tool_name summary"),
  ],
  "system/task_updated": [...ENVELOPE, "task_id", "patch"],
  "system/task_notification": [...ENVELOPE, ...words("task_id tool_use_id status output_file summary usage")],
  "system/background_tasks_changed": [...ENVELOPE, "tasks"],
}

/** Fields that are compared by value, by message type. */
export const MESSAGE_VALUES: Readonly<Record<string, ReadonlyArray<string>>> = {
  assistant: ["error", "aborted", "subagent_type"],
  user: ["isSynthetic", "isReplay", "subagent_type"],
  "system/init": ["model", "permissionMode"],
  "system/status": ["status", "permissionMode", "compact_result"],
  conversation_reset: ["trigger"],
  "system/api_retry": ["attempt", "max_retries", "error_status", "error"],
  "system/permission_denied": ["tool_name", "decision_reason_type"],
  "system/informational": ["level", "prevent_continuation"],
  "system/task_started": ["task_type", "subagent_type"],
  "system/task_progress": ["subagent_type", "last_tool_name"],
  "system/task_notification": ["status"],
}

/** Texts that are shown only as far as the scenario supplied them. */
export const MESSAGE_TEXTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  assistant: ["task_description"],
  user: ["task_description"],
  "system/informational": ["content"],
  "system/task_started": ["description", "prompt"],
}

const HOOK_BASE = words("session_id transcript_path cwd hook_event_name permission_mode agent_id agent_type")

const HOOK_KEYS: Readonly<Record<string, ReadonlyArray<string>>> = {
  UserPromptSubmit: ["prompt"],
  PreToolUse: ["tool_name", "tool_input", "tool_use_id"],
  PostToolUse: ["tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms"],
  PostToolUseFailure: ["tool_name", "tool_input", "tool_use_id", "error", "is_interrupt", "duration_ms"],
  PostToolBatch: ["tool_calls"],
  PermissionRequest: ["tool_name", "tool_input", "permission_suggestions"],
  Notification: ["message", "notification_type"],
  Stop: ["stop_hook_active", "last_assistant_message", "background_tasks"],
  StopFailure: ["error", "error_details", "last_assistant_message"],
  SubagentStop: ["stop_hook_active", "agent_transcript_path", "last_assistant_message", "background_tasks"],
  PreCompact: ["trigger", "custom_instructions"],
  PostCompact: ["trigger", "compact_summary"],
  SessionStart: ["source"],
  SessionEnd: ["reason"],
  TaskCreated: ["task_id", "task_subject", "task_description"],
  TaskCompleted: ["task_id", "task_subject", "task_description"],
}

export const HOOK_VALUES = [
  ...words("tool_name permission_mode agent_type stop_hook_active is_interrupt reason"),
  ...words("notification_type trigger source"),
]

export const HOOK_TEXTS = words(
  "prompt last_assistant_message task_subject task_description custom_instructions compact_summary",
)

export const hookKeys = (event: string): ReadonlyArray<string> => [...HOOK_BASE, ...(HOOK_KEYS[event] ?? [])]

export const USAGE = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]

export const MODEL_USAGE = [
  ...words("inputTokens outputTokens cacheReadInputTokens cacheCreationInputTokens costUSD"),
  ...words("contextWindow maxOutputTokens"),
]

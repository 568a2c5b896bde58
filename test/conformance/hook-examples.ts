// One input for each hook event and one output for each form, with every field of the official types. They are typed as
// official values, so the compiler checks them against the official types and the tests against the schemas.
import type { HookInput, HookJSONOutput, PermissionUpdate } from "@anthropic-ai/claude-agent-sdk"

const base = {
  session_id: "0199a000-0000-7000-8000-000000000002",
  transcript_path: "/v1/sessions/0199a000-0000-7000-8000-000000000002/events",
  cwd: "/workspace",
  prompt_id: "0199a000-0000-7000-8000-000000000003",
  permission_mode: "default",
  agent_id: "agent-1",
  agent_type: "helper",
  effort: { level: "high" },
}
const server = { name: "files", source: "project" }
const call = { tool_name: "mcp__files__look", tool_input: { path: "a" }, mcp_server: server }
const task = { id: "b1", type: "local_bash", status: "running", description: "d", command: "ls", name: "n" }
const cron = { id: "c1", schedule: "* * * * *", recurring: true, prompt: "p" }
const switched = {
  from_model: "model-a",
  to_model: "model-b",
  requested_model: null,
  context_tokens: 10,
  prompt_cache_warm: true,
  cache_ttl: "5m",
  estimated_cache_write_usd: 0.1,
  pricing: "catalog",
} as const
const created = { task_id: "1", task_subject: "s", task_description: "d", teammate_name: "t", team_name: "u" }

export const UPDATES: Array<PermissionUpdate> = [
  { type: "addRules", rules: [{ toolName: "Bash", ruleContent: "ls *" }], behavior: "allow", destination: "session" },
  { type: "replaceRules", rules: [{ toolName: "Read" }], behavior: "ask", destination: "userSettings" },
  { type: "removeRules", rules: [{ toolName: "Read" }], behavior: "deny", destination: "projectSettings" },
  { type: "setMode", mode: "acceptEdits", destination: "localSettings" },
  { type: "addDirectories", directories: ["/a"], destination: "cliArg" },
  { type: "removeDirectories", directories: [], destination: "session" },
]

/** Of SDK 0.3.332: the official types here do not have it. */
const script = {
  ...base,
  hook_event_name: "PreSkillShellCommand",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "t1",
  command_name: "list",
  command_source: "projectSettings",
  invoked_by: "claude",
} as const
const scriptOutput = {
  hookSpecificOutput: {
    hookEventName: "PreSkillShellCommand",
    permissionDecision: "deny",
    permissionDecisionReason: "r",
    updatedInput: { command: "ls -l" },
  },
} as const

const OFFICIAL_INPUTS: ReadonlyArray<HookInput> = [
  { ...base, hook_event_name: "PreToolUse", ...call, tool_use_id: "t1" },
  { ...base, hook_event_name: "PostToolUse", ...call, tool_use_id: "t1", tool_response: ["x"], duration_ms: 3 },
  {
    ...base,
    hook_event_name: "PostToolUseFailure",
    ...call,
    tool_use_id: "t1",
    error: "no",
    is_interrupt: true,
    duration_ms: 3,
  },
  {
    ...base,
    hook_event_name: "PostToolBatch",
    tool_calls: [
      { tool_name: "Read", tool_input: { file_path: "a" }, tool_use_id: "t1", tool_response: "x" },
      { tool_name: "Read", tool_input: null, tool_use_id: "t2" },
    ],
  },
  { ...base, hook_event_name: "PermissionRequest", ...call, permission_suggestions: UPDATES },
  { ...base, hook_event_name: "PermissionDenied", ...call, tool_use_id: "t1", reason: "rule" },
  { ...base, hook_event_name: "Notification", message: "m", title: "t", notification_type: "idle" },
  { ...base, hook_event_name: "UserPromptSubmit", prompt: "p", source: "sdk", session_title: "t" },
  {
    ...base,
    hook_event_name: "UserPromptExpansion",
    expansion_type: "slash_command",
    command_name: "compact",
    command_args: "",
    command_source: "project",
    prompt: "/compact",
  },
  {
    ...base,
    hook_event_name: "SessionStart",
    source: "fork",
    model: "model-a",
    session_title: "t",
    seconds_since_last_response: 5,
    context_tokens: 10,
    prompt_cache_likely_expired: false,
    estimated_cache_write_usd: 0.2,
  },
  { ...base, hook_event_name: "SessionEnd", reason: "logout" },
  {
    ...base,
    hook_event_name: "Stop",
    stop_hook_active: true,
    last_assistant_message: "m",
    background_tasks: [task, { ...task, agent_type: "helper", server: "files", tool: "look" }],
    session_crons: [cron],
  },
  {
    ...base,
    hook_event_name: "StopFailure",
    error: "overloaded",
    error_details: "d",
    last_assistant_message: "m",
  },
  { ...base, hook_event_name: "SubagentStart" },
  {
    ...base,
    hook_event_name: "SubagentStop",
    stop_hook_active: false,
    agent_transcript_path: "/v1/sessions/s/subagents/agent-1",
    last_assistant_message: "m",
    background_tasks: [task],
    session_crons: [cron],
  },
  { ...base, hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null },
  { ...base, hook_event_name: "PostCompact", trigger: "manual", compact_summary: "s" },
  { ...base, hook_event_name: "PreModelSwitch", ...switched, source: "sdk" },
  { ...base, hook_event_name: "PostModelSwitch", ...switched, source: "resume" },
  { ...base, hook_event_name: "Setup", trigger: "init" },
  { ...base, hook_event_name: "TeammateIdle", teammate_name: "t", team_name: "u" },
  { ...base, hook_event_name: "TaskCreated", ...created },
  { ...base, hook_event_name: "TaskCompleted", ...created },
  {
    ...base,
    hook_event_name: "Elicitation",
    mcp_server_name: "files",
    message: "m",
    mode: "form",
    url: "https://example.com",
    elicitation_id: "e1",
    requested_schema: { type: "object" },
  },
  {
    ...base,
    hook_event_name: "ElicitationResult",
    mcp_server_name: "files",
    elicitation_id: "e1",
    mode: "url",
    action: "accept",
    content: { name: "n" },
  },
  { ...base, hook_event_name: "ConfigChange", source: "skills", file_path: "/a" },
  {
    ...base,
    hook_event_name: "InstructionsLoaded",
    file_path: "/a",
    memory_type: "Project",
    load_reason: "include",
    globs: ["*.ts"],
    trigger_file_path: "/b",
    parent_file_path: "/c",
  },
  { ...base, hook_event_name: "WorktreeCreate", name: "w" },
  { ...base, hook_event_name: "WorktreeRemove", worktree_path: "/w" },
  { ...base, hook_event_name: "CwdChanged", old_cwd: "/a", new_cwd: "/b" },
  { ...base, hook_event_name: "FileChanged", file_path: "/a", event: "unlink" },
  { ...base, hook_event_name: "DirectoryAdded", directory: "/a", source: "slash_command" },
  {
    ...base,
    hook_event_name: "MessageDisplay",
    turn_id: "1",
    message_id: "2",
    index: 0,
    final: false,
    delta: "d",
  },
]

export const HOOK_INPUTS: ReadonlyArray<HookInput | typeof script> = [...OFFICIAL_INPUTS, script]

const common = {
  continue: false,
  stopReason: "r",
  suppressOutput: true,
  decision: "block",
  reason: "r",
  systemMessage: "m",
  terminalSequence: "\u0007",
} as const

export const HOOK_OUTPUTS: ReadonlyArray<HookJSONOutput | typeof scriptOutput> = [
  scriptOutput,
  {},
  common,
  { async: true },
  { async: true, asyncTimeout: 5 },
  {
    ...common,
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "defer",
      permissionDecisionReason: "r",
      updatedInput: { a: 1 },
      additionalContext: "c",
    },
  },
  {
    hookSpecificOutput: {
      hookEventName: "PostToolUse",
      additionalContext: "c",
      classifierContext: "c",
      updatedToolOutput: { a: [1] },
      updatedMCPToolOutput: "x",
    },
  },
  { hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: "c" } },
  { hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: "c" } },
  { hookSpecificOutput: { hookEventName: "PermissionDenied", retry: true } },
  { hookSpecificOutput: { hookEventName: "Notification", additionalContext: "c" } },
  {
    hookSpecificOutput: {
      hookEventName: "UserPromptSubmit",
      additionalContext: "c",
      sessionTitle: "t",
      suppressOriginalPrompt: true,
    },
  },
  {
    hookSpecificOutput: { hookEventName: "UserPromptExpansion", additionalContext: "c", suppressOriginalPrompt: false },
  },
  {
    hookSpecificOutput: {
      hookEventName: "SessionStart",
      additionalContext: "c",
      initialUserMessage: "m",
      sessionTitle: "t",
      watchPaths: ["/a"],
      reloadSkills: true,
    },
  },
  { hookSpecificOutput: { hookEventName: "Stop", additionalContext: "c" } },
  { hookSpecificOutput: { hookEventName: "SubagentStart", additionalContext: "c" } },
  { hookSpecificOutput: { hookEventName: "SubagentStop", additionalContext: "c" } },
  {
    hookSpecificOutput: {
      hookEventName: "PreModelSwitch",
      permissionDecision: "ask",
      permissionDecisionReason: "r",
    },
  },
  { hookSpecificOutput: { hookEventName: "PostModelSwitch", additionalContext: "c" } },
  {
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow", updatedInput: { a: 1 }, updatedPermissions: UPDATES },
    },
  },
  {
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "m", interrupt: true },
    },
  },
  { hookSpecificOutput: { hookEventName: "Setup", additionalContext: "c" } },
  { hookSpecificOutput: { hookEventName: "Elicitation", action: "decline", content: { a: 1 } } },
  { hookSpecificOutput: { hookEventName: "ElicitationResult", action: "cancel", content: {} } },
  { hookSpecificOutput: { hookEventName: "WorktreeCreate", worktreePath: "/w" } },
  { hookSpecificOutput: { hookEventName: "CwdChanged", watchPaths: [] } },
  { hookSpecificOutput: { hookEventName: "FileChanged", watchPaths: ["/a"] } },
  { hookSpecificOutput: { hookEventName: "MessageDisplay", displayContent: "d" } },
]

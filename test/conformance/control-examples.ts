// One request for each subtype of the control protocol, and its other frames, with every field of the official types. They are
// typed as official values, so the compiler checks them against the official types and the tests against the schemas.
import type * as sdk from "@anthropic-ai/claude-agent-sdk"
import type { AuthMessage } from "@anthropic-ai/claude-agent-sdk/browser"
import { HOOK_INPUTS, UPDATES } from "./hook-examples.ts"

type Request = sdk.SDKControlRequest["request"]

const servers: Record<string, sdk.McpServerConfigForProcessTransport> = {
  local: { command: "x", args: ["a"], env: { A: "b" }, timeout: 1, alwaysLoad: true },
  typed: { type: "stdio", command: "x" },
  sse: { type: "sse", url: "https://a", headers: { a: "b" }, tools: [{ name: "t" }], timeout: 1, alwaysLoad: true },
  http: {
    type: "http",
    url: "https://a",
    headers: {},
    tools: [{ name: "t", permission_policy: "always_ask", org_max_permission: "blocked" }],
    timeout: 1,
    alwaysLoad: false,
  },
  own: { type: "sdk", name: "own", timeout: 1, tools: [] },
}

const AGENT: sdk.AgentDefinition = {
  description: "d",
  prompt: "p",
  tools: ["Read"],
  disallowedTools: ["Bash"],
  model: "inherit",
  mcpServers: ["files", servers],
  criticalSystemReminder_EXPERIMENTAL: "r",
  skills: ["s"],
  initialPrompt: "i",
  maxTurns: 3,
  autoCompactWindow: 1000,
  background: true,
  omitClaudeMd: true,
  memory: "project",
  effort: 5,
  permissionMode: "plan",
  observer: "o",
  observerMessage: "m",
}

const plugin: sdk.SdkPluginConfig = { type: "local", path: "/p", skipMcpDiscovery: true }
const form: Extract<Request, { subtype: "elicitation" }> = {
  subtype: "elicitation",
  mcp_server_name: "files",
  message: "m",
  mode: "form",
  url: "https://a",
  elicitation_id: "e",
  requested_schema: { type: "object" },
  property_order: ["a"],
  title: "t",
  display_name: "d",
  description: "d",
}

/** Requests that the SDK, or a later version of it, sends and has no types for. */
type Untyped =
  | {
      readonly subtype: "hook_callback"
      readonly callback_id: "h0"
      readonly input: (typeof HOOK_INPUTS)[number]
      readonly tool_use_id: "t1"
    }
  | { readonly subtype: "end_session" }
  | { readonly subtype: "generate_session_title"; readonly description: string; readonly persist?: boolean }
  | {
      readonly subtype: "set_mcp_permission_mode_override"
      readonly serverName: string
      readonly mode: "default" | "auto" | null
    }

export const REQUESTS: ReadonlyArray<Request | Untyped> = [
  { subtype: "interrupt", cancel_queued: true },
  { subtype: "end_session" },
  { subtype: "generate_session_title", description: "d", persist: true },
  {
    subtype: "can_use_tool",
    tool_name: "Bash",
    mcp_server: { name: "files", source: "project" },
    input: { command: "ls" },
    permission_suggestions: UPDATES,
    blocked_path: "/a",
    decision_reason: "r",
    decision_reason_type: "safetyCheck",
    classifier_approvable: true,
    suppress_always_allow_rule: true,
    default_to_no: true,
    matched_ask_rule: { source: "session", tool_name: "Bash", rule_content: "ls" },
    title: "t",
    display_name: "d",
    tool_use_id: "t1",
    agent_id: "a",
    description: "d",
    requires_user_interaction: false,
  },
  {
    subtype: "initialize",
    hooks: { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["h0"], timeout: 5, onFailure: "block" }], Stop: [] },
    sdkMcpServers: ["own"],
    sdkMcpServerConfigs: { own: { timeout: 1, tools: [{ name: "t" }] } },
    sdkMcpServerManifests: { own: { initializeResult: { a: 1 }, toolsListResult: {} } },
    sdkMcpServerManifestsOrigin: "host_per_send",
    jsonSchema: { type: "object" },
    systemPrompt: ["a", "b"],
    appendSystemPrompt: "a",
    systemPromptSnapshot: true,
    planModeInstructions: "p",
    toolAliases: { Bash: "mcp__a__b" },
    excludeDynamicSections: true,
    agents: { helper: AGENT, small: { description: "d", prompt: "p", effort: "max" } },
    title: "t",
    skills: ["s"],
    promptSuggestions: true,
    agentProgressSummaries: true,
    forwardSubagentText: true,
    supportedDialogKinds: ["k"],
    perTaskStopAffordance: true,
    plugins: [plugin],
    mcpServers: servers,
  },
  { subtype: "set_permission_mode", mode: "dontAsk" },
  { subtype: "set_model", model: null },
  { subtype: "set_max_thinking_tokens", max_thinking_tokens: null, thinking_display: "highlights" },
  { subtype: "rename_session", title: "t", source: "host", session_id: "s" },
  { subtype: "set_color", color: "red" },
  { subtype: "mcp_status", liveReply: true },
  { subtype: "get_context_usage", detail: "full" },
  { subtype: "get_session_cost" },
  { subtype: "list_models" },
  { subtype: "get_usage", skip_behaviors: true },
  { subtype: "get_binary_version" },
  {
    subtype: "mcp_call",
    tool: "t",
    arguments: { a: 1 },
    expires_at: "2026-11-22T00:00:00Z",
    timeout_ms: 1,
    result_not_for_model: true,
    check_permissions: true,
    input_files: [{ name: "a", lane_path: "/a" }],
    output_files: [{ name: "a", lane_path: "/a", if_match: "x" }],
  },
  { subtype: "file_suggestions", query: "a" },
  ...HOOK_INPUTS.map((input) => ({ subtype: "hook_callback", callback_id: "h0", input, tool_use_id: "t1" }) as const),
  {
    subtype: "mcp_message",
    server_name: "own",
    message: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "t", _meta: { progressToken: 2, "io.modelcontextprotocol/related-task": { taskId: "x" } } },
    },
  },
  {
    subtype: "mcp_message",
    server_name: "own",
    message: { jsonrpc: "2.0", method: "notifications/initialized", params: {} },
  },
  { subtype: "mcp_message", server_name: "own", message: { jsonrpc: "2.0", id: "a", result: { tools: [] } } },
  {
    subtype: "mcp_message",
    server_name: "own",
    message: { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no", data: [1] } },
  },
  { subtype: "rewind_files", user_message_id: "u", dry_run: true },
  { subtype: "cancel_async_message", message_uuid: "u" },
  { subtype: "read_file", path: "/a", max_bytes: 1, encoding: "base64" },
  { subtype: "seed_read_state", path: "/a", mtime: 1 },
  { subtype: "mcp_set_servers", servers },
  {
    subtype: "register_repo_root",
    directory: "/a",
    reload_claude_md: true,
    reload_plugins: true,
    reload_skills: true,
  },
  { subtype: "reload_plugins", hold_on_cache_impact: true, add_plugins: [plugin], refuse_if_busy: true },
  { subtype: "reload_skills" },
  { subtype: "reload_output_styles" },
  { subtype: "mcp_reconnect", serverName: "s" },
  { subtype: "mcp_toggle", serverName: "s", enabled: false },
  { subtype: "set_mcp_permission_mode_override", serverName: "s", mode: "default" },
  { subtype: "set_has_subscribers", has_subscribers: null },
  { subtype: "stop_task", task_id: "t" },
  { subtype: "background_tasks", tool_use_id: "t" },
  { subtype: "get_task_output", task_id: "t" },
  { subtype: "apply_flag_settings", settings: { model: "m" } },
  { subtype: "get_settings" },
  { subtype: "get_hooks_listing" },
  { subtype: "update_settings", source: "userSettings", settings: {} },
  form,
  { subtype: "request_user_dialog", dialog_kind: "k", payload: { a: 1 }, tool_use_id: "t" },
  { subtype: "list_permission_rules" },
  { subtype: "mcp_read_resource", serverName: "s", uri: "a://b" },
]

const ask = (request: Request): sdk.SDKControlRequest => ({ type: "control_request", request_id: "r2", request })
const missed = {
  pending_permission_requests: [ask({ subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" })],
  pending_user_dialog_requests: [ask({ subtype: "request_user_dialog", dialog_kind: "k", payload: {} })],
  pending_elicitation_requests: [ask(form)],
}

export const RESPONSES: ReadonlyArray<sdk.SDKControlResponse> = [
  { type: "control_response", response: { subtype: "success", request_id: "r1" } },
  { type: "control_response", response: { subtype: "success", request_id: "r1", response: { a: 1 }, ...missed } },
  { type: "control_response", response: { subtype: "error", request_id: "r1", error: "no", ...missed } },
]

export const AUTH: AuthMessage = { type: "auth", credential: { type: "oauth", token: "ticket" } }

/** Frames whose types the SDK does not export. */
export const OTHER_FRAMES = [
  { type: "control_cancel_request", request_id: "r1" },
  { type: "keep_alive" },
  { type: "update_environment_variables", variables: { A: "b" } },
]

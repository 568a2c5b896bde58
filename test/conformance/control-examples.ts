// One request for each subtype of the control protocol, typed answers and frames, with every field that the official
// types name. They are written as official values, so the compiler holds them to the official types and the tests to the
// schemas.
import type * as sdk from "@anthropic-ai/claude-agent-sdk"
import type { AuthMessage } from "@anthropic-ai/claude-agent-sdk/browser"
import { HOOK_INPUTS, HOOK_OUTPUTS, UPDATES } from "./hook-examples.ts"

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

export const AGENT: sdk.AgentDefinition = {
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

export const REQUESTS: ReadonlyArray<Request> = [
  { subtype: "interrupt", cancel_queued: true },
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

const skill: sdk.SlashCommand = { name: "n", description: "d", argumentHint: "", aliases: ["a"], builtin: false }
const model: sdk.ModelInfo = {
  value: "model-a",
  resolvedModel: "model-a-1",
  displayName: "A",
  description: "d",
  supportsEffort: true,
  supportedEffortLevels: ["low", "max"],
  supportsAdaptiveThinking: true,
  supportsFastMode: false,
  supportsAutoMode: false,
}
const initialized: sdk.SDKControlInitializeResponse = {
  commands: [skill],
  agents: [{ name: "a", description: "d", model: "m" }],
  output_style: "default",
  available_output_styles: ["default"],
  models: [model],
  account: {
    email: "e",
    organization: "o",
    subscriptionType: "s",
    tokenSource: "t",
    apiKeySource: "k",
    apiProvider: "gateway",
  },
  hooks_applied: true,
  hook_on_failure_supported: true,
  plugins_applied: false,
  mcp_servers_applied: true,
  sdk_mcp_manifests_parked: { own: "not_honoured" },
  claude_code_version: "1",
  fast_mode_state: "off",
  fast_mode_disabled_reason: "pending",
}
const status: sdk.McpServerStatus = {
  name: "files",
  status: "needs-auth",
  serverInfo: { name: "n", version: "1" },
  error: "e",
  config: { type: "claudeai-proxy", url: "https://a", id: "i", timeout: 1 },
  scope: "s",
  source: "s",
  tools: [
    {
      name: "t",
      description: "d",
      annotations: { readOnly: true, destructive: false, openWorld: true },
      _meta: { a: 1 },
    },
  ],
}
const context: sdk.SDKControlGetContextUsageResponse = {
  categories: [{ id: "skills", name: "n", tokens: 1, color: "c", isDeferred: true, kind: "used" }],
  totalTokens: 1,
  maxTokens: 2,
  rawMaxTokens: 3,
  percentage: 50,
  gridRows: [[{ color: "c", isFilled: true, categoryName: "n", tokens: 1, percentage: 1, squareFullness: 1 }]],
  model: "m",
  memoryFiles: [{ path: "/a", type: "Project", tokens: 1 }],
  mcpTools: [{ name: "n", serverName: "s", tokens: 1, isLoaded: true }],
  mcpInstructions: [{ serverName: "s", tokens: 1 }],
  deferredBuiltinTools: [{ name: "n", tokens: 1, isLoaded: false }],
  systemTools: [{ name: "n", tokens: 1 }],
  systemPromptSections: [{ name: "n", tokens: 1 }],
  agents: [{ agentType: "a", source: "s", pluginId: "p", path: "/a", tokens: 1 }],
  slashCommands: { totalCommands: 1, includedCommands: 1, tokens: 1 },
  skills: {
    totalSkills: 1,
    includedSkills: 1,
    tokens: 1,
    skillFrontmatter: [{ name: "n", source: "s", pluginName: "p", pluginId: "i", path: "/a", tokens: 1 }],
  },
  autoCompactThreshold: 1,
  isAutoCompactEnabled: true,
  messageBreakdown: {
    toolCallTokens: 1,
    toolResultTokens: 1,
    attachmentTokens: 1,
    assistantMessageTokens: 1,
    userMessageTokens: 1,
    redirectedContextTokens: 1,
    unattributedTokens: 1,
    toolCallsByType: [{ name: "n", callTokens: 1, resultTokens: 1 }],
    attachmentsByType: [{ name: "n", tokens: 1 }],
  },
  apiUsage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 1, cache_read_input_tokens: 1 },
}
const shares = [{ name: "n", pct: 1 }]
const behaviors = {
  request_count: 1,
  session_count: 1,
  behaviors: [{ key: "cron", pct: 1, count: 1 }] as { key: "cron"; pct: number; count: number }[],
  recommendations: [{ key: "k", pct: 1, title: "t", detail: "d" }],
  fix: { keys: ["k"], messages: ["m"] },
  agents: shares,
  skills: shares,
  plugins: shares,
  mcp_servers: shares,
}
const window = { utilization: 1, resets_at: null }
const usage: sdk.SDKControlGetUsageResponse = {
  session: {
    total_cost_usd: 1,
    total_api_duration_ms: 1,
    total_duration_ms: 1,
    total_lines_added: 1,
    total_lines_removed: 1,
    model_usage: {
      "model-a": {
        inputTokens: 1,
        outputTokens: 1,
        cacheReadInputTokens: 1,
        cacheCreationInputTokens: 1,
        webSearchRequests: 0,
        costUSD: 1,
        contextWindow: 1,
        maxOutputTokens: 1,
      },
    },
  },
  subscription_type: null,
  rate_limits_available: true,
  rate_limits: {
    five_hour: window,
    seven_day: null,
    seven_day_oauth_apps: window,
    seven_day_opus: window,
    seven_day_sonnet: window,
    model_scoped: [{ display_name: "d", ...window }],
    extra_usage: { is_enabled: true, monthly_limit: 1, used_credits: null, utilization: 1, currency: null },
  },
  behaviors: { day: behaviors, week: behaviors },
}
const rules: sdk.SDKControlPermissionRulesState = {
  rules: [
    {
      behavior: "ask",
      source: "cliArg",
      rule: "Bash",
      description: { prefix: "p", emphasis: "e", suffix: "s" },
      editability: "readonly",
      notInEffect: true,
    },
  ],
  workspaceDirectories: [{ path: "/a", source: "s" }],
  originalCwd: "/a",
  managedOnly: false,
  errors: [{ file: "f", path: "p", message: "m" }],
  withheld: true,
}

export const PERMISSION_RESULTS: ReadonlyArray<sdk.PermissionResult> = [
  {
    behavior: "allow",
    updatedInput: { a: 1 },
    updatedPermissions: UPDATES,
    toolUseID: "t",
    decisionClassification: "user_permanent",
  },
  { behavior: "deny", message: "m", interrupt: true, toolUseID: "t", decisionClassification: "user_reject" },
]

const interrupted: sdk.SDKControlInterruptResponse = { still_queued: ["u"], cancelled: [] }
const rewound: sdk.RewindFilesResult = {
  canRewind: true,
  error: "e",
  filesChanged: ["/a"],
  insertions: 1,
  deletions: 1,
  skippedLinks: 0,
}
const set: sdk.McpSetServersResult = { added: ["a"], removed: [], errors: { b: "no" } }
const file: sdk.SDKControlReadFileResponse = {
  contents: "",
  absPath: "/a",
  truncated: true,
  encoding: "base64",
  lossy: true,
}
const resource: sdk.SDKControlMcpReadResourceResponse = {
  contents: [{ uri: "a://b", mimeType: "m", text: "t", blob: "b", _meta: {} }],
}
const skills: sdk.SDKControlReloadSkillsResponse = { skills: [skill] }
const plugins: sdk.SDKControlReloadPluginsResponse = {
  commands: [skill],
  agents: [],
  plugins: [{ name: "n", path: "/a", source: "s", version: "1" }],
  mcpServers: [status],
  error_count: 0,
  held: true,
  cache_impact: { mcp_servers_added: ["a"], mcp_servers_removed: [], lsp_tool_change: null },
}
const styles: sdk.SDKControlReloadOutputStylesResponse = { available_output_styles: ["default"] }
const dialogs: ReadonlyArray<sdk.UserDialogResult> = [{ behavior: "completed", result: 1 }, { behavior: "cancelled" }]
const elicited: sdk.ElicitationResult = { action: "accept", content: { a: "b", c: 1, d: true, e: ["f"] } }
const listing = { name: "Stop", summary: "s", supportsMatcher: false }

/** Typed answers, by the subtype of the request. */
export const ANSWERS: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  initialize: [initialized],
  can_use_tool: PERMISSION_RESULTS,
  hook_callback: HOOK_OUTPUTS,
  elicitation: [elicited],
  request_user_dialog: dialogs,
  mcp_message: [{ mcp_response: { jsonrpc: "2.0", id: 0, result: {} } }],
  mcp_status: [{ mcpServers: [status] }],
  mcp_set_servers: [set],
  background_tasks: [{ backgrounded: true }],
  list_permission_rules: [{ state: rules }],
  get_context_usage: [context],
  get_usage: [usage],
  interrupt: [interrupted],
  rewind_files: [rewound],
  read_file: [file],
  mcp_read_resource: [resource],
  get_task_output: [{ output: "o", total_bytes: 1, truncated: false }],
  reload_skills: [skills],
  reload_plugins: [plugins],
  reload_output_styles: [styles],
  get_hooks_listing: [
    {
      events: [{ ...listing, hookCount: 1 }],
      hooks: [
        {
          event: "Stop",
          matcher: "",
          source: "s",
          sourceLabel: "s",
          pluginName: "p",
          type: "http",
          displayText: "d",
          commandText: "c",
          contentLabel: "l",
          condition: "c",
          timeout: 1,
          statusMessage: "m",
          runsOnce: true,
          runsInBackground: true,
          disabled: true,
          editable: { matcher: "", config: {}, headersRedacted: true },
        },
      ],
      eventCatalog: [listing],
      policy: {
        disabledByPolicy: false,
        managedOnly: false,
        pluginOnly: false,
        allDisabled: false,
        policyHookCount: 0,
        policyUnreadable: true,
      },
      safeMode: { managedHooksStillApply: true, exitHint: "e" },
      bareMode: { exitHint: "e" },
      errors: [{ path: "p", message: "m" }],
    },
  ],
}

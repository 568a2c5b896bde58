// One answer for each control request whose answer is typed, with every field of the official types. They are typed as official
// values, so the compiler checks them against the official types and the tests against the schemas.
import type * as sdk from "@anthropic-ai/claude-agent-sdk"
import { HOOK_OUTPUTS, UPDATES } from "./hook-examples.ts"

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

/** Typed answers, by the request's subtype. */
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

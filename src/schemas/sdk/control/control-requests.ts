// The control requests that a client sends, by subtype, with the fields that the SDK types.
// Invariant: shapes only; which of them the server supports is decided where it answers them.
import * as Schema from "effect/Schema"
import { request } from "./control-asks.ts"
import { AgentDefinition } from "../options/agents.ts"
import { HookMatchers } from "../hooks/hooks.ts"
import { McpServerConfig, McpServerToolPolicy } from "../options/mcp-config.ts"
import { AnyRecord, open } from "../open.ts"
import { McpMode, PermissionMode } from "../options/permissions.ts"

const opt = Schema.optionalKey

const any = opt(Schema.Unknown)

/** The fields of an entry in the SDK's or opencode's form; the session decodes each entry like those of the options. */
const ServerFields = open({
  type: any,
  name: any,
  url: any,
  headers: any,
  oauth: any,
  timeout: any,
  alwaysLoad: any,
  command: any,
  args: any,
  env: any,
  environment: any,
  enabled: any,
  transport: any,
  tools: opt(Schema.Array(McpServerToolPolicy)),
})

/** Servers are checked one by one, so that an unusable one does not affect the others. The type is what SDK clients send. */
const Servers = Schema.Record(Schema.String, ServerFields) as unknown as Schema.$Record<
  typeof Schema.String,
  typeof McpServerConfig
>

/** SDKs before 0.2.110 send one text, which the session reads as a list of one. The type is what the current SDK sends. */
const Texts = Schema.Union([Schema.Array(Schema.String), Schema.String]) as unknown as Schema.$Array<
  typeof Schema.String
>

/** A plugin in a local folder. */
const SdkPluginConfig = open({
  type: Schema.Literal("local"),
  path: Schema.String,
  skipMcpDiscovery: opt(Schema.Boolean),
})

/** Requests of the client, by subtype. */
export const ClientRequests = {
  interrupt: request("interrupt", { cancel_queued: opt(Schema.Boolean) }),
  end_session: request("end_session", {}),
  generate_session_title: request("generate_session_title", {
    description: Schema.String,
    persist: opt(Schema.Boolean),
  }),
  initialize: request("initialize", {
    hooks: opt(HookMatchers),
    sdkMcpServers: opt(Schema.Array(Schema.String)),
    sdkMcpServerConfigs: opt(
      Schema.Record(
        Schema.String,
        open({ timeout: opt(Schema.Finite), tools: opt(Schema.Array(McpServerToolPolicy)) }),
      ),
    ),
    sdkMcpServerManifests: opt(
      Schema.Record(Schema.String, open({ initializeResult: AnyRecord, toolsListResult: opt(AnyRecord) })),
    ),
    sdkMcpServerManifestsOrigin: opt(Schema.Literal("host_per_send")),
    jsonSchema: opt(AnyRecord),
    systemPrompt: opt(Texts),
    appendSystemPrompt: opt(Schema.String),
    systemPromptSnapshot: opt(Schema.Boolean),
    planModeInstructions: opt(Schema.String),
    toolAliases: opt(Schema.Record(Schema.String, Schema.String)),
    excludeDynamicSections: opt(Schema.Boolean),
    agents: opt(Schema.Record(Schema.String, AgentDefinition)),
    title: opt(Schema.String),
    skills: opt(Schema.Array(Schema.String)),
    promptSuggestions: opt(Schema.Boolean),
    agentProgressSummaries: opt(Schema.Boolean),
    forwardSubagentText: opt(Schema.Boolean),
    supportedDialogKinds: opt(Schema.Array(Schema.String)),
    perTaskStopAffordance: opt(Schema.Boolean),
    plugins: opt(Schema.Array(SdkPluginConfig)),
    mcpServers: opt(Servers),
  }),
  set_permission_mode: request("set_permission_mode", { mode: PermissionMode }),
  set_model: request("set_model", { model: opt(Schema.NullOr(Schema.String)) }),
  set_max_thinking_tokens: request("set_max_thinking_tokens", {
    max_thinking_tokens: opt(Schema.NullOr(Schema.Finite)),
    thinking_display: opt(Schema.NullOr(Schema.Literals(["summarized", "omitted", "highlights"]))),
  }),
  rename_session: request("rename_session", {
    title: Schema.String,
    source: opt(Schema.Literals(["remote", "host"])),
    session_id: opt(Schema.String),
  }),
  set_color: request("set_color", { color: Schema.String }),
  mcp_status: request("mcp_status", { liveReply: opt(Schema.Boolean) }),
  get_context_usage: request("get_context_usage", { detail: opt(Schema.Literals(["summary", "full"])) }),
  get_session_cost: request("get_session_cost", {}),
  list_models: request("list_models", {}),
  get_usage: request("get_usage", { skip_behaviors: opt(Schema.Boolean) }),
  get_binary_version: request("get_binary_version", {}),
  mcp_call: request("mcp_call", {
    tool: Schema.String,
    arguments: opt(AnyRecord),
    expires_at: opt(Schema.String),
    timeout_ms: opt(Schema.Finite),
    result_not_for_model: opt(Schema.Boolean),
    check_permissions: opt(Schema.Boolean),
    input_files: opt(Schema.Array(open({ name: Schema.String, lane_path: Schema.String }))),
    output_files: opt(
      Schema.Array(open({ name: Schema.String, lane_path: Schema.String, if_match: opt(Schema.String) })),
    ),
  }),
  file_suggestions: request("file_suggestions", { query: Schema.String }),
  rewind_files: request("rewind_files", { user_message_id: Schema.String, dry_run: opt(Schema.Boolean) }),
  cancel_async_message: request("cancel_async_message", { message_uuid: Schema.String }),
  read_file: request("read_file", {
    path: Schema.String,
    max_bytes: opt(Schema.Finite),
    encoding: opt(Schema.Literals(["utf-8", "base64"])),
  }),
  seed_read_state: request("seed_read_state", { path: Schema.String, mtime: Schema.Finite }),
  mcp_set_servers: request("mcp_set_servers", { servers: Servers }),
  register_repo_root: request("register_repo_root", {
    directory: Schema.String,
    reload_claude_md: opt(Schema.Boolean),
    reload_plugins: opt(Schema.Boolean),
    reload_skills: opt(Schema.Boolean),
  }),
  reload_plugins: request("reload_plugins", {
    hold_on_cache_impact: opt(Schema.Boolean),
    add_plugins: opt(Schema.Array(SdkPluginConfig)),
    refuse_if_busy: opt(Schema.Boolean),
  }),
  reload_skills: request("reload_skills", {}),
  reload_output_styles: request("reload_output_styles", {}),
  mcp_reconnect: request("mcp_reconnect", { serverName: Schema.String }),
  mcp_toggle: request("mcp_toggle", { serverName: Schema.String, enabled: Schema.Boolean }),
  set_mcp_permission_mode_override: request("set_mcp_permission_mode_override", {
    serverName: Schema.String,
    mode: Schema.NullOr(McpMode),
  }),
  set_has_subscribers: request("set_has_subscribers", { has_subscribers: Schema.NullOr(Schema.Boolean) }),
  stop_task: request("stop_task", { task_id: Schema.String }),
  background_tasks: request("background_tasks", { tool_use_id: opt(Schema.String) }),
  get_task_output: request("get_task_output", { task_id: Schema.String }),
  apply_flag_settings: request("apply_flag_settings", { settings: AnyRecord }),
  get_settings: request("get_settings", {}),
  get_hooks_listing: request("get_hooks_listing", {}),
  update_settings: request("update_settings", {
    source: Schema.Literals(["localSettings", "userSettings"]),
    settings: AnyRecord,
  }),
  list_permission_rules: request("list_permission_rules", {}),
  mcp_read_resource: request("mcp_read_resource", { serverName: Schema.String, uri: Schema.String }),
}

// The answers to control requests that have a type of their own, by the subtype of the request.
// Invariant: a request without an entry here is answered with an object that the SDK does not type.
import * as Schema from "effect/Schema"
import { AgentInfo } from "../options/agents.ts"
import { EFFORTS } from "../efforts.ts"
import { HookJSONOutput } from "../hooks/hook-outputs.ts"
import { JsonRpcMessage } from "../options/mcp-config.ts"
import { McpServerStatus, McpSetServersResult } from "./mcp-status.ts"
import { FastModeDisabledReason, FastModeState, SlashCommand } from "../messages/message-values.ts"
import { AnyRecord, kept, open } from "../open.ts"
import { PermissionResult } from "../options/permissions.ts"
import { PermissionRulesState, SettingsParseError } from "./permission-rules-state.ts"
import { SDKControlGetContextUsageResponse } from "./context-report.ts"
import { SDKControlGetUsageResponse } from "./usage-report.ts"

const opt = Schema.optionalKey

/** A model as clients offer it to users. */
export const ModelInfo = open({
  value: Schema.String,
  resolvedModel: opt(Schema.String),
  displayName: Schema.String,
  description: Schema.String,
  supportsEffort: opt(Schema.Boolean),
  supportedEffortLevels: opt(Schema.Array(Schema.Literals(EFFORTS))),
  supportsAdaptiveThinking: opt(Schema.Boolean),
  supportsFastMode: opt(Schema.Boolean),
  supportsAutoMode: opt(Schema.Boolean),
})
export type ModelInfo = typeof ModelInfo.Type

/** Who pays for the session. */
export const AccountInfo = open({
  email: opt(Schema.String),
  organization: opt(Schema.String),
  subscriptionType: opt(Schema.String),
  tokenSource: opt(Schema.String),
  apiKeySource: opt(Schema.String),
  apiProvider: opt(
    Schema.Literals([
      "firstParty",
      "bedrock",
      "vertex",
      "foundry",
      "anthropicAws",
      "anthropicGoogleCloud",
      "mantle",
      "gateway",
    ]),
  ),
})
export type AccountInfo = typeof AccountInfo.Type

/** The answer to `initialize`. */
export const SDKControlInitializeResponse = open({
  commands: Schema.Array(SlashCommand),
  agents: Schema.Array(AgentInfo),
  output_style: Schema.String,
  available_output_styles: Schema.Array(Schema.String),
  models: Schema.Array(ModelInfo),
  account: AccountInfo,
  hooks_applied: opt(Schema.Boolean),
  hook_on_failure_supported: opt(Schema.Boolean),
  plugins_applied: opt(Schema.Boolean),
  mcp_servers_applied: opt(Schema.Boolean),
  sdk_mcp_manifests_parked: opt(
    Schema.Record(
      Schema.String,
      Schema.Literals(["parked", "already_connected", "protocol_version_mismatch", "malformed", "not_honoured"]),
    ),
  ),
  claude_code_version: opt(Schema.String),
  fast_mode_state: opt(FastModeState),
  fast_mode_disabled_reason: opt(FastModeDisabledReason),
})
export type SDKControlInitializeResponse = typeof SDKControlInitializeResponse.Type

/** The answer to `request_user_dialog`. */
export const UserDialogResult = Schema.Union([
  open({ behavior: Schema.Literal("completed"), result: Schema.Unknown }),
  open({ behavior: Schema.Literal("cancelled") }),
])
export type UserDialogResult = typeof UserDialogResult.Type

/** The answer to `elicitation`, in MCP's shape. */
export const ElicitationAnswer = open({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: opt(
    Schema.Record(
      Schema.String,
      Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)]),
    ),
  ),
})

/** Typed answers, by the subtype of the request that they answer. */
export const ControlAnswers = {
  initialize: SDKControlInitializeResponse,
  can_use_tool: kept(PermissionResult),
  hook_callback: HookJSONOutput,
  elicitation: ElicitationAnswer,
  request_user_dialog: UserDialogResult,
  mcp_message: open({ mcp_response: JsonRpcMessage }),
  mcp_status: open({ mcpServers: Schema.Array(McpServerStatus) }),
  mcp_set_servers: McpSetServersResult,
  background_tasks: open({ backgrounded: opt(Schema.Boolean) }),
  list_permission_rules: open({ state: kept(PermissionRulesState) }),
  get_context_usage: SDKControlGetContextUsageResponse,
  get_usage: SDKControlGetUsageResponse,
  interrupt: open({ still_queued: Schema.Array(Schema.String), cancelled: opt(Schema.Array(Schema.String)) }),
  rewind_files: open({
    canRewind: Schema.Boolean,
    error: opt(Schema.String),
    filesChanged: opt(Schema.Array(Schema.String)),
    insertions: opt(Schema.Finite),
    deletions: opt(Schema.Finite),
    skippedLinks: opt(Schema.Finite),
  }),
  read_file: open({
    contents: Schema.String,
    absPath: Schema.String,
    truncated: opt(Schema.Boolean),
    encoding: opt(Schema.Literal("base64")),
    lossy: opt(Schema.Boolean),
  }),
  mcp_read_resource: open({
    contents: Schema.Array(
      open({
        uri: Schema.String,
        mimeType: opt(Schema.String),
        text: opt(Schema.String),
        blob: opt(Schema.String),
        _meta: opt(AnyRecord),
      }),
    ),
  }),
  get_hooks_listing: open({
    events: Schema.Array(
      open({
        name: Schema.String,
        summary: Schema.String,
        supportsMatcher: Schema.Boolean,
        hookCount: Schema.Finite,
      }),
    ),
    hooks: Schema.Array(
      open({
        event: Schema.String,
        matcher: Schema.String,
        source: Schema.String,
        sourceLabel: Schema.String,
        pluginName: opt(Schema.String),
        type: Schema.String,
        displayText: Schema.String,
        commandText: Schema.String,
        contentLabel: Schema.String,
        condition: opt(Schema.String),
        timeout: opt(Schema.Finite),
        statusMessage: opt(Schema.String),
        runsOnce: opt(Schema.Boolean),
        runsInBackground: opt(Schema.Boolean),
        disabled: opt(Schema.Literal(true)),
        editable: opt(open({ matcher: Schema.String, config: AnyRecord, headersRedacted: opt(Schema.Literal(true)) })),
      }),
    ),
    eventCatalog: Schema.Array(open({ name: Schema.String, summary: Schema.String, supportsMatcher: Schema.Boolean })),
    policy: open({
      disabledByPolicy: Schema.Boolean,
      managedOnly: Schema.Boolean,
      pluginOnly: Schema.Boolean,
      allDisabled: Schema.Boolean,
      policyHookCount: Schema.Finite,
      policyUnreadable: opt(Schema.Literal(true)),
    }),
    safeMode: opt(open({ managedHooksStillApply: Schema.Boolean, exitHint: Schema.String })),
    bareMode: opt(open({ exitHint: Schema.String })),
    errors: opt(Schema.Array(kept(SettingsParseError))),
  }),
  get_task_output: open({ output: Schema.String, total_bytes: Schema.Finite, truncated: Schema.Boolean }),
  reload_skills: open({ skills: Schema.Array(SlashCommand) }),
  reload_plugins: open({
    commands: Schema.Array(SlashCommand),
    agents: Schema.Array(AgentInfo),
    plugins: Schema.Array(
      open({
        name: Schema.String,
        path: Schema.String,
        source: opt(Schema.String),
        version: opt(Schema.String),
      }),
    ),
    mcpServers: Schema.Array(McpServerStatus),
    error_count: Schema.Finite,
    held: opt(Schema.Boolean),
    cache_impact: opt(
      open({
        mcp_servers_added: Schema.Array(Schema.String),
        mcp_servers_removed: Schema.Array(Schema.String),
        lsp_tool_change: Schema.NullOr(Schema.Literals(["adds", "may-add", "removes", "may-remove"])),
      }),
    ),
  }),
  reload_output_styles: open({ available_output_styles: Schema.Array(Schema.String) }),
}

// Compares the control protocol, permissions, agents and MCP configurations of src/schemas/sdk with the official types,
// member by member and both ways. Nothing runs here: `tsc -p test` is the test.
//
// Exceptions:
//  - The requests `end_session`, `generate_session_title` and `set_mcp_permission_mode_override` are sent but not typed, so they are left out of what is
//    compared, and so are the lists of pending requests.
//  - `error_code` of an error response and the frame `update_environment_variables` are sent but not typed.
//  - The answers to `get_hooks_listing` and `mcp_status`, `background_tasks`, `mcp_message` are not exported by name; the
//    last three are compared with what the query's methods give.
//  - CanUseTool's `signal` is not data. Configurations with an `instance` live in the client only.
import type * as sdk from "@anthropic-ai/claude-agent-sdk"
import type * as browser from "@anthropic-ai/claude-agent-sdk/browser"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import type { AgentDefinition, AgentInfo, AgentMcpServerSpec } from "../../src/schemas/sdk/options/agents.ts"
import type { AccountInfo, ControlAnswers, ModelInfo } from "../../src/schemas/sdk/control/control-responses.ts"
import type {
  AuthFrame,
  ControlCancelRequest,
  ControlRequest,
  ControlRequestOf,
  ControlResponse,
  ControlSubtype,
} from "../../src/schemas/sdk/control/control.ts"
import type {
  JsonRpcMessage,
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpServerConfig,
  McpServerToolPolicy,
  McpSSEServerConfig,
  McpStdioServerConfig,
} from "../../src/schemas/sdk/options/mcp-config.ts"
import type { McpServerStatus } from "../../src/schemas/sdk/control/mcp-status.ts"
import type { SlashCommand } from "../../src/schemas/sdk/messages/message-values.ts"
import type { CanUseToolOptions } from "../../src/schemas/sdk/control/can-use-tool.ts"
import type {
  PermissionBehavior,
  PermissionDecisionClassification,
  PermissionMode,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
} from "../../src/schemas/sdk/options/permissions.ts"
import type { PermissionRulesState } from "../../src/schemas/sdk/control/permission-rules-state.ts"
import type { Check, Fits, Same } from "./compare.ts"
import type { NewerEvent, WithoutNewer } from "./hooks-conformance.ts"

type OfficialRequest = sdk.SDKControlRequest["request"]
type OfficialSubtype = OfficialRequest["subtype"]

/** A request, without newer hook events. */
type WithoutNewerEvents<Request> = Request extends { readonly subtype: "hook_callback"; readonly input: infer Input }
  ? Omit<Request, "input"> & { readonly input: Exclude<Input, { readonly hook_event_name: NewerEvent }> }
  : Request extends { readonly subtype: "initialize"; readonly hooks?: infer Hooks }
    ? Omit<Request, "hooks"> & { readonly hooks?: Omit<Exclude<Hooks, undefined>, NewerEvent> }
    : Request

type Untyped = "end_session" | "generate_session_title" | "set_mcp_permission_mode_override"
type TypedRequest = Omit<ControlRequest, "request"> & {
  readonly request: WithoutNewerEvents<Exclude<ControlRequest["request"], { readonly subtype: Untyped }>>
}
type WithoutPending<Value> = {
  [Key in keyof Value]: Key extends `pending_${string}` ? unknown : Value[Key]
}

/** Exactly the 41 typed subtypes. */
export type EverySubtype = Check<{
  named: Fits<OfficialSubtype, ControlSubtype>
  known: Fits<Exclude<ControlSubtype, Untyped>, OfficialSubtype>
}>

export type EveryRequest = Check<{
  [Subtype in OfficialSubtype]: Same<
    WithoutNewerEvents<ControlRequestOf<Subtype>>,
    Extract<OfficialRequest, { subtype: Subtype }>
  >
}>

type OfficialResponse<Subtype> = Extract<sdk.SDKControlResponse["response"], { subtype: Subtype }>
type Response<Subtype> = Extract<ControlResponse["response"], { subtype: Subtype }>

export type Frames = Check<{
  request: Same<TypedRequest, sdk.SDKControlRequest>
  success: Same<WithoutPending<Response<"success">>, WithoutPending<OfficialResponse<"success">>>
  error: Same<WithoutPending<Omit<Response<"error">, "error_code">>, WithoutPending<OfficialResponse<"error">>>
  responses: Same<ControlResponse["response"]["subtype"], sdk.SDKControlResponse["response"]["subtype"]>
  auth: Same<AuthFrame, browser.AuthMessage>
  cancel: Same<ControlCancelRequest, { type: "control_cancel_request"; request_id: string }>
}>

type Answer<Subtype extends keyof typeof ControlAnswers> = (typeof ControlAnswers)[Subtype]["Type"]
type Answered<Method extends keyof sdk.Query> = sdk.Query[Method] extends (...given: never[]) => Promise<infer Value>
  ? NonNullable<Value>
  : never

export type Answers = Check<{
  initialize: Same<Answer<"initialize">, sdk.SDKControlInitializeResponse>
  interrupt: Same<Answer<"interrupt">, sdk.SDKControlInterruptResponse>
  can_use_tool: Same<Answer<"can_use_tool">, sdk.PermissionResult>
  hook_callback: Same<WithoutNewer<Answer<"hook_callback">>, sdk.HookJSONOutput>
  elicitation: Same<Answer<"elicitation">["action"], sdk.ElicitationResult["action"]>
  request_user_dialog: Same<Answer<"request_user_dialog">, sdk.UserDialogResult>
  mcp_status: Same<Answer<"mcp_status">["mcpServers"], Answered<"mcpServerStatus">>
  mcp_set_servers: Same<Answer<"mcp_set_servers">, sdk.McpSetServersResult>
  mcp_message: Same<Answer<"mcp_message">["mcp_response"], JSONRPCMessage>
  mcp_read_resource: Same<Answer<"mcp_read_resource">, sdk.SDKControlMcpReadResourceResponse>
  background_tasks: Same<NonNullable<Answer<"background_tasks">["backgrounded"]>, Answered<"backgroundTasks">>
  rewind_files: Same<Answer<"rewind_files">, sdk.RewindFilesResult>
  read_file: Same<Answer<"read_file">, sdk.SDKControlReadFileResponse>
  get_context_usage: Same<Answer<"get_context_usage">, sdk.SDKControlGetContextUsageResponse>
  get_usage: Same<Answer<"get_usage">, sdk.SDKControlGetUsageResponse>
  get_task_output: Same<Answer<"get_task_output">, { output: string; total_bytes: number; truncated: boolean }>
  list_permission_rules: Same<Answer<"list_permission_rules">, sdk.SDKControlListPermissionRulesResponse>
  reload_skills: Same<Answer<"reload_skills">, sdk.SDKControlReloadSkillsResponse>
  reload_plugins: Same<Answer<"reload_plugins">, sdk.SDKControlReloadPluginsResponse>
  reload_output_styles: Same<Answer<"reload_output_styles">, sdk.SDKControlReloadOutputStylesResponse>
}>

/** Every typed answer is in the table above, except the one without an exported type. */
export type EveryAnswer = Check<{
  compared: Fits<Exclude<keyof typeof ControlAnswers, "get_hooks_listing">, keyof Answers>
}>

export type Permissions = Check<{
  mode: Same<PermissionMode, sdk.PermissionMode>
  behavior: Same<PermissionBehavior, sdk.PermissionBehavior>
  rule: Same<PermissionRuleValue, sdk.PermissionRuleValue>
  destination: Same<typeof PermissionUpdateDestination.Type, sdk.PermissionUpdateDestination>
  addRules: Same<Update<"addRules">, OfficialUpdate<"addRules">>
  replaceRules: Same<Update<"replaceRules">, OfficialUpdate<"replaceRules">>
  removeRules: Same<Update<"removeRules">, OfficialUpdate<"removeRules">>
  setMode: Same<Update<"setMode">, OfficialUpdate<"setMode">>
  addDirectories: Same<Update<"addDirectories">, OfficialUpdate<"addDirectories">>
  removeDirectories: Same<Update<"removeDirectories">, OfficialUpdate<"removeDirectories">>
  updates: Same<PermissionUpdate["type"], sdk.PermissionUpdate["type"]>
  allow: Same<Extract<PermissionResult, { behavior: "allow" }>, Extract<sdk.PermissionResult, { behavior: "allow" }>>
  deny: Same<Extract<PermissionResult, { behavior: "deny" }>, Extract<sdk.PermissionResult, { behavior: "deny" }>>
  classification: Same<PermissionDecisionClassification, sdk.PermissionDecisionClassification>
  canUseTool: Same<CanUseToolOptions, Omit<Parameters<sdk.CanUseTool>[2], "signal">>
  rules: Same<PermissionRulesState, sdk.SDKControlPermissionRulesState>
}>
type Update<Type> = Extract<PermissionUpdate, { type: Type }>
type OfficialUpdate<Type> = Extract<sdk.PermissionUpdate, { type: Type }>

export type AgentsAndServers = Check<{
  agent: Same<AgentDefinition, sdk.AgentDefinition>
  agentServers: Same<AgentMcpServerSpec, sdk.AgentMcpServerSpec>
  agentInfo: Same<AgentInfo, sdk.AgentInfo>
  model: Same<ModelInfo, sdk.ModelInfo>
  account: Same<AccountInfo, sdk.AccountInfo>
  command: Same<SlashCommand, sdk.SlashCommand>
  stdio: Same<McpStdioServerConfig, sdk.McpStdioServerConfig>
  sse: Same<McpSSEServerConfig, sdk.McpSSEServerConfig>
  http: Same<McpHttpServerConfig, sdk.McpHttpServerConfig>
  inClient: Same<McpSdkServerConfig, sdk.McpSdkServerConfig>
  server: Same<McpServerConfig, sdk.McpServerConfigForProcessTransport>
  policy: Same<McpServerToolPolicy, sdk.McpServerToolPolicy>
  status: Same<McpServerStatus, sdk.McpServerStatus>
  message: Same<JsonRpcMessage, JSONRPCMessage>
}>

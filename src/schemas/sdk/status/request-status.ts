// Every control request of a client with its fields, and how the server handles them. Refusals of the control protocol
// and documentation are made from this table.
// Invariant: it has every subtype and field of the SDK's types; any other is refused by name.
import { OPTION_STATUS } from "./option-status.ts"
import { HOOK_EVENTS } from "../hooks/hooks.ts"
import type { RefusedField } from "../../errors/rpc-error.ts"
import { type FieldRule, type FieldRules, harmless, honoured, refused, rulesCheck } from "./field-rules.ts"
import { shortened } from "../../shortened.ts"

const LATER = "is not supported by this version of Perch. Remove it."

export interface RequestStatus extends Pick<FieldRule, "status" | "note"> {
  readonly fields: FieldRules
}

const supported = (fields: FieldRules = {}): RequestStatus => ({ status: "honoured", note: "is honoured", fields })
const ineffective = (note: string, fields: FieldRules = {}): RequestStatus => ({ status: "harmless", note, fields })
/** A refused request. The note is a sentence of its own; the fields of a refused request are not checked. */
const unsupported = (note: string): RequestStatus => ({ status: "refused", note, fields: {} })

const hooks: FieldRules = Object.fromEntries(
  HOOK_EVENTS.flatMap((event) => [
    [`hooks.${event}`, honoured("is registered; the response's `warnings` list events that do not fire")],
    [`hooks.${event}.*.matcher`, honoured()],
    [`hooks.${event}.*.hookCallbackIds`, honoured()],
    [`hooks.${event}.*.timeout`, honoured("is in seconds")],
    [`hooks.${event}.*.onFailure`, honoured()],
  ]),
)

/** The fields by which the host limits the tools of a server. */
const toolPolicies = (at: string): FieldRules => ({
  [`${at}.tools`]: honoured(),
  [`${at}.tools.*.name`]: honoured(),
  [`${at}.tools.*.permission_policy`]: honoured(),
  [`${at}.tools.*.org_max_permission`]: honoured(),
})

/** The fields of a server's configuration. `names` says what reports a server that Perch does not start: `mcp_status lists`. */
const serverConfigs = (at: string, names: string): FieldRules => {
  const local = harmless(`belongs to a server that Perch does not start; ${names} that server`)
  return {
    [`${at}.type`]: honoured(),
    [`${at}.timeout`]: honoured("is in milliseconds"),
    ...toolPolicies(at),
    [`${at}.disableAutoBackground`]: harmless("always applies: no call moves to the background"),
    [`${at}.command`]: local,
    [`${at}.args`]: local,
    [`${at}.env`]: local,
    [`${at}.environment`]: local,
    [`${at}.enabled`]: honoured("is opencode's: a disabled server is skipped"),
    [`${at}.transport`]: honoured("is opencode's, for a server of type remote"),
    [`${at}.oauth`]: honoured("configures how the session signs in; its secrets are never returned"),
    [`${at}.url`]: honoured(),
    [`${at}.headers`]: honoured("is write-only"),
    [`${at}.alwaysLoad`]: harmless("is always so: the model is shown the tools of every server"),
  }
}

const INITIALIZE: FieldRules = {
  hooks: honoured("registers callbacks; the response's `warnings` list events that do not fire"),
  ...hooks,
  sdkMcpServers: honoured(),
  sdkMcpServerConfigs: honoured(),
  "sdkMcpServerConfigs.*.timeout": honoured("is in milliseconds"),
  ...toolPolicies("sdkMcpServerConfigs.*"),
  "sdkMcpServerConfigs.*.disableAutoBackground": harmless("always applies: no call moves to the background"),
  sdkMcpServerManifests: harmless("saves round trips; Perch initializes each server itself"),
  sdkMcpServerManifestsOrigin: harmless("belongs to sdkMcpServerManifests"),
  jsonSchema: honoured(),
  systemPrompt: honoured(),
  appendSystemPrompt: honoured(),
  systemPromptSnapshot: harmless("changes nothing: the prompt depends only on the options, and is the same each time"),
  planModeInstructions: honoured(),
  toolAliases: honoured(),
  excludeDynamicSections: harmless("changes nothing: the system prompt has no sections that differ between users"),
  title: honoured(),
  agents: honoured("sets options.agents; a field of a definition that can't be honoured is rejected by name"),
  appendSubagentSystemPrompt: honoured("sets options.appendSubagentSystemPrompt"),
  agentProgressSummaries: honoured("sets options.agentProgressSummaries"),
  forwardSubagentText: honoured(),
  forwardNestedSubagentToolCalls: harmless(
    "asks for tool calls of nested subagents, which are in the log but not sent to clients",
  ),
  skills: honoured("sets options.skills"),
  plugins: refused("needs local folders, which a session does not have. Remove it."),
  mcpServers: honoured("accepts servers of type http and sse; mcp_status lists any other as failed"),
  ...serverConfigs("mcpServers.*", "mcp_status lists"),
  "mcpServers.*.name": harmless("belongs to servers inside the client, which sdkMcpServers lists"),
  promptSuggestions: harmless("asks for messages that a session never sends; the response's `warnings` list it"),
  supportedDialogKinds: OPTION_STATUS.supportedDialogKinds,
  perTaskStopAffordance: OPTION_STATUS.perTaskStopAffordance,
  codeRunningMcpTools: refused(LATER),
  webSearchIsolationExemptMcpServers: refused(LATER),
  rapidFollowupPreempt: refused(LATER),
  offersBypassSwitchBack: refused(LATER),
  keepsBypassHeld: refused(LATER),
  workspaceTrust: harmless("has no effect: a session's workspace belongs only to the session and needs no trust"),
  managedSettings: refused(LATER),
  settings: refused("is accepted as an option when the session is created, or by apply_flag_settings. Remove it."),
  disallowedTools: refused("is accepted as an option when the session is created. Remove it."),
}

const PERMISSION_SETTINGS = [
  "allow",
  "deny",
  "ask",
  "defaultMode",
  "additionalDirectories",
  "disableBypassPermissionsMode",
]

const NO_SETTINGS =
  "is not a setting of a session: it has permissions, model, effortLevel, alwaysThinkingEnabled, autoCompactEnabled, autoCompactWindow, promptCacheTtl and subagentPromptCacheTtl"

const SETTINGS: FieldRules = {
  settings: honoured(),
  "settings.permissions": honoured(),
  ...Object.fromEntries(PERMISSION_SETTINGS.map((name) => [`settings.permissions.${name}`, honoured()])),
  "settings.permissions.*": refused(NO_SETTINGS, (value) => value === null),
  "settings.model": honoured(),
  "settings.effortLevel": honoured(),
  "settings.alwaysThinkingEnabled": honoured(),
  "settings.autoCompactEnabled": honoured(),
  "settings.autoCompactWindow": honoured(),
  "settings.promptCacheTtl": honoured(),
  "settings.subagentPromptCacheTtl": honoured(),
  "settings.*": refused(NO_SETTINGS, (value) => value === null),
}

/** The status of each request by subtype; a client must not send the server's own requests. */
export const REQUEST_STATUS = {
  initialize: supported(INITIALIZE),
  interrupt: supported({ cancel_queued: honoured() }),
  end_session: supported(),
  generate_session_title: supported({
    description: honoured("is used up to 8,000 characters"),
    persist: honoured(),
  }),
  set_permission_mode: supported({ mode: honoured("`auto` runs as `default`, which system/init reports") }),
  set_model: supported({ model: honoured() }),
  set_max_thinking_tokens: supported({ max_thinking_tokens: honoured(), thinking_display: honoured() }),
  apply_flag_settings: supported(SETTINGS),
  rename_session: supported({
    title: honoured(),
    source: harmless("changes nothing: titles from people and from programs are treated alike"),
    session_id: honoured("must be this session's id, or the request is rejected"),
  }),
  cancel_async_message: supported({ message_uuid: honoured() }),
  rewind_files: supported({ user_message_id: honoured(), dry_run: honoured() }),
  read_file: supported({ path: honoured(), max_bytes: honoured(), encoding: honoured() }),
  file_suggestions: supported({ query: honoured() }),
  seed_read_state: supported({ path: honoured(), mtime: honoured() }),
  mcp_status: supported({ liveReply: harmless("always applies: answers are not stored with the events") }),
  mcp_set_servers: supported({
    servers: honoured("accepts servers of type sdk, http and sse; the response's `errors` list any other"),
    ...serverConfigs("servers.*", "the response's `errors` list"),
    "servers.*.name": honoured(),
  }),
  set_mcp_permission_mode_override: supported({
    serverName: honoured(),
    mode: honoured("holds where the session's mode is bypassPermissions; `auto` asks as `default` does"),
  }),
  mcp_toggle: supported({ serverName: honoured(), enabled: honoured() }),
  mcp_reconnect: supported({ serverName: honoured() }),
  mcp_read_resource: supported({
    serverName: honoured("is a remote server that is connected"),
    uri: honoured("starts with ui://; the model reads other resources itself"),
  }),
  mcp_message: supported({ server_name: honoured(), message: honoured() }),
  get_context_usage: supported({
    detail: harmless("changes nothing: both values are computed from the last answer's usage and estimates"),
  }),
  get_session_cost: supported(),
  get_usage: supported({ skip_behaviors: harmless("always applies: `behaviors` is null") }),
  get_binary_version: supported(),
  list_models: supported(),
  list_permission_rules: supported(),
  get_settings: supported(),
  get_hooks_listing: supported(),
  stop_task: supported({ task_id: honoured() }),
  get_task_output: supported({ task_id: honoured() }),
  background_tasks: supported({
    tool_use_id: honoured("selects one call; without it, every call that the turn waits for is sent to the background"),
  }),
  set_has_subscribers: ineffective("controls how a local process joins its output lines, which Perch decides itself", {
    has_subscribers: harmless("changes nothing"),
  }),
  set_color: ineffective("is about a terminal's colours", { color: harmless("changes nothing") }),
  reload_skills: supported(),
  reload_output_styles: ineffective("returns only the default style"),
  mcp_call: unsupported("Call MCP tools through POST /mcp or in a turn."),
  register_repo_root: unsupported("Add directories with the option additionalDirectories or with a permission update."),
  reload_plugins: unsupported("A session has no plugins."),
  update_settings: unsupported("A session writes no settings files. Use apply_flag_settings."),
} as const satisfies Readonly<Record<string, RequestStatus>>

const MAX_SUBTYPE = 100

const statuses = new Map<string, RequestStatus>(Object.entries(REQUEST_STATUS))
const checks = new Map(
  [...statuses].map(([subtype, { fields }]) => [subtype, rulesCheck(subtype, { subtype: honoured(), ...fields })]),
)

/** The sentence that refuses a whole request; undefined for a supported one. */
export const subtypeRefusal = (subtype: string): string | undefined => {
  const status = statuses.get(subtype)
  if (status !== undefined && status.status !== "refused") return undefined
  const name = shortened(subtype, MAX_SUBTYPE)
  return `Perch does not support the request "${name}"${status === undefined ? "" : `. ${status.note}`}`
}

/** The fields of a supported request that Perch does not support. */
export const requestIssues = (subtype: string, request: object): ReadonlyArray<RefusedField> =>
  checks.get(subtype)?.(request) ?? []

// Every control request of a client, and every field of it: what the server does with it. Refusals of the control protocol
// and documentation are made of this table.
// Invariant: it holds every subtype and field that the SDK types; what it does not hold is refused by name.
import { HOOK_EVENTS } from "../hooks/hooks.ts"
import type { RefusedField } from "../../errors/rpc-error.ts"
import { type FieldRule, type FieldRules, harmless, honoured, refused, rulesCheck } from "./field-rules.ts"
import { shortened } from "../../shortened.ts"

const LATER = "is not supported by this version of Perch. Remove it."

export interface RequestStatus extends Pick<FieldRule, "status" | "note"> {
  readonly fields: FieldRules
}

const done = (fields: FieldRules = {}): RequestStatus => ({ status: "honoured", note: "is honoured", fields })
const empty = (note: string, fields: FieldRules = {}): RequestStatus => ({ status: "harmless", note, fields })
/** The note is a sentence of its own. Fields of a request that is refused whole are not looked at. */
const none = (note: string): RequestStatus => ({ status: "refused", note, fields: {} })

const hooks: FieldRules = Object.fromEntries(
  HOOK_EVENTS.flatMap((event) => [
    [`hooks.${event}`, honoured("is registered; the answer's `warnings` name events that do not fire")],
    [`hooks.${event}.*.matcher`, honoured()],
    [`hooks.${event}.*.hookCallbackIds`, honoured()],
    [`hooks.${event}.*.timeout`, honoured("is in seconds")],
    [`hooks.${event}.*.onFailure`, honoured()],
  ]),
)

/** How the host limits the tools of a server. */
const toolPolicies = (at: string): FieldRules => ({
  [`${at}.tools`]: honoured(),
  [`${at}.tools.*.name`]: honoured(),
  [`${at}.tools.*.permission_policy`]: honoured(),
  [`${at}.tools.*.org_max_permission`]: honoured(),
})

/** A server as it is configured. `names` is what reports those that can't be had. */
const serverConfigs = (at: string, names: string): FieldRules => {
  const local = harmless(`belongs to a server that Perch does not start, and ${names} that server`)
  return {
    [`${at}.type`]: honoured(),
    [`${at}.timeout`]: honoured("is in milliseconds"),
    ...toolPolicies(at),
    [`${at}.disableAutoBackground`]: harmless("asks for what always holds: no call moves to the background"),
    [`${at}.command`]: local,
    [`${at}.args`]: local,
    [`${at}.env`]: local,
    [`${at}.environment`]: local,
    [`${at}.enabled`]: honoured("is opencode's: a server that is switched off is skipped"),
    [`${at}.transport`]: honoured("is opencode's, of a server of type remote"),
    [`${at}.oauth`]: honoured("is how the session signs in, and its secrets are never shown"),
    [`${at}.url`]: honoured(),
    [`${at}.headers`]: honoured("is written and never shown"),
    [`${at}.alwaysLoad`]: harmless("asks for what always holds: the model is shown the tools of every server"),
  }
}

const INITIALIZE: FieldRules = {
  hooks: honoured("registers callbacks; the answer's `warnings` name events that do not fire"),
  ...hooks,
  sdkMcpServers: honoured(),
  sdkMcpServerConfigs: honoured(),
  "sdkMcpServerConfigs.*.timeout": honoured("is in milliseconds"),
  ...toolPolicies("sdkMcpServerConfigs.*"),
  "sdkMcpServerConfigs.*.disableAutoBackground": harmless(
    "asks for what always holds: no call moves to the background",
  ),
  sdkMcpServerManifests: harmless("saves round trips; Perch initializes each server itself"),
  sdkMcpServerManifestsOrigin: harmless("belongs to sdkMcpServerManifests"),
  jsonSchema: honoured(),
  systemPrompt: honoured(),
  appendSystemPrompt: honoured(),
  systemPromptSnapshot: harmless("changes nothing: the prompt is made of the options alone, each time the same"),
  planModeInstructions: honoured(),
  toolAliases: honoured(),
  excludeDynamicSections: harmless("changes nothing: the system prompt has no sections that differ from user to user"),
  title: honoured(),
  agents: honoured("sets options.agents; a field of a definition that can't be honoured is refused by its name"),
  appendSubagentSystemPrompt: honoured("sets options.appendSubagentSystemPrompt"),
  agentProgressSummaries: honoured("sets options.agentProgressSummaries"),
  forwardSubagentText: honoured(),
  forwardNestedSubagentToolCalls: harmless(
    "asks for calls of agents that agents began; the log has them, clients are not sent them",
  ),
  skills: honoured("sets options.skills"),
  plugins: refused("needs local folders, which a session does not have. Remove it."),
  mcpServers: honoured("takes servers of type http and sse; mcp_status names any other as failed"),
  ...serverConfigs("mcpServers.*", "mcp_status names"),
  "mcpServers.*.name": harmless("belongs to servers inside the client, which sdkMcpServers names"),
  promptSuggestions: harmless("asks for messages that a session never sends, and the answer's `warnings` name it"),
  supportedDialogKinds: harmless("lists what the client can show; no session opens a dialog"),
  perTaskStopAffordance: harmless("asks for what always holds: an interrupt leaves commands in the background alone"),
  codeRunningMcpTools: refused(LATER),
  webSearchIsolationExemptMcpServers: refused(LATER),
  rapidFollowupPreempt: refused(LATER),
  offersBypassSwitchBack: refused(LATER),
  keepsBypassHeld: refused(LATER),
  workspaceTrust: harmless("changes nothing: a session's workspace belongs to it alone and needs no trust"),
  managedSettings: refused(LATER),
  settings: refused("is taken as an option when the session is created, or by apply_flag_settings. Remove it."),
  disallowedTools: refused("is taken as an option when the session is created. Remove it."),
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

/** Each request by subtype; the server's own requests are not a client's to send. */
export const REQUEST_STATUS = {
  initialize: done(INITIALIZE),
  interrupt: done({ cancel_queued: honoured() }),
  end_session: done(),
  generate_session_title: done({
    description: honoured("counts up to 8,000 characters"),
    persist: honoured(),
  }),
  set_permission_mode: done({ mode: honoured("`auto` runs as `default`, which system/init reports") }),
  set_model: done({ model: honoured() }),
  set_max_thinking_tokens: done({ max_thinking_tokens: honoured(), thinking_display: honoured() }),
  apply_flag_settings: done(SETTINGS),
  rename_session: done({
    title: honoured(),
    source: harmless("changes nothing: a title counts the same, from a person or from a program"),
    session_id: honoured("must be this session's id, or the request is refused"),
  }),
  cancel_async_message: done({ message_uuid: honoured() }),
  rewind_files: done({ user_message_id: honoured(), dry_run: honoured() }),
  read_file: done({ path: honoured(), max_bytes: honoured(), encoding: honoured() }),
  file_suggestions: done({ query: honoured() }),
  seed_read_state: done({ path: honoured(), mtime: honoured() }),
  mcp_status: done({ liveReply: harmless("asks for what always holds: answers are not stored with the events") }),
  mcp_set_servers: done({
    servers: honoured("of type sdk, http and sse; the answer's `errors` name any other"),
    ...serverConfigs("servers.*", "the answer's `errors` name"),
    "servers.*.name": honoured(),
  }),
  set_mcp_permission_mode_override: done({
    serverName: honoured(),
    mode: honoured("holds where the session's mode is bypassPermissions; `auto` asks as `default` does"),
  }),
  mcp_toggle: done({ serverName: honoured(), enabled: honoured() }),
  mcp_reconnect: done({ serverName: honoured() }),
  mcp_read_resource: done({
    serverName: honoured("is a remote server that is connected"),
    uri: honoured("begins with ui://; the model reads other resources itself"),
  }),
  mcp_message: done({ server_name: honoured(), message: honoured() }),
  get_context_usage: done({
    detail: harmless("changes nothing: both ways count from the last answer's usage and estimates"),
  }),
  get_session_cost: done(),
  get_usage: done({ skip_behaviors: harmless("asks for what always holds: `behaviors` is null") }),
  get_binary_version: done(),
  list_models: done(),
  list_permission_rules: done(),
  get_settings: done(),
  get_hooks_listing: done(),
  stop_task: done({ task_id: honoured() }),
  get_task_output: done({ task_id: honoured() }),
  background_tasks: done({
    tool_use_id: honoured("names one call; without it every call that the turn waits for is sent"),
  }),
  set_has_subscribers: empty("is about joining a local process's output lines, which Perch does by its own count", {
    has_subscribers: harmless("changes nothing"),
  }),
  set_color: empty("is about a terminal's colours", { color: harmless("changes nothing") }),
  reload_skills: done(),
  reload_output_styles: empty("answers that there is the default style alone"),
  mcp_call: none("Call MCP tools through POST /mcp or in a turn."),
  register_repo_root: none("Add directories with the option additionalDirectories or with a permission update."),
  reload_plugins: none("A session has no plugins."),
  update_settings: none("A session writes no settings files. Use apply_flag_settings."),
} as const satisfies Readonly<Record<string, RequestStatus>>

const MAX_SUBTYPE = 100

const statuses = new Map<string, RequestStatus>(Object.entries(REQUEST_STATUS))
const checks = new Map(
  [...statuses].map(([subtype, { fields }]) => [subtype, rulesCheck(subtype, { subtype: honoured(), ...fields })]),
)

/** The sentence that refuses a whole request; undefined for one that is answered. */
export const subtypeRefusal = (subtype: string): string | undefined => {
  const status = statuses.get(subtype)
  if (status !== undefined && status.status !== "refused") return undefined
  const name = shortened(subtype, MAX_SUBTYPE)
  return `Perch does not support the request "${name}"${status === undefined ? "" : `. ${status.note}`}`
}

/** What a request that is answered asks for that Perch does not do. */
export const requestIssues = (subtype: string, request: object): ReadonlyArray<RefusedField> =>
  checks.get(subtype)?.(request) ?? []

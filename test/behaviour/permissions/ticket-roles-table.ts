// One valid request for every control request of the schemas, and the ways to loosen a session's opening options.
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { ControlSubtype } from "../../../src/schemas/sdk/control/control.ts"

const UUID = "0199a000-0000-4000-8000-000000000001"

/** Fields of a request that has the widest effect. */
export const REQUESTS: Readonly<Record<ControlSubtype, Readonly<Record<string, unknown>>>> = {
  interrupt: { cancel_queued: true },
  end_session: {},
  generate_session_title: { description: "d", persist: true },
  initialize: { systemPrompt: ["Obey."], hooks: { Stop: [{ hookCallbackIds: ["s"] }] }, title: "mine" },
  set_permission_mode: { mode: "acceptEdits" },
  set_model: { model: "sonnet" },
  set_max_thinking_tokens: { max_thinking_tokens: 2048 },
  rename_session: { title: "renamed" },
  set_color: { color: "red" },
  mcp_status: {},
  get_context_usage: {},
  get_session_cost: {},
  list_models: {},
  get_usage: {},
  get_binary_version: {},
  mcp_call: { tool: "t" },
  file_suggestions: { query: "a" },
  rewind_files: { user_message_id: UUID },
  cancel_async_message: { message_uuid: UUID },
  read_file: { path: "/workspace/a" },
  seed_read_state: { path: "/workspace/a", mtime: 0 },
  mcp_set_servers: { servers: {} },
  register_repo_root: { directory: "/workspace" },
  reload_plugins: {},
  reload_skills: {},
  reload_output_styles: {},
  mcp_reconnect: { serverName: "desk" },
  mcp_toggle: { serverName: "desk", enabled: false },
  set_mcp_permission_mode_override: { serverName: "desk", mode: "default" },
  set_has_subscribers: { has_subscribers: true },
  stop_task: { task_id: "t" },
  background_tasks: {},
  get_task_output: { task_id: "t" },
  apply_flag_settings: { settings: { permissions: { deny: ["Write"] } } },
  get_settings: {},
  get_hooks_listing: {},
  update_settings: { source: "localSettings", settings: {} },
  list_permission_rules: {},
  mcp_read_resource: { serverName: "desk", uri: "a:b" },
  can_use_tool: { tool_name: "Bash", input: {}, tool_use_id: "t" },
  hook_callback: {
    callback_id: "s",
    input: {
      hook_event_name: "Stop",
      session_id: UUID,
      transcript_path: "/t",
      cwd: "/workspace",
      stop_hook_active: false,
    },
  },
  elicitation: { mcp_server_name: "desk", message: "m" },
  request_user_dialog: { dialog_kind: "k", payload: {} },
  mcp_message: { server_name: "desk", message: { jsonrpc: "2.0", id: 1, method: "ping" } },
}

/** The options that the session was opened with. */
export const OPENED: SessionOptions = {
  permissionMode: "default",
  systemPrompt: "You only greet.",
  disallowedTools: ["Bash(rm:*)", "WebFetch"],
  allowedTools: ["Bash(ls:*)"],
  additionalDirectories: ["/data"],
  maxTurns: 5,
  planModeInstructions: "Plan well.",
  toolAliases: { Shell: "Bash" },
  outputFormat: { type: "json_schema", schema: { type: "object", properties: {} } },
  settings: {
    permissions: { deny: ["Read(./.env)"], ask: ["Bash(git push:*)"], disableBypassPermissionsMode: "disable" },
  },
}

const settings = (permissions: unknown, more: object = {}) =>
  ["apply_flag_settings", { settings: { permissions, ...more } }] as const
export const kept = { deny: ["Read(./.env)"], ask: ["Bash(git push:*)"], disableBypassPermissionsMode: "disable" }

/** Requests that remove `kept` if a client applied it; they leave what the session was opened with. */
export const REMOVALS: ReadonlyArray<readonly [what: string, subtype: string, fields: object]> = [
  ["all permissions", ...settings(null)],
  ["the deny rules", ...settings({ deny: [] })],
  ["a deny rule by another", ...settings({ deny: ["Read(./other)"] })],
  ["a deny rule by a narrower one", ...settings({ deny: ["Read(./.env.local)"] })],
  ["the ask rules", ...settings({ ask: [] })],
  ["an ask rule by a narrower one", ...settings({ ask: ["Bash(git push origin:*)"] })],
  ["rules together with a model", ...settings(null, { model: "sonnet" })],
]

/** Requests that loosen `OPENED`; each is executed for a key with every scope, or refused to it for another reason. */
export const LOOSENINGS: ReadonlyArray<readonly [what: string, subtype: string, fields: object]> = [
  ["allow rules in addition to those that were set", ...settings({ allow: ["Bash(cat:*)"] })],
  ["a whole tool", ...settings({ allow: ["Bash"] })],
  ["every tool", ...settings({ allow: ["*"] })],
  ["every command", ...settings({ allow: ["Bash(*)"] })],
  ["every command by another wildcard", ...settings({ allow: ["Bash(**)"] })],
  ["every server", ...settings({ allow: ["mcp__*"] })],
  ["the directories", ...settings({ additionalDirectories: ["/"] })],
  ["the mode of new sessions", ...settings({ defaultMode: "bypassPermissions" })],
  ["bypass, by its mode", "set_permission_mode", { mode: "bypassPermissions" }],
  ["the system prompt", "initialize", { systemPrompt: ["Obey."] }],
  ["the system prompt, in parts", "initialize", { systemPrompt: ["You only greet.", "Obey."] }],
  ["the system prompt, by the preset", "initialize", { appendSystemPrompt: "Obey." }],
  ["the plan instructions", "initialize", { planModeInstructions: "Skip it." }],
  ["the aliases", "initialize", { toolAliases: { Shell: "Write" } }],
  ["an alias more", "initialize", { toolAliases: { Shell: "Bash", Do: "Bash" } }],
  ["no alias", "initialize", { toolAliases: {} }],
  ["the output format", "initialize", { jsonSchema: { type: "object", properties: { a: { type: "string" } } } }],
]

/** Requests that a ticket with the role `control` may send to the same session. */
export const TIGHTENINGS: ReadonlyArray<readonly [what: string, subtype: string, fields: object]> = [
  ["a deny rule more", ...settings({ ...kept, deny: ["Read(./.env)", "Write"] })],
  ["an ask rule more", ...settings({ ...kept, ask: ["Bash(git push:*)", "Write"] })],
  ["an effort", "apply_flag_settings", { settings: { effortLevel: "low" } }],
  ["a model", "set_model", { model: "sonnet" }],
  ["another mode", "set_permission_mode", { mode: "plan" }],
  ["edits", "set_permission_mode", { mode: "acceptEdits" }],
  ["a title", "rename_session", { title: "t" }],
  ["no system prompt of its own", "initialize", { systemPrompt: [""] }],
  ["the same system prompt", "initialize", { title: "again" }],
  ["hooks", "initialize", { hooks: { Stop: [{ hookCallbackIds: ["s"] }] } }],
  ["thinking", "set_max_thinking_tokens", { max_thinking_tokens: 2048 }],
]

const update = (type: string, rest: object) => ({ type, destination: "session", ...rest })
const rule = (toolName: string, ruleContent?: string) => ({
  toolName,
  ...(ruleContent === undefined ? {} : { ruleContent }),
})

/** Updates that an answer may contain in addition to those that its ask suggested; a ticket may send none of them. */
export const UPDATES: ReadonlyArray<readonly [what: string, update: object]> = [
  ["a mode", update("setMode", { mode: "bypassPermissions" })],
  ["edits without questions", update("setMode", { mode: "auto" })],
  ["no deny rules", update("replaceRules", { behavior: "deny", rules: [], destination: "cliArg" })],
  ["no deny rule", update("removeRules", { behavior: "deny", rules: [rule("WebFetch")], destination: "cliArg" })],
  ["no ask rules", update("replaceRules", { behavior: "ask", rules: [], destination: "cliArg" })],
  ["a whole tool", update("addRules", { behavior: "allow", rules: [rule("Bash")] })],
  ["every tool", update("addRules", { behavior: "allow", rules: [rule("*")] })],
  ["another command", update("addRules", { behavior: "allow", rules: [rule("Bash", "curl:*")] })],
  ["a deny rule", update("addRules", { behavior: "deny", rules: [rule("Bash")] })],
  ["other allow rules", update("replaceRules", { behavior: "allow", rules: [rule("Write")] })],
  ["a directory", update("addDirectories", { directories: ["/"] })],
  ["no directory", update("removeDirectories", { directories: ["/data"] })],
]

/** Options that open a session with more rights than any ask could grant, each by its own field. */
export const BYPASSES: ReadonlyArray<readonly [field: string, options: SessionOptions]> = [
  ["options.permissionMode", { permissionMode: "bypassPermissions" }],
  ["options.allowDangerouslySkipPermissions", { allowDangerouslySkipPermissions: true }],
  ["options.shell_network", { shell_network: true }],
  [
    "options.settings.permissions.defaultMode",
    { settings: { permissions: { defaultMode: "bypassPermissions", disableBypassPermissionsMode: "disable" } } },
  ],
]

// For each honoured field of a control request: two requests that differ only in this field and have different outcomes. If
// that needs a whole scenario, the test that proves it: its file and a part of its title.
import type { Booted } from "../support/session/session-harness.ts"

type Fields = Readonly<Record<string, unknown>>

export type Probe =
  | { readonly one: Fields; readonly other: Fields; readonly prepare?: (open: Booted) => Promise<void> | void }
  | { readonly elsewhere: readonly [file: string, title: string] }

const differs = (field: string, one: unknown, other: unknown, more: Fields = {}): Probe => ({
  one: { ...more, [field]: one },
  other: { ...more, [field]: other },
})

/** The same for a field inside an object of the request. */
const within = (outer: string, one: unknown, other: unknown): Probe => ({
  one: { [outer]: one },
  other: { [outer]: other },
})

const matcher = (more: Fields) => ({ PreToolUse: [{ hookCallbackIds: ["a"], ...more }] })
const policies = (policy: Fields) => ({ tools: [{ name: "add", ...policy }] })
const setServers = (config: Fields) => ({ servers: { calc: { type: "sdk", name: "calc", ...config } } })
const configs = (config: Fields) => ({ sdkMcpServers: ["calc"], sdkMcpServerConfigs: { calc: config } })
const far = (config: Fields = {}) => ({ mcpServers: { far: { type: "http", url: "https://a.com", ...config } } })
const permissions = (change: Fields) => ({ settings: { permissions: change } })
const withFile = ({ workspace }: Booted) => workspace.writeBytes("/workspace/a.txt", "one two")

export const PROBES: Readonly<Record<string, Probe>> = {
  "initialize.hooks": differs("hooks", {}, matcher({})),
  "initialize.hooks.PreToolUse.*.matcher": within("hooks", matcher({}), matcher({ matcher: "Bash" })),
  "initialize.hooks.PreToolUse.*.hookCallbackIds": within("hooks", matcher({}), matcher({ hookCallbackIds: ["b"] })),
  "initialize.hooks.PreToolUse.*.timeout": within("hooks", matcher({}), matcher({ timeout: 5 })),
  "initialize.hooks.PreToolUse.*.onFailure": within("hooks", matcher({}), matcher({ onFailure: "block" })),
  "initialize.sdkMcpServers": differs("sdkMcpServers", [], ["calc"]),
  "initialize.sdkMcpServerConfigs": { one: { sdkMcpServers: ["calc"] }, other: configs({ timeout: 5000 }) },
  "initialize.sdkMcpServerConfigs.*.timeout": { one: configs({}), other: configs({ timeout: 5000 }) },
  "initialize.sdkMcpServerConfigs.*.tools": { one: configs({}), other: configs(policies({})) },
  "initialize.sdkMcpServerConfigs.*.tools.*.name": {
    one: configs(policies({})),
    other: configs(policies({ name: "x" })),
  },
  "initialize.sdkMcpServerConfigs.*.tools.*.permission_policy": {
    one: configs(policies({})),
    other: configs(policies({ permission_policy: "always_ask" })),
  },
  "initialize.sdkMcpServerConfigs.*.tools.*.org_max_permission": {
    one: configs(policies({})),
    other: configs(policies({ org_max_permission: "ask" })),
  },
  "initialize.mcpServers": { one: {}, other: far() },
  "initialize.mcpServers.*.type": { one: far(), other: far({ type: "sse" }) },
  "initialize.mcpServers.*.enabled": { one: far(), other: far({ enabled: false }) },
  "initialize.mcpServers.*.transport": {
    one: far({ type: "remote" }),
    other: far({ type: "remote", transport: "http" }),
  },
  "initialize.mcpServers.*.oauth": { one: far(), other: far({ oauth: { grant: "authorization_code" } }) },
  "initialize.mcpServers.*.url": { one: far(), other: far({ url: "https://b.com" }) },
  "initialize.mcpServers.*.timeout": { one: far(), other: far({ timeout: 5000 }) },
  "initialize.mcpServers.*.tools": { one: far(), other: far(policies({})) },
  "initialize.mcpServers.*.tools.*.name": { one: far(policies({})), other: far(policies({ name: "x" })) },
  "initialize.mcpServers.*.tools.*.permission_policy": {
    one: far(policies({})),
    other: far(policies({ permission_policy: "always_ask" })),
  },
  "initialize.mcpServers.*.tools.*.org_max_permission": {
    one: far(policies({})),
    other: far(policies({ org_max_permission: "ask" })),
  },
  "initialize.mcpServers.*.headers": {
    elsewhere: ["test/behaviour/mcp/initialize.test.ts", "are connected with their headers, which nothing shows"],
  },
  "initialize.jsonSchema": differs("jsonSchema", undefined, { type: "object" }),
  "initialize.systemPrompt": differs("systemPrompt", [""], ["Be brief."]),
  "initialize.appendSystemPrompt": differs("appendSystemPrompt", undefined, "Be brief."),
  "initialize.appendSubagentSystemPrompt": differs("appendSubagentSystemPrompt", undefined, "Be brief."),
  "initialize.planModeInstructions": differs("planModeInstructions", undefined, "Plan."),
  "initialize.toolAliases": differs("toolAliases", undefined, { Look: "Read" }),
  "initialize.skills": differs("skills", undefined, ["pdf"]),
  "initialize.agents": differs("agents", undefined, { helper: { description: "Helps.", prompt: "Help." } }),
  "initialize.forwardSubagentText": differs("forwardSubagentText", undefined, true),
  "initialize.agentProgressSummaries": differs("agentProgressSummaries", undefined, true),
  "initialize.title": differs("title", undefined, "Mine"),
  "interrupt.cancel_queued": differs("cancel_queued", false, true),
  "generate_session_title.description": {
    elsewhere: ["test/behaviour/turns/titles.test.ts", "is made of the description"],
  },
  "generate_session_title.persist": { elsewhere: ["test/behaviour/turns/titles.test.ts", "becomes the session's"] },
  "set_permission_mode.mode": differs("mode", "plan", "acceptEdits"),
  "set_model.model": differs("model", "sonnet", "haiku"),
  "set_max_thinking_tokens.max_thinking_tokens": differs("max_thinking_tokens", 2000, 3000),
  "set_max_thinking_tokens.thinking_display": differs("thinking_display", undefined, "omitted"),
  "apply_flag_settings.settings": differs("settings", {}, { alwaysThinkingEnabled: true }),
  "apply_flag_settings.settings.permissions": differs("settings", {}, { permissions: { allow: ["Read"] } }),
  "apply_flag_settings.settings.permissions.allow": { one: permissions({}), other: permissions({ allow: ["Edit"] }) },
  "apply_flag_settings.settings.permissions.deny": { one: permissions({}), other: permissions({ deny: ["Edit"] }) },
  "apply_flag_settings.settings.permissions.ask": { one: permissions({}), other: permissions({ ask: ["Edit"] }) },
  "apply_flag_settings.settings.permissions.additionalDirectories": {
    one: permissions({}),
    other: permissions({ additionalDirectories: ["/data"] }),
  },
  "apply_flag_settings.settings.permissions.disableBypassPermissionsMode": {
    one: permissions({}),
    other: permissions({ disableBypassPermissionsMode: "disable" }),
  },
  "apply_flag_settings.settings.model": differs("settings", {}, { model: "claude-haiku-4-5" }),
  "apply_flag_settings.settings.effortLevel": differs("settings", {}, { effortLevel: "low" }),
  "apply_flag_settings.settings.alwaysThinkingEnabled": differs("settings", {}, { alwaysThinkingEnabled: false }),
  "apply_flag_settings.settings.autoCompactEnabled": differs("settings", {}, { autoCompactEnabled: false }),
  "apply_flag_settings.settings.autoCompactWindow": differs("settings", {}, { autoCompactWindow: 100_000 }),
  "apply_flag_settings.settings.promptCacheTtl": differs("settings", {}, { promptCacheTtl: "1h" }),
  "apply_flag_settings.settings.subagentPromptCacheTtl": differs("settings", {}, { subagentPromptCacheTtl: "1h" }),
  "rename_session.title": differs("title", "One", "Other"),
  "rename_session.session_id": differs("session_id", undefined, "another", { title: "One" }),
  "cancel_async_message.message_uuid": {
    elsewhere: ["test/behaviour/prompts/joining-prompts.test.ts", "takes nothing from what the turn"],
  },
  "rewind_files.user_message_id": {
    elsewhere: ["test/session/control/control.test.ts", "brings the files back to a prompt"],
  },
  "rewind_files.dry_run": { elsewhere: ["test/session/control/control.test.ts", "brings the files back to a prompt"] },
  "read_file.path": { ...differs("path", "/workspace/a.txt", "/workspace/b.txt"), prepare: withFile },
  "read_file.max_bytes": { ...differs("max_bytes", 3, 100, { path: "/workspace/a.txt" }), prepare: withFile },
  "read_file.encoding": { ...differs("encoding", "utf-8", "base64", { path: "/workspace/a.txt" }), prepare: withFile },
  "file_suggestions.query": { ...differs("query", "a.t", "zzz"), prepare: withFile },
  "seed_read_state.path": { elsewhere: ["test/session/control/control-files.test.ts", "seed_read_state"] },
  "seed_read_state.mtime": { elsewhere: ["test/session/control/control-files.test.ts", "seed_read_state"] },
  "mcp_set_servers.servers": { one: { servers: {} }, other: setServers({}) },
  "mcp_set_servers.servers.*.type": {
    one: setServers({}),
    other: setServers({ type: "http", url: "https://a.example" }),
  },
  "mcp_set_servers.servers.*.enabled": {
    one: { servers: far().mcpServers },
    other: { servers: far({ enabled: false }).mcpServers },
  },
  "mcp_set_servers.servers.*.transport": {
    one: { servers: far({ type: "remote" }).mcpServers },
    other: { servers: far({ type: "remote", transport: "http" }).mcpServers },
  },
  "mcp_set_servers.servers.*.oauth": {
    elsewhere: ["test/behaviour/mcp/entries.test.ts", "of a client that names how the session signs in"],
  },
  "mcp_set_servers.servers.*.name": {
    elsewhere: ["test/conformance/honoured-fields.test.ts", "goes by the key of its entry"],
  },
  "mcp_set_servers.servers.*.timeout": { one: setServers({}), other: setServers({ timeout: 5000 }) },
  "mcp_set_servers.servers.*.tools": { one: setServers({}), other: setServers(policies({})) },
  "mcp_set_servers.servers.*.tools.*.name": {
    one: setServers(policies({ permission_policy: "always_ask" })),
    other: setServers(policies({ permission_policy: "always_ask", name: "x" })),
  },
  "mcp_set_servers.servers.*.tools.*.permission_policy": {
    one: setServers(policies({})),
    other: setServers(policies({ permission_policy: "always_deny" })),
  },
  "mcp_set_servers.servers.*.tools.*.org_max_permission": {
    one: setServers(policies({})),
    other: setServers(policies({ org_max_permission: "blocked" })),
  },
  "mcp_set_servers.servers.*.url": {
    one: { servers: { far: { type: "http", url: "https://a.com" } } },
    other: { servers: { far: { type: "http", url: "https://b.com" } } },
  },
  "mcp_set_servers.servers.*.headers": {
    elsewhere: [
      "test/session/mcp/remote-servers.test.ts",
      "that a client sets are the session's, also after a restart",
    ],
  },
  "mcp_toggle.serverName": differs("serverName", "calc", "other", { enabled: false }),
  "mcp_toggle.enabled": differs("enabled", false, true, { serverName: "calc" }),
  "set_mcp_permission_mode_override.serverName": differs("serverName", "calc", "other", { mode: null }),
  "set_mcp_permission_mode_override.mode": {
    elsewhere: [
      "test/behaviour/permissions/mcp-modes.test.ts",
      "a call of the server is asked about, until the mode is taken back",
    ],
  },
  "mcp_reconnect.serverName": differs("serverName", "calc", "other"),
  "mcp_read_resource.serverName": differs("serverName", "calc", "other", { uri: "ui://a" }),
  "mcp_read_resource.uri": differs("uri", "ui://a", "a://b", { serverName: "calc" }),
  "mcp_message.server_name": differs("server_name", "calc", "other", {
    message: { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
  }),
  "mcp_message.message": {
    one: { server_name: "calc", message: { jsonrpc: "2.0", method: "notifications/tools/list_changed" } },
    other: { server_name: "calc", message: { jsonrpc: "2.0", method: "notifications/progress" } },
  },
  "stop_task.task_id": {
    elsewhere: ["test/behaviour/turns/background-commands.test.ts", "stops a command for the model and for a client"],
  },
  "background_tasks.tool_use_id": {
    elsewhere: ["test/behaviour/agents/moved.test.ts", "a call that there is not is not moved"],
  },
  "get_task_output.task_id": {
    elsewhere: ["test/behaviour/turns/background-commands.test.ts", "shows a task's status and output"],
  },
}

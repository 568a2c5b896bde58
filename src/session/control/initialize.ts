// Receives a client's `initialize`; registers its hooks and servers, sets the session's options, and returns the answer.
// Invariant: open asks are offered again with the answer, so that a client that connects late can answer them.
import * as Result from "effect/Result"
import { clientHookCount, MAX_CLIENT_HOOKS } from "../../hooks/registry.ts"
import type { ControlRequestOf } from "../../schemas/sdk/control/control.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import type { RefusedField } from "../../schemas/errors/rpc-error.ts"
import { HOOK_EVENTS } from "../../schemas/sdk/hooks/hooks.ts"
import { runningTasksMessage } from "../../agent/messages/sdk-messages.ts"
import { agentInfos } from "../../agent/subagents/definition.ts"
import { agentServerIssues, entryIssues } from "../../mcp/remote/server-rules.ts"
import type { FetchSettings } from "../../net/guarded-fetch.ts"
import { agentIssues } from "../../schemas/sdk/options/agent-issues.ts"
import { mcpServerRefusal } from "../../schemas/sdk/options/mcp-server-refusal.ts"
import { HOOK_STATUS } from "../../schemas/sdk/status/hook-status.ts"
import { schemaIssues } from "../../schemas/sdk/options/option-issues.ts"
import { isServerName, SessionOptions } from "../../schemas/sdk/options/options.ts"
import { decoderOf } from "../../schemas/sdk/shape-error.ts"
import type { Actor } from "../../schemas/access.ts"
import { pendingFrames } from "../feed/ask-frames.ts"
import { modelInfos } from "../../model/catalogue/model-infos.ts"
import { NAME_LIMITS, type UsableServers } from "../mcp/remote-servers.ts"
import { initializeAnswer } from "./control-reports.ts"
import { ControlError, permitted } from "./control-error.ts"
import type { ControlParts } from "./control-parts.ts"
import type { SessionCore } from "../core.ts"
import { keptTitle } from "../record-changes.ts"
import { announceTitle } from "../titles/change-title.ts"

type Initialize = ControlRequestOf<"initialize">

const MAX_SERVERS = 50
/** Characters of all texts of the system prompt together. */
const MAX_PROMPT = 1_000_000

const decodeOptions = decoderOf("initialize", SessionOptions)

/** Throws for more servers than a client may register; `field` names where they were sent. */
export const checkServerCount = (field: string, servers: ReadonlyArray<unknown>): void => {
  if (servers.length > MAX_SERVERS) {
    throw new ControlError(`${field}: a client can have at most ${MAX_SERVERS} MCP servers`)
  }
}

const changeTitleTo = (core: SessionCore, title: string, by: Actor | undefined): void => {
  const isNew = title !== core.record.title
  permitted(core.changes.patch({ title }, by))
  if (isNew) announceTitle(core, title)
}

export const initialize = (
  { core, apiKeySource }: Pick<ControlParts, "core" | "apiKeySource">,
  request: Initialize,
  client: string,
  by: Actor | undefined,
) => {
  const { askStore, changes, clients, mcp, permissions } = core
  const remote = remoteServersIn(core, request)
  const change = {
    ...optionsOf(request, core.remoteMcp.settings),
    ...(remote === undefined ? {} : { mcpServers: remote.taken }),
  }
  const { hooks = {}, sdkMcpServers: names = [], sdkMcpServerConfigs: configs = {} } = request
  if (clientHookCount(hooks) > MAX_CLIENT_HOOKS) {
    throw new ControlError(`initialize.hooks: a client can register at most ${MAX_CLIENT_HOOKS} hooks`)
  }
  checkServerCount("initialize.sdkMcpServers", names)
  if (!names.every((name) => isServerName(name))) throw new ControlError(`initialize.sdkMcpServers: ${NAME_LIMITS}`)
  for (const [name, config] of Object.entries(configs)) {
    const place = fieldPath(["initialize.sdkMcpServerConfigs", name])
    if (!names.includes(name)) throw new ControlError(`${place}: sdkMcpServers does not list it`)
    const [issue] = entryIssues({ ...config, type: "sdk", name }, core.remoteMcp.settings)
    if (issue !== undefined) throw new ControlError(`${place}${issue.field && "."}${issue.field}: ${issue.message}`)
  }
  const servers = Object.fromEntries(names.map((name) => [name, configs[name] ?? {}]))
  // Without the role `control` every field is empty, and an empty one must not remove anything either.
  const mayChange = by === undefined || by.roles.includes("control")
  if (mayChange) permitted(changes.setOptions(change, by))
  if (mayChange && request.title !== undefined) changeTitleTo(core, keptTitle(request.title), by)
  if (mayChange && remote !== undefined) mcp.refuse(remote.errors, request.mcpServers ?? {})
  const isRepeated = clients.hasInitialized(client)
  const applied = clients.register(client, hooks, servers, by)
  if (applied) void mcp.connect()
  const answers = by === undefined || by.roles.includes("answer")
  const { permissions: asks, elicitations } = pendingFrames(answers ? askStore.open : [])
  const pending = [...asks, ...clients.unanswered(client)]
  const after = async () => {
    // After the answer, because the official SDK ignores elicitations that come with it.
    for (const frame of elicitations) core.feed.frame(client, frame)
    // As the official SDK: a client that initializes again gets the running tasks.
    if (isRepeated)
      core.feed.emit({ ...runningTasksMessage(core.background.stamp(), core.background.running()), turn: null })
  }
  const answer = () => ({
    ...initializeAnswer({
      models: modelInfos(),
      agents: agentInfos(core.definitions.agents),
      commands: core.commands.listed(),
      hooksApplied: applied,
      permissionMode: permissions.policy().mode,
      state: core.state,
      apiKeySource,
    }),
    ...warningsOf(request),
    ...(remote === undefined ? {} : { mcp_servers_applied: mayChange }),
    ...(pending.length === 0 ? {} : { pending }),
    after,
  })
  const loading = core.definitions.refresh(by)
  return loading === null ? answer() : loading.then(answer)
}

/**
 * The remote MCP servers of the request, or undefined: the usable ones become the session's option, the others are reported.
 * Throws for servers that need a local process: a session rejects options that need one.
 */
const remoteServersIn = ({ remoteMcp }: SessionCore, { mcpServers }: Initialize): UsableServers | undefined => {
  if (mcpServers === undefined || Object.keys(mcpServers).length === 0) return undefined
  checkServerCount("initialize.mcpServers", Object.keys(mcpServers))
  const local = Object.entries(mcpServers).flatMap(([name, config]) => {
    const refused = mcpServerRefusal(config)
    return refused === undefined ? [] : [`initialize.mcpServers.${name} ${refused}`]
  })
  if (local.length > 0) throw new ControlError(local.join("; "))
  const inClient = Object.entries(mcpServers).filter(([, { type }]) => type === "sdk")
  const { taken, errors } = remoteMcp.usable(
    Object.fromEntries(Object.entries(mcpServers).filter(([, { type }]) => type !== "sdk")),
  )
  return { taken, errors: { ...errors, ...Object.fromEntries(inClient.map(([name]) => [name, IN_CLIENT])) } }
}

const IN_CLIENT = "The server runs inside the client. List it in sdkMcpServers."

/** Clients register callbacks for every event there is, and ask for every message; the answer warns of those that never come. */
const warningsOf = ({
  hooks = {},
  promptSuggestions,
}: Initialize): { readonly warnings?: ReadonlyArray<RefusedField> } => {
  const silent = HOOK_EVENTS.filter((event) => (hooks[event] ?? []).length > 0).flatMap((event) => {
    const { status, note } = HOOK_STATUS[event]
    const field = `initialize.hooks.${event}`
    return status === "fires" ? [] : [{ field, message: `${field} ${note}` }]
  })
  const warnings = promptSuggestions === true ? [...silent, NO_SUGGESTIONS] : silent
  return warnings.length === 0 ? {} : { warnings }
}

const NO_SUGGESTIONS = {
  field: "initialize.promptSuggestions",
  message: "initialize.promptSuggestions requests suggestions for the next prompt, which sessions do not support",
}

/** The options in an `initialize`; those that it does not name stay as they are. Throws for invalid ones. */
const optionsOf = (request: Initialize, settings: FetchSettings): Record<string, unknown> => {
  const {
    agents,
    agentProgressSummaries,
    forwardSubagentText,
    systemPrompt,
    appendSystemPrompt,
    jsonSchema,
    planModeInstructions,
    skills,
    toolAliases,
  } = request
  const wrong =
    agents === undefined
      ? []
      : [...agentIssues(agents, ["initialize", "agents"]), ...agentServerIssues("initialize.agents", agents, settings)]
  if (wrong.length > 0) throw new ControlError(wrong.map(({ message }) => message).join("; "))
  // A field that the SDK's clients send and its types do not name.
  const appendSubagentSystemPrompt: unknown = Reflect.get(request, "appendSubagentSystemPrompt") ?? undefined
  const texts = [systemPrompt, appendSystemPrompt, appendSubagentSystemPrompt, planModeInstructions].flat()
  const long = texts.join("").length
  if (long > MAX_PROMPT) {
    throw new ControlError(`initialize.systemPrompt: the texts of all prompts have more than ${MAX_PROMPT} characters`)
  }
  if (jsonSchema !== undefined) {
    const issues = schemaIssues(["initialize", "jsonSchema"], jsonSchema)
    if (issues.length > 0) throw new ControlError(issues.map(({ message }) => message).join("; "))
  }
  const change = {
    ...systemPromptChange(systemPrompt, appendSystemPrompt),
    ...(jsonSchema === undefined ? {} : { outputFormat: { type: "json_schema", schema: jsonSchema } }),
    ...(planModeInstructions === undefined ? {} : { planModeInstructions }),
    ...(skills === undefined ? {} : { skills }),
    ...(toolAliases === undefined ? {} : { toolAliases }),
    ...(Object.keys(agents ?? {}).length === 0 ? {} : { agents }),
    ...(agentProgressSummaries === undefined ? {} : { agentProgressSummaries }),
    ...(forwardSubagentText === undefined ? {} : { forwardSubagentText }),
    ...(appendSubagentSystemPrompt === undefined ? {} : { appendSubagentSystemPrompt }),
  }
  const decoded = decodeOptions(change)
  if (Result.isFailure(decoded)) throw new ControlError(decoded.failure.message)
  return change
}

/** Empty texts change nothing. As the official SDK: the conversation then keeps its system prompt. */
const systemPromptChange = (
  texts: Initialize["systemPrompt"],
  append: string | undefined,
): Pick<SessionOptions, "systemPrompt"> => {
  if (append !== undefined) return { systemPrompt: { type: "preset", preset: "claude_code", append } }
  if (texts === undefined) return {}
  // SDKs before 0.2.110 send one text.
  const given = [texts].flat().filter((text) => text !== "")
  return given.length === 0 ? {} : { systemPrompt: given }
}

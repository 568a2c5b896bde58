// Receives a turn and a subagent that runs in it; returns the agent's own turn, which the same loop runs.
// Invariant: what the definition does not set is the session's. A definition adds no tools but those of its own MCP servers,
// and no bypassPermissions.
import { resolveModel } from "../../model/catalogue/models.ts"
import { startOf } from "../../permissions/places.ts"
import { type Policy, withAllowed, withDenied } from "../../permissions/policy.ts"
import { compileRule } from "../../permissions/rules.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import { canonicalToolName } from "../../schemas/sdk/tools/tool-names.ts"
import { modelOf } from "../step-request.ts"
import { isBridgeTool } from "../../tools/bridge/bridge-tools.ts"
import { denialOf, toolAmong } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import { type Turn, turnWith } from "../ports.ts"
import { freshRun, isCallable, NO_PROMPT, NO_QUEUE, type OwnServers } from "../turn-parts.ts"
import type { Subagent } from "../transcript/subagents.ts"
import type { ResolvedAgent } from "./definition.ts"
import type { AgentIdentity } from "./identity.ts"

/** The definition with which a run was started. */
export const definitionOf = ({ started }: Pick<Subagent, "started">): ResolvedAgent =>
  // `newRun` or `runFork` stored a ResolvedAgent.
  started.definition as unknown as ResolvedAgent

const identityOf = (agent: Subagent, root: Turn): AgentIdentity => {
  const { started, startedAt } = agent
  return {
    id: started.agent_id,
    type: started.agent_type,
    thread: started.thread,
    runId: started.run_id,
    call: started.tool_use_id,
    description: started.description,
    ...(started.fork === undefined ? {} : { fork: started.fork }),
    background: started.background,
    detached: started.detached === true,
    depth: started.depth,
    startedAt,
    definition: definitionOf(agent),
    root,
  }
}

/** `finish` appends the run's end; `servers` are the agent's own, if connected; `isLeaving`: the run moves to the background. */
export const agentTurn = (
  root: Turn,
  agent: Subagent,
  finish: Turn["finish"],
  servers: OwnServers | null = null,
  isLeaving: () => boolean = () => false,
): Turn => {
  const identity = identityOf(agent, root)
  const { definition } = identity
  const tools = toolsOf(root, definition, servers)
  const named = toolAmong(tools, root.options.toolAliases)
  // A server of the session that a client has removed or switched off meanwhile is not called.
  const isThere = (tool: Tool) =>
    isCallable(root, tool) || servers?.tools.some(({ name }) => name === tool.name) === true
  const inherited = root.options.model ?? root.options.settings?.model ?? modelOf(root.options)
  const options = onceFor((given: SessionOptions) => optionsOf(given, definition, inherited))
  const policy = onceFor((given: Policy) => withRules(policyOf(given, definition), servers))
  const memory = () => root.subagents.runningOf(identity.id) ?? agent
  const own: Partial<Turn> = {
    agent: identity,
    prompt: agent.started.prompt,
    promptUuids: [],
    echo: NO_PROMPT.echo,
    continuesDeferredCall: false,
    needsNoAnswer: false,
    tools,
    toolByName: (name) => {
      const tool = named(name)
      return tool === undefined || isThere(tool) ? tool : undefined
    },
    // An agent has the tools of its start; calls are judged by the rules of their moment.
    beginStep: () => undefined,
    startSource: null,
    run: freshRun(() => root.run.countStep() || isLeaving()),
    policy: () => {
      const { granted, denied } = memory().project
      const defined = withDenied(withAllowed(policy(root.policy()), definition.allowedTools), definition.deniedTools)
      return withDenied(withAllowed(defined, granted), denied)
    },
    ...NO_QUEUE,
    finish,
    get options() {
      return options(root.options)
    },
    // Read at each access: after a rolled back transaction the session has new objects.
    get memory() {
      return memory()
    },
    get cwd() {
      return startOf(memory().cwd, root.root, root.workspace, root.policy)
    },
  }
  return turnWith(root, own)
}

/** Memoizes `make` for the last argument. */
const onceFor = <Given extends object, Made>(make: (given: Given) => Made): ((given: Given) => Made) => {
  let last: { readonly given: Given; readonly made: Made } | null = null
  return (given) => {
    if (last?.given !== given) last = { given, made: make(given) }
    return last.made
  }
}

const NOTE = `You are a subagent: another agent gave you a task and waits for your report. You can't ask it anything. Your last message is that report: describe what you did and found, with absolute paths, and what remains open.`

/** The agent's options. As the official SDK: it keeps the model that it inherits when a client changes the session's. */
const optionsOf = (session: SessionOptions, definition: ResolvedAgent, inherited: string): SessionOptions => {
  const { maxTurns: _, outputFormat: _format, ...options } = session
  const { settings = {} } = session
  const { prompt, model, maxTurns, effort, window } = definition
  return {
    ...options,
    ...(prompt.trim() === "" ? {} : { systemPrompt: [prompt, NOTE] }),
    model: modelOfAgent(model, inherited),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(effort === undefined ? {} : { effort }),
    ...(window === undefined
      ? {}
      : { settings: { ...settings, autoCompactWindow: Math.min(window, settings.autoCompactWindow ?? window) } }),
    ...(definition.omitClaudeMd === true ? { settingSources: [] } : {}),
  }
}

const FAMILIES: ReadonlySet<string> = new Set(["opus", "sonnet", "haiku"])

/** As the official SDK: an alias of the family to which the inherited model belongs means that model. */
const modelOfAgent = (model: string | undefined, inherited: string): string => {
  const name = (model ?? "inherit").trim().toLowerCase()
  const isSame = FAMILIES.has(name) && resolveModel(inherited).id.toLowerCase().includes(name)
  return name === "inherit" || isSame || model === undefined ? inherited : resolveModel(model).id
}

/**
 * The session's modes that also apply in the agent, as in the official SDK: those that ask less, and plan mode, in which an
 * agent must not change files either. Other modes are replaced by the definition's.
 */
const KEPT: ReadonlySet<PermissionMode> = new Set(["bypassPermissions", "acceptEdits", "plan"])

const policyOf = (policy: Policy, { permissionMode: mode }: ResolvedAgent): Policy => {
  // As in the official SDK, `auto` changes nothing where no model judges calls.
  if (mode === undefined || mode === "auto") return policy
  // As in the official SDK: in plan mode, an agent that does not ask keeps that, too.
  if (mode === "dontAsk" && policy.mode === "plan") return { ...policy, prompts: "deny", unattended: true }
  // As in the official SDK, a definition can't open bypassPermissions, even if the session may.
  return KEPT.has(policy.mode) || mode === "bypassPermissions" ? policy : { ...policy, mode }
}

/** Tools that ask the user or end the session's turn. */
const NOT_FOR_AGENTS: ReadonlySet<string> = new Set([
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "StructuredOutput",
])

/** The agent's tools. A server of its own replaces the session's server with the same name. */
const toolsOf = (
  root: Pick<Turn, "options" | "toolByName" | "tools">,
  definition: ResolvedAgent,
  servers: OwnServers | null,
): ReadonlyArray<Tool> => {
  const { tools: named, disallowedTools = [], mcpServers = [], ownServers = [] } = definition
  const denied = denialOf(root.options)
  const isOfServer = (tool: Tool) => tool.mcpServer !== undefined && mcpServers.includes(tool.mcpServer.name)
  const given = root.tools.filter(
    (tool) =>
      isCallable(root, tool) &&
      !NOT_FOR_AGENTS.has(tool.name) &&
      !isBridgeTool(tool) &&
      !denied(tool.name, tool.mcpServer?.name) &&
      !ownServers.includes(tool.mcpServer?.name ?? "") &&
      (named === undefined || isOfServer(tool) || named.some((name) => names(name, tool))),
  )
  const all = servers === null ? given : [...given, ...servers.tools]
  return all.filter((tool) => !disallowedTools.some((name) => names(name, tool)))
}

/** Adds the rules for their tools that the configurations of the agent's own servers contain. */
const withRules = (policy: Policy, servers: OwnServers | null): Policy => {
  if (servers === null || servers.allow.length + servers.ask.length === 0) return policy
  const compiled = (texts: ReadonlyArray<string>) => texts.map((text) => compileRule(text, "cliArg"))
  const { allow, ask, deny } = policy.rules
  return {
    ...policy,
    rules: { deny, allow: [...allow, ...compiled(servers.allow)], ask: [...ask, ...compiled(servers.ask)] },
  }
}

/** True when a name means the tool. `mcp__server` and `mcp__server__*` name every tool of a server; a `(…)` is ignored. */
const names = (name: string, tool: Tool): boolean => {
  const bare = canonicalToolName(name.replace(/\(.*\)$/s, ""))
  if (bare === tool.name || bare === "*") return true
  return bare.startsWith("mcp__") && tool.name.startsWith(`${bare.replace(/__\*$/, "")}__`)
}

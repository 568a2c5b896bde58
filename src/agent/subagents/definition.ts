// The subagents that a turn can start: receives the definitions of each source, returns one list without duplicates.
// Invariant: when several sources define a name, the more specific one wins: options, then the project's files, then the
// tenant's stored definitions, then Perch's own.
import type { AgentDefinition, AgentInfo } from "../../schemas/sdk/options/agents.ts"
import { ownServersOf } from "../../schemas/sdk/options/agent-servers.ts"
import type { Effort } from "../../schemas/sdk/options/options.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import { BUILT_IN_AGENTS } from "./built-in-agents.ts"

/** Where a definition comes from. */
export type AgentSource = "built-in" | "stored" | "project" | "options"

/** A definition in the form that a run uses. */
export interface ResolvedAgent {
  readonly name: string
  readonly description: string
  /** The system prompt; empty for the session's own. */
  readonly prompt: string
  readonly source: AgentSource
  /** Names of its tools; absent for all of its parent's. */
  readonly tools?: ReadonlyArray<string>
  /** Names, or `mcp__server` and `mcp__server__*`, that are removed from those. */
  readonly disallowedTools?: ReadonlyArray<string>
  /** An alias or id; absent for its parent's model. */
  readonly model?: string
  readonly effort?: Effort
  readonly permissionMode?: PermissionMode
  /** The most model requests of a run. */
  readonly maxTurns?: number
  /** Servers of the session, by name, whose tools it has even if `tools` does not list them. */
  readonly mcpServers?: ReadonlyArray<string>
  /** Names of its own servers; their configurations stay in the options that define the agent. */
  readonly ownServers?: ReadonlyArray<string>
  /** Rules that allow calls, when a command or a skill runs as the agent. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Rules that deny calls, in the same case; the tools stay in its list. */
  readonly deniedTools?: ReadonlyArray<string>
  /** Skills whose text follows its prompt. */
  readonly skills?: ReadonlyArray<string>
  /** True when it runs in the background unless its call says otherwise. */
  readonly background?: boolean
  /** True when it gets no instruction files of the project. */
  readonly omitClaudeMd?: boolean
  /** The usable context window in tokens, when the model's own is larger. */
  readonly window?: number
  /** A text at the end of its system prompt. */
  readonly reminder?: string
  /** The start of the turn's first prompt, when the main thread runs as this agent. */
  readonly initialPrompt?: string
}

type Definitions = Readonly<Record<string, AgentDefinition>>

export interface AgentDefinitions {
  readonly options?: Definitions
  readonly project?: Definitions
  readonly stored?: Definitions
}

/** Alternative names of built-in agents, used when no agent has that name itself. */
const ALIASES: Readonly<Record<string, string>> = { general: "general-purpose", explore: "Explore", plan: "Plan" }

/** The agents of a turn, sorted by name as the CLI lists them. */
export const resolveAgents = ({ options = {}, project = {}, stored = {} }: AgentDefinitions) => {
  const agents = new Map(BUILT_IN_AGENTS.map((agent) => [agent.name, agent]))
  const add = (definitions: Definitions, source: AgentSource) => {
    for (const [name, definition] of Object.entries(definitions))
      agents.set(name, resolvedAgent(name, definition, source))
  }
  add(stored, "stored")
  add(project, "project")
  add(options, "options")
  return [...agents.values()].toSorted((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Resolves a definition, whose fields were checked when it was received. */
const resolvedAgent = (name: string, definition: AgentDefinition, source: AgentSource): ResolvedAgent => {
  const { model, effort, mcpServers, ...fields } = definition
  const { description, prompt, tools, disallowedTools, permissionMode, maxTurns, skills, background } = fields
  const {
    omitClaudeMd,
    initialPrompt,
    criticalSystemReminder_EXPERIMENTAL: reminder,
    autoCompactWindow: window,
  } = fields
  const own = Object.keys(ownServersOf(definition))
  const all = tools === undefined || tools.includes("*")
  return {
    name,
    description,
    prompt,
    source,
    ...(all ? {} : { tools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(model === undefined || model === "inherit" ? {} : { model }),
    ...(typeof effort === "string" ? { effort } : {}),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(mcpServers === undefined ? {} : { mcpServers: mcpServers.filter((one) => typeof one === "string") }),
    ...(own.length === 0 ? {} : { ownServers: own }),
    ...(skills === undefined ? {} : { skills }),
    ...(background === undefined ? {} : { background }),
    ...(omitClaudeMd === undefined ? {} : { omitClaudeMd }),
    ...(window === undefined ? {} : { window }),
    ...(reminder === undefined ? {} : { reminder }),
    ...(initialPrompt === undefined ? {} : { initialPrompt }),
  }
}

/** The agent for a call's `subagent_type`. As the official SDK: in upper or lower case, if no agent has exactly that name. */
export const agentNamed = (agents: ReadonlyArray<ResolvedAgent>, name: string): ResolvedAgent | undefined => {
  const lower = name.toLowerCase()
  const own = agents.find((agent) => agent.name === name) ?? agents.find((agent) => agent.name.toLowerCase() === lower)
  if (own !== undefined) return own
  const alias = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined
  return alias === undefined ? undefined : agents.find((agent) => agent.name === alias)
}

/** The agents in the form that clients receive. */
export const agentInfos = (agents: ReadonlyArray<ResolvedAgent>): ReadonlyArray<AgentInfo> =>
  agents.map(({ name, description, model }) => ({ name, description, ...(model === undefined ? {} : { model }) }))

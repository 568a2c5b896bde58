// Receives a call of the Agent tool that has no run yet; returns the run that it asks for, or an error that refuses it.
// Invariant: the run contains a copy of the definition: later changes do not affect an agent that has started.
import type { AgentStarted } from "../../schemas/log/agent-events.ts"
import type { AgentCall } from "../../tools/agents/agent.ts"
import { ToolError } from "../../tools/tool.ts"
import type { Turn } from "../ports.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { definitionOf } from "./agent-turn.ts"
import { agentNamed, type ResolvedAgent } from "./definition.ts"

/** The deepest nesting of agents. */
const MAX_DEPTH = 3
/** The most agents of a session that run at the same time. */
const MAX_RUNNING = 8

const DEFAULT_TYPE = "general-purpose"

const refused = (message: string): ToolError => new ToolError({ reason: "command_failed", message })

/** The error of a call that no turn makes. */
export const NO_TURN = refused("Agents can be started only inside a turn.")

export const newRun = (caller: Turn, use: Pick<ToolUse, "id">, input: AgentCall): AgentStarted | ToolError => {
  const { subagents } = caller
  // As the official SDK: refused when the call runs, after its hooks.
  if (input.isolation !== undefined)
    return refused("isolation is not supported here: a session has one workspace. Leave it out.")
  const depth = (caller.agent?.depth ?? 0) + 1
  if (depth > MAX_DEPTH)
    return refused(`Agents can be nested at most ${MAX_DEPTH} levels deep. Do this task yourself, with your own tools.`)
  if (subagents.running.length >= MAX_RUNNING)
    return refused(
      `${MAX_RUNNING} agents are already running in this session. Wait until one has ended, then call Agent again.`,
    )
  if (input.resume !== undefined) return continued(caller, use, { ...input, resume: input.resume })
  const named = input.subagent_type ?? DEFAULT_TYPE
  const definition = agentNamed(caller.agents, named)
  if (definition === undefined)
    return refused(`There is no agent of the type "${named}". The available types are: ${listOf(caller.agents)}.`)
  const id = caller.idOf?.(use.id) ?? caller.newUuid().replaceAll("-", "")
  return {
    agent_id: `a${id.slice(-16)}`,
    run_id: caller.newUuid(),
    thread: use.id,
    tool_use_id: use.id,
    agent_type: definition.name,
    description: input.description,
    prompt: input.prompt,
    ...(input.name === undefined ? {} : { name: input.name }),
    // As the official SDK: a call can't bring an agent to the foreground that its definition puts into the background.
    ...placeOf(caller, definition.background || (input.run_in_background ?? definition.background)),
    depth,
    ...(caller.agent === undefined ? {} : { parent_agent_id: caller.agent.id }),
    definition: { ...withChanges(definition, input) },
  }
}

/** Whether the run is in the background. Inside an agent, the caller waits for the run unless its call says otherwise. */
const placeOf = (
  { agent, agentsInBackground }: Turn,
  asked: boolean | undefined,
): Pick<AgentStarted, "background" | "detached"> => {
  const background = asked ?? (agent === undefined && agentsInBackground)
  return { background, ...(background || agent?.detached === true ? { detached: true } : {}) }
}

const listOf = (agents: ReadonlyArray<ResolvedAgent>): string => agents.map(({ name }) => name).join(", ")

const withChanges = (definition: ResolvedAgent, { model, effort }: AgentCall): ResolvedAgent => ({
  ...definition,
  ...(model === undefined ? {} : { model }),
  ...(effort === undefined ? {} : { effort }),
})

/** The next run of an agent that has ended, with a new prompt and its old definition. */
const continued = (
  turn: Turn,
  use: Pick<ToolUse, "id">,
  input: AgentCall & { readonly resume: string },
): AgentStarted | ToolError => {
  const { agent: caller, subagents, newUuid } = turn
  const { resume } = input
  if (subagents.named(resume) !== undefined)
    return refused(`The agent ${resume} is still running. It can continue with another prompt once it has ended.`)
  const known = subagents.endedOf(resume)
  if (known === undefined) return refused(`There is no agent "${resume}" in this session.`)
  const { detached: _, ...started } = known
  if (started.parent_agent_id !== caller?.id)
    return refused(`The agent ${resume} was started by another agent, and only that agent can resume it.`)
  return {
    ...started,
    run_id: newUuid(),
    tool_use_id: use.id,
    description: input.description,
    prompt: input.prompt,
    ...placeOf(turn, input.run_in_background),
    definition: { ...withChanges(definitionOf({ started }), input) },
  }
}

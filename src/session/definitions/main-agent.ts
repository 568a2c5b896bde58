// Receives the options of a turn whose main thread runs as an agent (`options.agent`), and that agent; returns the options
// with the agent's prompt and tools applied.
// Invariant: an agent only restricts: it removes tools. As in the official SDK, its permission mode and its maxTurns do not apply
// to the session.
import type { ResolvedAgent } from "../../agent/subagents/definition.ts"
import type { SessionOptions, SystemPrompt } from "../../schemas/sdk/options/options.ts"

/**
 * `session` are the options of the session, `own` those of the turn: a model, effort or variant that either sets wins over
 * the agent's.
 */
export const asAgent = (agent: ResolvedAgent, session: SessionOptions, own: SessionOptions): SessionOptions => {
  const given = { ...session, ...own }
  return {
    ...own,
    ...(agent.prompt === "" ? {} : { systemPrompt: promptOf(agent.prompt, given.systemPrompt) }),
    ...toolsOf(agent.tools, given.tools),
    ...(agent.disallowedTools === undefined
      ? {}
      : { disallowedTools: [...(given.disallowedTools ?? []), ...agent.disallowedTools] }),
    ...(agent.model === undefined || given.model !== undefined ? {} : { model: agent.model }),
    ...(agent.effort === undefined || given.effort !== undefined || given.variant !== undefined
      ? {}
      : { effort: agent.effort }),
  }
}

/** As the SDK: the agent's prompt replaces any other; text that is appended to the preset stays. */
const promptOf = (prompt: string, given: typeof SystemPrompt.Type | undefined): typeof SystemPrompt.Type => {
  const isPreset = typeof given === "object" && "type" in given && given.type === "preset"
  return isPreset && given.append !== undefined ? [prompt, given.append] : prompt
}

const toolsOf = (tools: ResolvedAgent["tools"], given: SessionOptions["tools"]): Pick<SessionOptions, "tools"> => {
  if (tools === undefined) return {}
  return { tools: Array.isArray(given) ? tools.filter((name) => given.includes(name)) : tools }
}

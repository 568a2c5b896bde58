// Receives opencode's map of agents; returns them as `options.agents` of the SDK.
// Invariant: primary and hidden agents are left out, because they are not meant to be called by a model.
import type { AgentDefinition } from "../schemas/sdk/options/agents.ts"

/** One rule of opencode's permissions. */
export interface OpencodeRule {
  readonly permission: string
  readonly action: string
}

/** An agent as opencode configures it. */
export interface OpencodeAgent {
  readonly name: string
  readonly mode?: string
  readonly hidden?: boolean
  readonly description?: string
  readonly prompt?: string
  readonly permission?: ReadonlyArray<OpencodeRule>
  readonly model?: { readonly modelID?: string }
}

/** Converts opencode's subagents to `options.agents`, by name. */
export const opencodeAgents = (agents: ReadonlyArray<OpencodeAgent>): Readonly<Record<string, AgentDefinition>> =>
  Object.fromEntries(
    agents
      .filter(({ mode, hidden }) => mode !== "primary" && hidden !== true)
      .map(({ name, description, prompt, permission, model }) => {
        const tools = allowedTools(permission ?? [])
        const alias = modelAlias(model?.modelID)
        return [
          name,
          {
            description: description ?? `${name} agent`,
            prompt: prompt ?? "",
            ...(tools === undefined ? {} : { tools }),
            ...(alias === undefined ? {} : { model: alias }),
          },
        ]
      }),
  )

/** The tools that rules allow: undefined (all) when a rule allows `*`, and none when no rule allows any. */
const allowedTools = (rules: ReadonlyArray<OpencodeRule>): ReadonlyArray<string> | undefined => {
  const allowed = rules.filter(({ action }) => action === "allow").map(({ permission }) => permission)
  if (allowed.includes("*")) return undefined
  return [...new Set(allowed)].map((name) => name.charAt(0).toUpperCase() + name.slice(1))
}

const modelAlias = (id: string | undefined): string | undefined => {
  if (id === undefined || id === "") return undefined
  return id.includes("opus") ? "opus" : id.includes("haiku") ? "haiku" : "sonnet"
}

// Receives the options that the SDK's arguments ask for and the process's environment; adds what the CLI's variables ask for.
// Invariant: a variable wins over an option exactly where it does in the official CLI; one with an unusable value ends the start.
import type { Draft } from "./draft.ts"
import { LaunchError } from "./launch-error.ts"
import type { SpawnOptions } from "./spawn.ts"

const EFFORTS: ReadonlySet<string> = new Set(["low", "medium", "high", "xhigh", "max"])

export const addTurnVariables = ({ options }: Draft, env: SpawnOptions["env"]): void => {
  const { ANTHROPIC_MODEL: model, CLAUDE_CODE_EFFORT_LEVEL: effort } = env
  // The model of `options.agent` wins over the variable.
  if (model && options.model === undefined && options.agent === undefined) options.model = model
  const thinking = whole("MAX_THINKING_TOKENS", env)
  if (thinking !== undefined && options.thinking === undefined) options.maxThinkingTokens = thinking
  if (effort === "auto") delete options.effort
  else if (effort && EFFORTS.has(effort)) options.effort = effort
  const turns = whole("CLAUDE_CODE_MAX_TURNS", env)
  if (turns !== undefined) options.maxTurns ??= turns
}

const whole = (name: string, env: SpawnOptions["env"]): number | undefined => {
  const text = env[name]
  if (text === undefined || text === "") return undefined
  if (!/^\d{1,9}$/.test(text)) throw new LaunchError(`${name} must be a whole number, not ${text}`)
  return Number(text)
}

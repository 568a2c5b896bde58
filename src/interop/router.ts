// Receives a subtask, the configuration and whether the full agent is available; decides which agent runs the subtask.
// Invariant: pure functions: the same arguments always return the same decision, with the reason for it.
import { CLAUDE_CODE_DEFAULTS, type ClaudeCodeConfig, type Route } from "../schemas/interop/claude-code-config.ts"
import type { SubagentMode } from "../schemas/interop/subagent-run.ts"
import type { Subtask } from "../schemas/interop/subtask.ts"
import { estimateComplexity } from "./complexity.ts"

export type RouteReason =
  | "disabled"
  | "unavailable"
  | "minimal_label"
  | "claude_code_label"
  | "always_full"
  | "complex"
  | "simple"
  | "asked"

/** Which agent runs a subtask, and why. */
export interface RouteDecision {
  readonly mode: SubagentMode
  readonly reason: RouteReason
  /** The estimated complexity of the subtask, from 0 to 1. */
  readonly score: number
  readonly threshold: number
  /** The label that forced the decision, if one did. */
  readonly label?: string
}

/** Whether the full agent can run, and why. */
export interface Availability {
  readonly available: boolean
  readonly reason: string
}

/** A configuration in which every field with a default is set. */
export type WholeConfig = ClaudeCodeConfig & Required<Pick<ClaudeCodeConfig, keyof typeof CLAUDE_CODE_DEFAULTS>>

/** Completes a configuration with defaults for its absent and undefined fields. */
export const wholeConfig = (config: ClaudeCodeConfig = {}): WholeConfig => ({
  ...CLAUDE_CODE_DEFAULTS,
  ...given(config),
})

/** The fields of a value that are not undefined. */
export const given = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as A // all fields are optional

/**
 * Decides which agent runs a subtask. It is the minimal one when the router is off or the full agent is unavailable. Otherwise
 * the first of these decides: a label that forces the minimal one, a label that forces the full one,
 * `preferForComplexTasks: false`, which always selects the full one, and the score: above the threshold it is the full one.
 */
export const shouldUseClaudeCode = (
  subtask: Subtask,
  claudeCode: ClaudeCodeConfig = {},
  availability: Availability = { available: true, reason: "" },
): RouteDecision => {
  const config = wholeConfig(claudeCode)
  const threshold = config.complexityThreshold
  const facts = { score: estimateComplexity(subtask.description), threshold }
  const labelOf = (forced: ReadonlyArray<string> = []) => forced.find((label) => subtask.labels?.includes(label))
  if (!config.enabled) return { mode: "minimal", reason: "disabled", ...facts }
  if (!availability.available) return { mode: "minimal", reason: "unavailable", ...facts }
  const minimal = labelOf(config.forceMinimalLabels)
  if (minimal !== undefined) return { mode: "minimal", reason: "minimal_label", ...facts, label: minimal }
  const full = labelOf(config.forceClaudeCodeLabels)
  if (full !== undefined) return { mode: "claude-code", reason: "claude_code_label", ...facts, label: full }
  if (!config.preferForComplexTasks) return { mode: "claude-code", reason: "always_full", ...facts }
  return facts.score > threshold
    ? { mode: "claude-code", reason: "complex", ...facts }
    : { mode: "minimal", reason: "simple", ...facts }
}

/** The decision for a request: the agent that it names, except the full one while that is off or unavailable. */
export const decideRoute = (
  route: Route,
  subtask: Subtask,
  config: ClaudeCodeConfig = {},
  availability?: Availability,
): RouteDecision => {
  const decided = shouldUseClaudeCode(subtask, config, availability)
  if (route === "auto") return decided
  const { score, threshold } = decided
  const isOff = decided.reason === "disabled" || decided.reason === "unavailable"
  return route === "claude-code" && isOff ? decided : { mode: route, reason: "asked", score, threshold }
}

// Receives a subtask, the configuration and whether the full agent is available; decides which agent carries it out.
// Invariant: a pure function of these: the same decision each time, with the reason that decided it.
import { CLAUDE_CODE_DEFAULTS, type ClaudeCodeConfig, type Route } from "../schemas/interop/claude-code-config.ts"
import type { SubagentMode, Subtask } from "../schemas/interop/subtask.ts"
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

/** Which agent carries a subtask out, and why. */
export interface RouteDecision {
  readonly mode: SubagentMode
  readonly reason: RouteReason
  /** How complex the subtask seems, 0 to 1. */
  readonly score: number
  readonly threshold: number
  /** The label that decided. */
  readonly label?: string
}

/** Whether the full agent can run, and why. */
export interface Availability {
  readonly available: boolean
  readonly reason: string
}

/** A configuration that says everything but labels. */
export type WholeConfig = ClaudeCodeConfig & Required<Pick<ClaudeCodeConfig, keyof typeof CLAUDE_CODE_DEFAULTS>>

/** A configuration with every default in the place of what it does not give; a field that is undefined is not given. */
export const wholeConfig = (config: ClaudeCodeConfig = {}): WholeConfig => ({
  ...CLAUDE_CODE_DEFAULTS,
  ...given(config),
})

/** The fields of a value that are not undefined. */
export const given = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as A // all fields are optional

/**
 * Which agent carries out a subtask. In this order: the router is off, the full agent is unavailable, a label forces the
 * minimal one, a label forces the full one, `preferForComplexTasks: false` takes the full one always, and else the score
 * decides: above the threshold it is the full one.
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

/** The decision for a request: one that names its agent gets it, unless the full one is off or unavailable. */
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

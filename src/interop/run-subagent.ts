// Receives a subtask and the two agents as functions; runs the one that the router selects, and the minimal one after a
// failure of the full one.
// Invariant: the result of a fallback includes the files, turns, tokens and costs of both runs.
import type { ClaudeCodeConfig, Route } from "../schemas/interop/claude-code-config.ts"
import type { SubagentConfig, SubagentResult, SubagentTokens } from "../schemas/interop/subagent-run.ts"
import { type Availability, decideRoute, given, type RouteDecision, wholeConfig } from "./router.ts"

/** The tools, model and most turns of the minimal agent. */
export const MINIMAL = { tools: ["Read", "Edit", "Write", "Bash"], model: "haiku", maxTurns: 10 } as const

/** Failures after which there is no fallback, because the minimal agent could do no better. */
export type FinalFailure = "interrupt" | "authentication" | "billing"

/** The result of one agent; a failure with `final` is not followed by a fallback. */
export type RunResult = SubagentResult & { readonly final?: FinalFailure }

/** The two agents, and the check whether the full one is available. */
export interface SubagentRuns {
  readonly detect: () => Promise<Availability> | Availability
  readonly full: (config: SubagentConfig) => Promise<RunResult>
  readonly minimal: (config: SubagentConfig) => Promise<RunResult>
  /** Receives the decision, and a fallback when there is one. */
  readonly onEvent?: (
    event:
      | ({ readonly type: "route:decided" } & RouteDecision)
      | { readonly type: "route:fell_back"; readonly error: string },
  ) => void
}

/** A subtask and how it is routed. */
export interface RoutedTask {
  readonly config: SubagentConfig
  readonly claudeCode?: ClaudeCodeConfig
  readonly route?: Route
}

/**
 * Runs a subtask on the best agent that is available. When `full` rejects, the minimal agent follows, unless the error is an
 * abort or has a field `final`, or `fallbackToMinimal` is off; then the error is rethrown.
 */
export const runBestAvailableSubagent = async (
  { config, claudeCode = {}, route = "auto" }: RoutedTask,
  { detect, full, minimal, onEvent }: SubagentRuns,
): Promise<SubagentResult> => {
  const whole = wholeConfig(claudeCode)
  const availability = whole.enabled ? await detect() : { available: false, reason: "The router is off." }
  const decision = decideRoute(route, config.subtask, claudeCode, availability)
  onEvent?.({ type: "route:decided", ...decision })
  const small = { ...config, ...MINIMAL, maxTurns: Math.min(config.maxTurns ?? MINIMAL.maxTurns, MINIMAL.maxTurns) }
  if (decision.mode === "minimal") return withMode(await minimal(small), "minimal")
  const { maxTurnsPerSubtask: maxTurns, permissionMode } = whole
  const run = async (): Promise<RunResult> => full({ maxTurns, permissionMode, ...given(config) })
  const first = await run().catch((error: unknown): RunResult => {
    if (isFinal(error) || !whole.fallbackToMinimal) throw error
    return { success: false, subtaskId: config.subtask.id, filesModified: [], turns: 0, error: messageOf(error) }
  })
  if (first.success || first.final !== undefined || !whole.fallbackToMinimal) return withMode(first, "claude-code")
  onEvent?.({ type: "route:fell_back", error: first.error ?? "The run failed." })
  return mergedResults(first, withMode(await minimal(small), "minimal"))
}

const isFinal = (error: unknown): boolean => {
  if (typeof error !== "object" || error === null) return false
  // The official SDK's AbortError sets no `name`; only its class is named so.
  return "final" in error || (error instanceof Error && [error.name, error.constructor.name].includes("AbortError"))
}

const messageOf = (error: unknown): string => (error instanceof Error && error.message) || "The run failed."

const withMode = ({ final: _, ...result }: RunResult, mode: "claude-code" | "minimal"): SubagentResult => ({
  ...result,
  mode,
})

/** Merges the results of two runs of one subtask; the second decides whether it succeeded. */
export const mergedResults = (first: SubagentResult, second: SubagentResult): SubagentResult => ({
  ...second,
  filesModified: [...new Set([...first.filesModified, ...second.filesModified])],
  turns: first.turns + second.turns,
  ...(first.tokenUsage === undefined && second.tokenUsage === undefined
    ? {}
    : { tokenUsage: sumOf(first.tokenUsage ?? {}, second.tokenUsage ?? {}) }),
  ...(first.total_cost_usd === undefined && second.total_cost_usd === undefined
    ? {}
    : { total_cost_usd: (first.total_cost_usd ?? 0) + (second.total_cost_usd ?? 0) }),
  ...(first.claudeCodeSessionId === undefined ? {} : { claudeCodeSessionId: first.claudeCodeSessionId }),
})

const KINDS = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const

const sumOf = (a: SubagentTokens, b: SubagentTokens): SubagentTokens =>
  Object.fromEntries(
    KINDS.flatMap((kind) =>
      a[kind] === undefined && b[kind] === undefined ? [] : [[kind, (a[kind] ?? 0) + (b[kind] ?? 0)]],
    ),
  )

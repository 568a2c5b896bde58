// Receives a session's options for thinking and effort, and what is known of its model; returns the fields of the request.
// Invariant: a listed model gets the form that it takes; an unlisted one gets only what the session asks for.
import type { Effort, ThinkingConfig } from "../../schemas/sdk/options/options.ts"
import { type Variant, VARIANT_BUDGETS } from "../../schemas/sdk/options/variants.ts"
import { EFFORTS, type ModelEntry } from "../catalogue/models.ts"

type Block = Readonly<Record<string, unknown>>

export interface ThinkingOptions {
  readonly thinking?: ThinkingConfig
  /** The SDK's older option: 0 turns thinking off. `thinking` wins over it. */
  readonly maxThinkingTokens?: number
  readonly effort?: Effort
  /** A budget for models that take one, an effort for the others. What the other options say wins over it. */
  readonly variant?: Variant
  /** Leaves out what only some models and servers know: effort, how thinking is shown, and that there is none. */
  readonly plain?: boolean
}

/** The least that the API takes as a thinking budget. */
const LEAST_BUDGET = 1024

/**
 * `thinking` of a request, or null for no such field. Adaptive models get no budget, whatever was asked; the others get
 * what was asked, or all but one of the answer's tokens.
 */
export const thinkingOf = (options: ThinkingOptions, listed: ModelEntry | null, maxTokens: number): Block | null => {
  const asked = options.thinking ?? fromMaxTokens(options.maxThinkingTokens) ?? fromVariant(options.variant)
  const plain = options.plain === true
  if (listed === null && (asked === undefined || plain)) return null
  if (asked?.type === "disabled") return plain ? null : { type: "disabled" }
  const display = plain ? {} : displayOf(asked, listed)
  if ((listed?.thinking ?? asked?.type) === "adaptive") return { type: "adaptive", ...display }
  // Without room for the least budget the API would refuse the request.
  if (maxTokens <= LEAST_BUDGET) return plain ? null : { type: "disabled" }
  const budget = (asked?.type === "enabled" ? asked.budgetTokens : undefined) ?? maxTokens
  return { type: "enabled", budget_tokens: Math.min(Math.max(budget, LEAST_BUDGET), maxTokens - 1), ...display }
}

/** Some models hide their thinking unless they are asked to show it, so a listed one is always asked. */
const displayOf = (asked: ThinkingConfig | undefined, listed: ModelEntry | null): Block => {
  const display = asked === undefined || asked.type === "disabled" ? undefined : asked.display
  if (display === undefined) return listed === null ? {} : { display: "summarized" }
  return { display: display === "highlights" ? "updates" : display }
}

/**
 * A session's options after its client changed its thinking: `tokens` null takes a budget away, `display` null a way of
 * showing it, and what is undefined stays as it is. Undefined in the answer takes an option away.
 */
export const changedThinking = (
  { thinking, maxThinkingTokens }: ThinkingOptions,
  change: {
    readonly tokens: number | null | undefined
    readonly display: "summarized" | "omitted" | "highlights" | null | undefined
  },
): { readonly thinking: ThinkingConfig | undefined; readonly maxThinkingTokens: number | undefined } => {
  const { display: shown, ...now } = { display: undefined, ...thinking }
  const display = change.display === undefined ? shown : (change.display ?? undefined)
  const tokens = change.tokens === undefined ? maxThinkingTokens : (change.tokens ?? undefined)
  const kept = change.tokens === undefined && thinking !== undefined ? (now as ThinkingConfig) : undefined
  if (display === undefined) return { thinking: kept, maxThinkingTokens: tokens }
  const asked = kept ?? fromMaxTokens(tokens) ?? { type: "adaptive" }
  if (asked.type === "disabled") return { thinking: kept, maxThinkingTokens: tokens }
  const budget =
    asked.type === "enabled" && asked.budgetTokens !== undefined
      ? { budgetTokens: Math.max(asked.budgetTokens, LEAST_BUDGET) }
      : {}
  return { thinking: { ...asked, ...budget, display }, maxThinkingTokens: tokens }
}

const fromMaxTokens = (tokens: number | undefined): ThinkingConfig | undefined => {
  if (tokens === undefined) return undefined
  return tokens === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens: tokens }
}

const fromVariant = (variant: Variant | undefined): ThinkingConfig | undefined =>
  variant === undefined ? undefined : { type: "enabled", budgetTokens: VARIANT_BUDGETS[variant] }

/** The variant of a model that thinks by itself: its level, or the model's own for `default`. */
const effortOfVariant = (variant: Variant | undefined, listed: ModelEntry): Effort | undefined =>
  variant === undefined || variant === "default" || listed.thinking !== "adaptive" ? undefined : variant

/** `output_config.effort`, or null when the model has none. What is more than the model takes becomes the most it takes. */
export const effortOf = (options: ThinkingOptions, listed: ModelEntry | null): Effort | null => {
  if (options.plain === true) return null
  if (listed === null) return options.effort ?? null
  if (listed.effort === undefined) return null
  const { levels = EFFORTS } = listed.effort
  const most = EFFORTS.indexOf(options.effort ?? effortOfVariant(options.variant, listed) ?? listed.effort.default)
  return levels.findLast((level) => EFFORTS.indexOf(level) <= most) ?? listed.effort.default
}

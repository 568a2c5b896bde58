// Receives a session's options for thinking and effort, and its model's catalogue entry; returns the fields of the request.
// Invariant: a listed model gets the form that it accepts; an unlisted one gets only what the session asks for.
import { EFFORTS } from "../../schemas/sdk/efforts.ts"
import type { Effort, ThinkingConfig } from "../../schemas/sdk/options/options.ts"
import { type Variant, VARIANT_BUDGETS } from "../../schemas/sdk/options/variants.ts"
import type { ModelEntry } from "../catalogue/models.ts"

type Block = Readonly<Record<string, unknown>>

export interface ThinkingOptions {
  readonly thinking?: ThinkingConfig
  /** The SDK's older option: 0 turns thinking off. `thinking` takes precedence. */
  readonly maxThinkingTokens?: number
  readonly effort?: Effort
  /** A budget for models that accept one, an effort for the others. The other options take precedence. */
  readonly variant?: Variant
  /** True to leave out fields that only some models and servers accept: effort, `display` and disabled thinking. */
  readonly plain?: boolean
}

/** The smallest thinking budget that the API accepts, in tokens. */
const LEAST_BUDGET = 1024

/**
 * `thinking` of a request, or null for no such field. Adaptive models get no budget, whatever was asked, and some of them think
 * even if they are asked not to; the others get the budget that was asked for, or all but one of the answer's tokens.
 */
export const thinkingOf = (options: ThinkingOptions, listed: ModelEntry | null, maxTokens: number): Block | null => {
  const requested = options.thinking ?? fromMaxTokens(options.maxThinkingTokens) ?? fromVariant(options.variant)
  const plain = options.plain === true
  if (listed === null && (requested === undefined || plain)) return null
  if (requested?.type === "disabled" && listed?.alwaysThinks !== true) return plain ? null : { type: "disabled" }
  const display = plain ? {} : displayOf(requested, listed)
  if ((listed?.thinking ?? requested?.type) === "adaptive") return { type: "adaptive", ...display }
  // The API would refuse the request: `max_tokens` has no room for the smallest budget.
  if (maxTokens <= LEAST_BUDGET) return plain ? null : { type: "disabled" }
  const budget = (requested?.type === "enabled" ? requested.budgetTokens : undefined) ?? maxTokens
  return { type: "enabled", budget_tokens: Math.min(Math.max(budget, LEAST_BUDGET), maxTokens - 1), ...display }
}

/** Some models hide their thinking unless they are asked to show it, so a listed one is always asked. */
const displayOf = (asked: ThinkingConfig | undefined, listed: ModelEntry | null): Block => {
  const display = asked === undefined || asked.type === "disabled" ? undefined : asked.display
  if (display === undefined) return listed === null ? {} : { display: "summarized" }
  return { display: display === "highlights" ? "updates" : display }
}

/**
 * A session's options after its client changed its thinking. A change of null removes the budget (`tokens`) or the display,
 * undefined leaves it unchanged. An option that is undefined in the result is removed.
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
  // `now` is the setting without its display, which every kind of setting may lack.
  const kept = change.tokens === undefined && thinking !== undefined ? (now as ThinkingConfig) : undefined
  if (display === undefined) return { thinking: kept, maxThinkingTokens: tokens }
  const requested = kept ?? fromMaxTokens(tokens) ?? { type: "adaptive" }
  if (requested.type === "disabled") return { thinking: kept, maxThinkingTokens: tokens }
  const budget =
    requested.type === "enabled" && requested.budgetTokens !== undefined
      ? { budgetTokens: Math.max(requested.budgetTokens, LEAST_BUDGET) }
      : {}
  return { thinking: { ...requested, ...budget, display }, maxThinkingTokens: tokens }
}

const fromMaxTokens = (tokens: number | undefined): ThinkingConfig | undefined => {
  if (tokens === undefined) return undefined
  return tokens === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens: tokens }
}

const fromVariant = (variant: Variant | undefined): ThinkingConfig | undefined =>
  variant === undefined ? undefined : { type: "enabled", budgetTokens: VARIANT_BUDGETS[variant] }

/** The effort that a variant means for an adaptive model; undefined for the model's own default. */
const effortOfVariant = (variant: Variant | undefined, listed: ModelEntry): Effort | undefined =>
  variant === undefined || variant === "default" || listed.thinking !== "adaptive" ? undefined : variant

/** `output_config.effort`, or null when the model has none. A level that the model lacks becomes the next lower one it has. */
export const effortOf = (options: ThinkingOptions, listed: ModelEntry | null): Effort | null => {
  if (options.plain === true) return null
  if (listed === null) return options.effort ?? null
  if (listed.effort === undefined) return null
  const { levels = EFFORTS } = listed.effort
  const most = EFFORTS.indexOf(options.effort ?? effortOfVariant(options.variant, listed) ?? listed.effort.default)
  return levels.findLast((level) => EFFORTS.indexOf(level) <= most) ?? listed.effort.default
}

// The option `variant`: how much the model thinks, by the names that opencode's clients have for it.
// Invariant: of several levels of options the nearest one decides how much the model thinks: a variant takes the place of a
// budget or an effort of the level under it, and those take the place of a variant there.
import * as Schema from "effect/Schema"

/** Tokens of thinking that a variant asks for, by its name. */
export const VARIANT_BUDGETS = { low: 5000, medium: 10_000, high: 50_000, default: 10_000 } as const

export const VARIANTS = ["low", "medium", "high", "default"] as const

export const Variant = Schema.Literals(VARIANTS)
export type Variant = typeof Variant.Type

/** The options that say the same as a variant, and can't be sent together with one. */
export const SAME_AS_VARIANT = ["thinking", "maxThinkingTokens", "effort"] as const

interface Fields {
  readonly variant?: unknown
  readonly thinking?: unknown
  readonly maxThinkingTokens?: unknown
  readonly effort?: unknown
}

/** Options with others over them: each of the latter wins, and no variant is left beside what says the same. */
export const overlaid = <Under extends Fields, Over extends Fields>(under: Under, over: Over): Under & Over => {
  if (over.variant === undefined) {
    const { variant, ...rest } = under
    const replaced = variant !== undefined && SAME_AS_VARIANT.some((name) => over[name] !== undefined)
    // What is left out is optional in both.
    return { ...(replaced ? rest : under), ...over } as Under & Over
  }
  const { thinking: _t, maxThinkingTokens: _m, effort: _e, ...rest } = under
  return { ...rest, ...over } as Under & Over // as above
}

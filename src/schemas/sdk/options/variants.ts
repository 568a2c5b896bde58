// The option `variant`: how much the model thinks, by the names that opencode's clients use.
// Invariant: of several levels of options the most specific one decides how much the model thinks: a variant replaces a budget
// or an effort of the level below, and those replace a variant there.
import * as Schema from "effect/Schema"

/** The budget of thinking tokens of each variant. */
export const VARIANT_BUDGETS = { low: 5000, medium: 10_000, high: 50_000, default: 10_000 } as const

export const VARIANTS = ["low", "medium", "high", "default"] as const

export const Variant = Schema.Literals(VARIANTS)
export type Variant = typeof Variant.Type

/** The options with the same meaning as a variant, which can't be combined with one. */
export const SAME_AS_VARIANT = ["thinking", "maxThinkingTokens", "effort"] as const

interface Fields {
  readonly variant?: unknown
  readonly thinking?: unknown
  readonly maxThinkingTokens?: unknown
  readonly effort?: unknown
}

/** Merges two levels of options: those of `over` win, and a variant is never combined with an option of `SAME_AS_VARIANT`. */
export const overlaid = <Under extends Fields, Over extends Fields>(under: Under, over: Over): Under & Over => {
  if (over.variant === undefined) {
    const { variant, ...rest } = under
    const replaced = variant !== undefined && SAME_AS_VARIANT.some((name) => over[name] !== undefined)
    // `variant` is left out; it is optional in both types.
    return { ...(replaced ? rest : under), ...over } as Under & Over
  }
  const { thinking: _t, maxThinkingTokens: _m, effort: _e, ...rest } = under
  return { ...rest, ...over } as Under & Over // as above
}

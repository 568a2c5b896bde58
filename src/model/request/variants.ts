// Receives a variant and a model; returns how much the model thinks: a budget in tokens, or an effort.
// Invariant: the result is what the request sends: a budget above the model's limit is reduced, and the reduction is reported.
import type { Effort } from "../../schemas/sdk/options/options.ts"
import { type Variant, VARIANT_BUDGETS, VARIANTS } from "../../schemas/sdk/options/variants.ts"
import { maxOutputOf, type ModelEntry, resolveModel } from "../catalogue/models.ts"
import { effortOf, thinkingOf } from "./thinking.ts"

/** The effect of a variant. `requested_budget_tokens` is set when the model has less room than the variant asks for. */
export interface VariantEffect {
  readonly budget_tokens?: number
  readonly requested_budget_tokens?: number
  readonly effort?: Effort
}

const variantEffect = (variant: Variant, model: string): VariantEffect => {
  const { listed } = resolveModel(model)
  const effort = listed?.thinking === "adaptive" ? effortOf({ variant }, listed) : null
  const budget = thinkingOf({ variant }, listed, maxOutputOf(model))?.["budget_tokens"]
  const requested = VARIANT_BUDGETS[variant]
  return {
    ...(typeof budget === "number" ? { budget_tokens: budget } : {}),
    ...(typeof budget === "number" && budget < requested ? { requested_budget_tokens: requested } : {}),
    ...(effort === null ? {} : { effort }),
  }
}

/** The effect of every variant by its name, as the list of models shows it. */
export const variantsOf = ({ id }: Pick<ModelEntry, "id">): Readonly<Record<Variant, VariantEffect>> =>
  // Every variant has its entry.
  Object.fromEntries(VARIANTS.map((variant) => [variant, variantEffect(variant, id)])) as Record<Variant, VariantEffect>

/** Notices for clients when a variant asks for more thinking tokens than the model has room for. */
export const variantNotices = (variant: Variant | undefined, model: string): ReadonlyArray<string> => {
  if (variant === undefined) return []
  const { budget_tokens: budget, requested_budget_tokens: asked } = variantEffect(variant, model)
  return asked === undefined
    ? []
    : [`The variant ${variant} requests ${asked} tokens of thinking. ${model} allows at most ${budget}.`]
}

// Changes of a session's options: values by name, where null removes a limit.
// Invariant: options themselves never contain null for a limit; a change is logged with it.
import * as Schema from "effect/Schema"
import { SessionOptions } from "../sdk/options/options.ts"
import { overlaid } from "../sdk/options/variants.ts"

const { maxBudgetUsd, maxTurns } = SessionOptions.fields

/** The options of `PATCH /v1/sessions/{id}`. */
export const OptionChanges = Schema.Struct({
  ...SessionOptions.fields,
  maxTurns: Schema.optionalKey(Schema.NullOr(Schema.requiredKey(maxTurns))),
  maxBudgetUsd: Schema.optionalKey(Schema.NullOr(Schema.requiredKey(maxBudgetUsd))),
}).annotate({ identifier: "OptionChanges" })
export type OptionChanges = typeof OptionChanges.Type

/** The options after a change. */
export const changedOptions = <O extends object>(options: O, change: object): O => {
  const merged = Object.entries(overlaid(options, change))
  // Only the limits of a change can be null, and they are optional.
  return Object.fromEntries(merged.filter(([, value]) => value !== null)) as O
}

/** The options that a change sets. */
export const setOptionsOf = ({ maxTurns: turns, maxBudgetUsd: budget, ...rest }: OptionChanges): SessionOptions => ({
  ...rest,
  ...(typeof turns === "number" ? { maxTurns: turns } : {}),
  ...(typeof budget === "number" ? { maxBudgetUsd: budget } : {}),
})

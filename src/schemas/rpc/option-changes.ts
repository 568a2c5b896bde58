// Changes of a session's options: values by name. Over HTTP, null removes a limit; in the log, it removes any option.
// Invariant: options themselves never contain null for what was removed; a change is logged with it.
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

/** A change in which undefined removes an option, as it is logged: with null for each option that was set. */
export const loggedChange = (options: object, change: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(change).flatMap(([name, value]) => {
      if (value !== undefined) return [[name, value]]
      return Object.hasOwn(options, name) ? [[name, null]] : []
    }),
  )

/** The options after a change. */
export const changedOptions = <O extends object>(options: O, change: object): O => {
  const merged = Object.entries(overlaid(options, change))
  // Only what is optional can be removed.
  return Object.fromEntries(merged.filter(([, value]) => value !== null)) as O
}

/** The options that a change sets. */
export const setOptionsOf = (change: OptionChanges): SessionOptions =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null))

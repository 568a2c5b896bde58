// Receives what a client sent and the rules for its fields; returns everything in it that Perch does not support.
// Invariant: a field is honoured, harmless or refused, and a field without a rule is refused: none is ignored silently.
import { issueAt } from "../../errors/field-path.ts"
import type { RefusedField } from "../../errors/rpc-error.ts"

/**
 * `honoured`: the field works as in the SDK. `harmless`: it is accepted and changes nothing, for the reason in `note`.
 * `refused`: a value that asks for something is an error. A note is the end of a sentence that begins with the field.
 */
export interface FieldRule {
  readonly status: "honoured" | "harmless" | "refused"
  readonly note: string
  /** For a refused field: true for the values that are accepted. Without it, values that ask for nothing are. */
  readonly takes?: (value: unknown) => boolean
}

/** Rules by path: `hooks.*.timeout`, where `*` is any key or index. Inside a field without rules below it, nothing is checked. */
export type FieldRules = Readonly<Record<string, FieldRule>>

export const honoured = (note = "is honoured"): FieldRule => ({ status: "honoured", note })
export const harmless = (note: string): FieldRule => ({ status: "harmless", note })
export const refused = (note: string, takes?: (value: unknown) => boolean): FieldRule => ({
  status: "refused",
  note,
  ...(takes === undefined ? {} : { takes }),
})

/** True for the values that clients send for an option that was not set: nothing, false, or an empty value. */
const asksForNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

interface Branch {
  rule?: FieldRule
  readonly below: Map<string, Branch>
}

/** Makes the function that finds what `rules` refuse in an object; `at` names the object in errors. */
export const rulesCheck = (at: string, rules: FieldRules): ((value: object) => ReadonlyArray<RefusedField>) => {
  const root: Branch = { below: new Map() }
  for (const [path, rule] of Object.entries(rules)) {
    let branch = root
    for (const step of path.split(".")) {
      const next: Branch = branch.below.get(step) ?? { below: new Map() }
      branch.below.set(step, next)
      branch = next
    }
    branch.rule = rule
  }
  return (value) => refusedIn(root, value, [at])
}

const UNKNOWN = refused(
  "is not a field that this version of Perch supports",
  (value) => value === undefined || value === null,
)

const refusedIn = ({ below }: Branch, value: object, at: ReadonlyArray<string | number>): ReadonlyArray<RefusedField> =>
  Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    const path = [...at, Array.isArray(value) ? Number(key) : key]
    const branch = below.get(key) ?? below.get("*")
    const rule = branch === undefined ? UNKNOWN : branch.rule
    if (rule?.status === "refused") {
      return (rule.takes ?? asksForNothing)(child) ? [] : [issueAt(path, rule.note)]
    }
    if (branch === undefined || branch.below.size === 0 || typeof child !== "object" || child === null) return []
    return refusedIn(branch, child, path)
  })

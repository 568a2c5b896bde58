// `options.permission`: permission rules in opencode's terms, as a list of rules, as the object of its configuration, or as
// one action for everything.
// Invariant: the order of rules is kept, that of an object's fields too: of the rules that match, the last one counts.
import * as Schema from "effect/Schema"

/** Rules that a session may have, and what they may hold together. */
const MAX_RULES = 1000
const MAX_CHARACTERS = 200_000

export const PermissionAction = Schema.Literals(["allow", "deny", "ask"])
export type PermissionAction = typeof PermissionAction.Type

const Permission = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Pattern = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(16_384))

/** What is done with calls of a permission whose path, command or name the pattern matches. */
export const RulesetRule = Schema.Struct({ permission: Permission, pattern: Pattern, action: PermissionAction })
export type RulesetRule = typeof RulesetRule.Type

const Patterns = Schema.Record(Pattern, PermissionAction).check(Schema.isMaxProperties(MAX_RULES))

const Form = Schema.Union([
  PermissionAction,
  Schema.Array(RulesetRule).check(Schema.isMaxLength(MAX_RULES)),
  Schema.Record(Permission, Schema.Union([PermissionAction, Patterns])).check(Schema.isMaxProperties(MAX_RULES)),
])

/** The rules of any of the forms, in their order. */
export const rulesOf = (given: typeof Form.Type): ReadonlyArray<RulesetRule> => {
  if (typeof given === "string") return [{ permission: "*", pattern: "*", action: given }]
  if (isList(given)) return given
  return Object.entries(given).flatMap(([permission, value]) =>
    typeof value === "string"
      ? [{ permission, pattern: "*", action: value }]
      : Object.entries(value).map(([pattern, action]) => ({ permission, pattern, action })),
  )
}

const isList = (given: typeof Form.Type): given is ReadonlyArray<RulesetRule> => Array.isArray(given)

export const PermissionRuleset = Form.check(
  Schema.makeFilter((given: typeof Form.Type) => {
    const rules = rulesOf(given)
    const characters = rules.reduce((sum, { permission, pattern }) => sum + permission.length + pattern.length, 0)
    if (rules.length > MAX_RULES) return `Expected at most ${MAX_RULES} rules`
    return characters <= MAX_CHARACTERS || `Expected rules of at most ${MAX_CHARACTERS} characters together`
  }),
)
export type PermissionRuleset = typeof PermissionRuleset.Type

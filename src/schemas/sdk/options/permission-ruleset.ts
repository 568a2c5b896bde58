// `options.permission`: permission rules in opencode's terms, as a list of rules, as the object of its configuration, or as
// one action for everything.
// Invariant: the order of rules, and of an object's fields, is kept, because the last matching rule counts.
import * as Schema from "effect/Schema"

/** The most rules of a session, and the most characters of all of them. */
const MAX_RULES = 1000
const MAX_CHARACTERS = 200_000

export const PermissionAction = Schema.Literals(["allow", "deny", "ask"])
export type PermissionAction = typeof PermissionAction.Type

const Permission = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Pattern = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(16_384))

/** The action for calls of a permission whose path, command or name matches the pattern. */
export const RulesetRule = Schema.Struct({ permission: Permission, pattern: Pattern, action: PermissionAction })
export type RulesetRule = typeof RulesetRule.Type

const Patterns = Schema.Record(Pattern, PermissionAction).check(Schema.isMaxProperties(MAX_RULES))

const Form = Schema.Union([
  PermissionAction,
  Schema.Array(RulesetRule).check(Schema.isMaxLength(MAX_RULES)),
  Schema.Record(Permission, Schema.Union([PermissionAction, Patterns])).check(Schema.isMaxProperties(MAX_RULES)),
])

/** The rules of any of the three forms, in order. */
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

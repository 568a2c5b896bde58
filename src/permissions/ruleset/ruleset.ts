// Receives permission rules in opencode's terms; returns what they decide about a subject: the last rule that matches, as one
// action.
// Invariant: a rule that denies or asks matches in doubt, one that allows only by the name that a subject really has.
import { permissionOf } from "../../schemas/sdk/tools/permission-names.ts"
import { type PermissionRuleset, type RulesetRule, rulesOf } from "../../schemas/sdk/options/permission-ruleset.ts"
import { shortened } from "../../schemas/shortened.ts"
import { isEverything, type Matches, wildcard } from "./wildcard.ts"

/** What a rule is about: one command, one place of a file, an address, a name. */
export interface Subject {
  readonly permission: string
  readonly text: string
  /** A path of the working directory, as seen from there. */
  readonly inside?: string
  /** Other spellings of the same: rules that deny or ask see them. */
  readonly loose: ReadonlyArray<string>
}

/**
 * What a ruleset decides. `ask` is an authored rule and holds in every mode; `default` is its catch-all, or a file that is
 * asked about by default: it holds where nothing allows the call. `none`: nothing matches.
 */
export type RuleOutcome = "deny" | "ask" | "default" | "none" | "allow"

export interface Ruling {
  readonly outcome: RuleOutcome
  /** The rule that counts, if there is one. */
  readonly rule?: CompiledRule
}

export interface CompiledRule extends RulesetRule {
  /** Not written by anyone: it holds for every ruleset. */
  readonly builtIn: boolean
  /** It is about everything: `*` for `*`. */
  readonly catchAll: boolean
  /** Its pattern is about all that its permission is about. */
  readonly everything: boolean
  readonly names: Matches
  readonly matches: (subject: Subject) => boolean
  /** The same in doubt. */
  readonly touches: (subject: Subject) => boolean
}

/** Permissions whose patterns are paths: one that begins with `./`, `~/` or `$HOME/` is about the working directory. */
const OF_PATHS: ReadonlySet<string> = new Set(["edit", "read", "glob", "grep", "list", "external_directory"])
const HOME = /^(?:\.|~|\$HOME)\/(?=.)/

const namesOf = (permission: string): Matches => {
  const isMcp = permission.startsWith("mcp__")
  if (permission.includes("*") || permission.includes("?")) {
    const matches = wildcard(isMcp ? permission : permission.toLowerCase())
    return (name) => matches(isMcp ? name : name.toLowerCase())
  }
  const canonical = permissionOf(permission)
  return (name) => name === canonical
}

const compile = (rule: RulesetRule, builtIn = false): CompiledRule => {
  const { permission, pattern } = rule
  const isHome = OF_PATHS.has(permissionOf(permission)) && HOME.test(pattern)
  const isRoot = OF_PATHS.has(permissionOf(permission)) && /^(?:~|\$HOME)\/?$/.test(pattern)
  const written = isRoot ? "." : isHome ? pattern.replace(HOME, "") : pattern
  const test = wildcard(written)
  // Commands that run have no quotes any more, but a rule may be written with them.
  const forms = [written.normalize("NFC"), written.replace(/["']/g, "")].filter(
    (form) => form !== "" && form !== written,
  )
  const loosely = forms.map(wildcard).reduce(orElse, test)
  const fromHome = isHome || isRoot
  const matches = ({ text, inside }: Subject) =>
    (!fromHome && test(text)) || (inside !== undefined && (fromHome || inside !== text) && test(inside))
  return {
    ...rule,
    builtIn,
    catchAll: isEverything(permission) && isEverything(pattern),
    everything: isEverything(pattern),
    names: namesOf(permission),
    matches,
    touches: (subject) =>
      matches(subject) || spellings(subject).some((text) => (!fromHome || text !== subject.text) && loosely(text)),
  }
}

const spellings = ({ text, inside, loose }: Subject): ReadonlyArray<string> =>
  inside === undefined ? [text, ...loose] : [text, inside, ...loose]

const orElse =
  (one: Matches, other: Matches): Matches =>
  (text) =>
    one(text) || other(text)

/** Under every ruleset: files with secrets are asked about. */
const DEFAULTS: ReadonlyArray<CompiledRule> = [
  { permission: "read", pattern: "*.env", action: "ask" } as const,
  { permission: "read", pattern: "*.env.*", action: "ask" } as const,
  { permission: "read", pattern: "*.env.example", action: "allow" } as const,
].map((rule) => compile(rule, true))

const NONE: Ruling = { outcome: "none" }
const MAX_SHOWN = 200

export class Ruleset {
  /** The last rule first. */
  readonly #rules: ReadonlyArray<CompiledRule>
  readonly #byPermission = new Map<string, ReadonlyArray<CompiledRule>>()

  constructor(rules: ReadonlyArray<CompiledRule>) {
    this.#rules = rules.toReversed()
  }

  static authored(rules: ReadonlyArray<RulesetRule>): Ruleset {
    return new Ruleset([...DEFAULTS, ...rules.map((rule) => compile(rule))])
  }

  and(other: Ruleset): Ruleset {
    return new Ruleset([...this.#rules, ...other.#rules].toReversed())
  }

  /** Rules about a permission, the one that counts first. */
  about(permission: string): ReadonlyArray<CompiledRule> {
    const known = this.#byPermission.get(permission)
    if (known !== undefined) return known
    const rules = this.#rules.filter(({ names }) => names(permission))
    this.#byPermission.set(permission, rules)
    return rules
  }

  judge(subject: Subject): Ruling {
    const rule = this.about(subject.permission).find((one) =>
      one.action === "allow" ? one.matches(subject) : one.touches(subject),
    )
    // A default that allows leaves the call to the place of its file.
    if (rule === undefined || (rule.builtIn && rule.action === "allow")) return NONE
    if (rule.action !== "ask") return { outcome: rule.action, rule }
    return { outcome: rule.catchAll || rule.builtIn ? "default" : "ask", rule }
  }

  /** The rule that settles a permission whatever its subject is; undefined where subjects differ. */
  settles(permission: string): CompiledRule | undefined {
    const [first] = this.about(permission)
    return first?.everything === true ? first : undefined
  }

  /** True where some authored rule, and not for everything, denies or asks about the permission. */
  restricts(permission: string): boolean {
    return this.about(permission).some(({ action, builtIn, catchAll }) => action !== "allow" && !builtIn && !catchAll)
  }
}

const compiled = new WeakMap<object, Ruleset>()

/** A ruleset is compiled once, however often a policy is made of it. */
export const rulesetOf = (given: PermissionRuleset): Ruleset => {
  if (typeof given === "string") return Ruleset.authored(rulesOf(given))
  const known = compiled.get(given) ?? Ruleset.authored(rulesOf(given))
  compiled.set(given, known)
  return known
}

/** A rule as people read it: `bash(git *)`. */
export const formatRulesetRule = ({ permission, pattern, everything }: CompiledRule): string =>
  shortened(everything ? permission : `${permission}(${pattern})`, MAX_SHOWN)

/** Saved approvals: no defaults below them. */
export const approvalsOf = (saved: ReadonlyArray<Pick<RulesetRule, "permission" | "pattern">>): Ruleset =>
  new Ruleset(saved.map(({ permission, pattern }) => compile({ permission, pattern, action: "allow" })))

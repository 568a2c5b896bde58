// Receives permission rules in opencode's terms; returns what they decide about a subject: the last rule that matches, as one
// action.
// Invariant: a rule that denies or asks matches in doubt; a rule that allows matches only a subject's real name.
import { permissionOf } from "../../schemas/sdk/tools/permission-names.ts"
import { type PermissionRuleset, type RulesetRule, rulesOf } from "../../schemas/sdk/options/permission-ruleset.ts"
import { shortened } from "../../schemas/shortened.ts"
import { isEverything, type Matches, wildcard } from "./wildcard.ts"

/** What a rule is matched against: one command, one path of a file, a URL, or a name. */
export interface Subject {
  readonly permission: string
  readonly text: string
  /** Another name that allow rules match, too: a path relative to the working directory, when it is inside, or a URL as it is requested. */
  readonly also?: string
  /** Other spellings of the subject: only rules that deny or ask are matched against them. */
  readonly loose: ReadonlyArray<string>
}

/**
 * What a ruleset decides. `ask` comes from an authored rule and applies in every mode. `default` also asks, because of a
 * catch-all or a built-in rule about the file, but only if nothing allows the call. `none`: no rule matches.
 */
export type RuleOutcome = "deny" | "ask" | "default" | "none" | "allow"

export interface Ruling {
  readonly outcome: RuleOutcome
  /** The rule that counts, if there is one. */
  readonly rule?: CompiledRule
}

export interface CompiledRule extends RulesetRule {
  /** True for a rule that Perch adds to every ruleset. */
  readonly builtIn: boolean
  /** True when both its permission and its pattern match everything (`*`). */
  readonly catchAll: boolean
  /** True when its pattern matches everything. */
  readonly everything: boolean
  readonly names: Matches
  readonly matches: (subject: Subject) => boolean
  /** As `matches`, but in doubt true: other spellings count too. */
  readonly touches: (subject: Subject) => boolean
}

/** Permissions whose patterns are paths: a pattern with `./`, `~/` or `$HOME/` is relative to the working directory. */
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
  // The expanded words of a command have no quotes, but a rule may be written with them.
  const forms = [written.normalize("NFC"), written.replace(/["']/g, "").trim()].filter(
    (form) => form !== "" && form !== written,
  )
  const loosely = forms.map(wildcard).reduce(orElse, test)
  const fromHome = isHome || isRoot
  const matches = ({ text, also }: Subject) =>
    (!fromHome && test(text)) || (also !== undefined && (fromHome || also !== text) && test(also))
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

const spellings = ({ text, also, loose }: Subject): ReadonlyArray<string> =>
  also === undefined ? [text, ...loose] : [text, also, ...loose]

const orElse =
  (one: Matches, other: Matches): Matches =>
  (text) =>
    one(text) || other(text)

/** Part of every ruleset: files that may contain secrets are asked about. */
const DEFAULTS: ReadonlyArray<CompiledRule> = [
  { permission: "read", pattern: "*.env", action: "ask" } as const,
  { permission: "read", pattern: "*.env.*", action: "ask" } as const,
  { permission: "read", pattern: "*.env.example", action: "allow" } as const,
].map((rule) => compile(rule, true))

const NONE: Ruling = { outcome: "none" }
const MAX_SHOWN = 200

export class Ruleset {
  /** In reverse order: the last rule, which counts, comes first. */
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

  /** The rules about a permission by precedence: the last written rule comes first. */
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
    // A built-in rule that allows only exempts the file from the built-in question: its directory decides.
    if (rule === undefined || (rule.builtIn && rule.action === "allow")) return NONE
    if (rule.action !== "ask") return { outcome: rule.action, rule }
    return { outcome: rule.catchAll || rule.builtIn ? "default" : "ask", rule }
  }

  /** The rule that decides a permission for every subject; undefined when it depends on the subject. */
  settles(permission: string): CompiledRule | undefined {
    const [first] = this.about(permission)
    return first?.everything === true ? first : undefined
  }

  /** True when an authored rule other than a catch-all denies or asks about the permission. */
  restricts(permission: string): boolean {
    return this.about(permission).some(({ action, builtIn, catchAll }) => action !== "allow" && !builtIn && !catchAll)
  }
}

const compiled = new WeakMap<object, Ruleset>()

/** Compiles a ruleset once, however many policies are built from it. */
export const rulesetOf = (given: PermissionRuleset): Ruleset => {
  if (typeof given === "string") return Ruleset.authored(rulesOf(given))
  const known = compiled.get(given) ?? Ruleset.authored(rulesOf(given))
  compiled.set(given, known)
  return known
}

/** A rule as people read it: `bash(git *)`. */
export const formatRulesetRule = ({ permission, pattern, everything }: CompiledRule): string =>
  shortened(everything ? permission : `${permission}(${pattern})`, MAX_SHOWN)

/** Saved approvals as a ruleset, without the built-in rules. */
export const approvalsOf = (saved: ReadonlyArray<Pick<RulesetRule, "permission" | "pattern">>): Ruleset =>
  new Ruleset(saved.map(({ permission, pattern }) => compile({ permission, pattern, action: "allow" })))

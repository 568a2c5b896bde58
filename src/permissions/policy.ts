// A session's permission policy: its mode, its allow, deny and ask rules, its directories. Updates return a new policy.
// Invariant: a list of rules is parsed once, however many policies are built from it.
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import type {
  McpMode,
  PermissionBehavior,
  PermissionMode,
  PermissionRuleValue,
  PermissionUpdate,
} from "../schemas/sdk/options/permissions.ts"
import { normalPath } from "./path-pattern.ts"
import type { Layer } from "./ruleset/layer.ts"
import { rulesetOf } from "./ruleset/ruleset.ts"
import { compileRule, formatRule, isEmptyRule, meantRule, type Rule, type RuleSource } from "./rules.ts"

export interface Policy extends Layer {
  readonly mode: PermissionMode
  /** The mode that plan mode was entered from. */
  readonly modeBeforePlan?: PermissionMode | undefined
  readonly rules: Readonly<Record<PermissionBehavior, ReadonlyArray<Rule>>>
  /** Absolute paths of the session's directories, except its working directory. */
  readonly directories: ReadonlyArray<string>
  /** What to do with a question: wait for an answer, or deny at once. */
  readonly prompts: "ask" | "deny"
  /** True in an agent that never asks, although its mode is the session's: its questions are denied with a reason of their own. */
  readonly unattended?: true
  /** MCP servers whose calls are judged as in the mode `default` even if the session's mode is `bypassPermissions`. */
  readonly judged?: ReadonlySet<string>
  /** False when the settings forbid `bypassPermissions`. */
  readonly bypass: boolean
}

/** Rules of settings files, in addition to those of the options. */
interface SourcedRules {
  readonly source: RuleSource
  readonly allow: ReadonlyArray<string>
  readonly deny: ReadonlyArray<string>
  readonly ask: ReadonlyArray<string>
}

/** A session's options, with the rules of its project's settings files. */
export interface RuledOptions extends SessionOptions {
  readonly project_rules?: ReadonlyArray<SourcedRules>
}

type Rules = ReadonlyArray<string> | ReadonlyArray<PermissionRuleValue>

interface Parsed {
  readonly source: RuleSource
  readonly allows: boolean
  readonly rules: ReadonlyArray<Rule>
}

const parsed = new WeakMap<Rules, Parsed>()

const NO_RULES: ReadonlyArray<Rule> = []

/** Rules that deny or ask also apply as they are probably meant. */
const rulesOf = (list: Rules | undefined, source: RuleSource, allows = false): ReadonlyArray<Rule> => {
  if (list === undefined || list.length === 0) return NO_RULES
  const known = parsed.get(list)
  if (known?.source === source && known.allows === allows) return known.rules
  const rules = list.flatMap((rule) => {
    // Rules of updates arrive already split, and mean what the same rule means as a text.
    const text = typeof rule === "string" ? rule : formatRule(rule)
    const written = compileRule(text, source)
    if (allows) return [written]
    const meant = compileRule(meantRule(text), source)
    return formatRule(meant) === formatRule(written) ? [written] : [written, meant]
  })
  parsed.set(list, { source, allows, rules })
  return rules
}

/** `auto` runs as `default`: in Perch no model decides about permissions. */
const runningMode = (mode: PermissionMode | undefined, bypass: boolean): PermissionMode =>
  mode === undefined || mode === "auto" || (mode === "bypassPermissions" && !bypass) ? "default" : mode

/** A directory in the form in which it is compared with paths. */
export const directory = (path: string): string =>
  path.startsWith("/") ? normalPath(path) : path.replace(/(?<=.)\/+$/, "")

/**
 * As the official SDK: `Bash(:*)` allows nothing, and `Bash()` only in `allowedTools` the whole tool. In a deny or ask rule, both
 * mean the whole tool.
 */
const allowRulesOf = (allow: ReadonlyArray<string> = [], source: RuleSource): ReadonlyArray<Rule> => {
  const allowsNothing = (rule: string) => isEmptyRule(rule) && (source !== "cliArg" || !rule.endsWith("()"))
  return rulesOf(allow.some(allowsNothing) ? allow.filter((rule) => !allowsNothing(rule)) : allow, source, true)
}

/** The policy for these options; `updates` are those of earlier answers in the session, in order. */
export const policyOf = (options: RuledOptions, updates: ReadonlyArray<PermissionUpdate>): Policy => {
  const settings = options.settings?.permissions ?? {}
  const { project_rules: files = [] } = options
  const ofFiles = (behavior: PermissionBehavior) => files.flatMap((file) => rulesOf(file[behavior], file.source))
  const bypass = settings.disableBypassPermissionsMode !== "disable"
  return updates.reduce<Policy>(applyUpdate, {
    mode: runningMode(options.permissionMode ?? settings.defaultMode, bypass),
    rules: {
      allow: [
        ...allowRulesOf(options.allowedTools, "cliArg"),
        ...allowRulesOf(settings.allow, "flagSettings"),
        ...files.flatMap((file) => allowRulesOf(file.allow, file.source)),
      ],
      deny: [
        ...rulesOf(options.disallowedTools, "cliArg"),
        ...rulesOf(settings.deny, "flagSettings"),
        ...ofFiles("deny"),
      ],
      ask: [...rulesOf(settings.ask, "flagSettings"), ...ofFiles("ask")],
    },
    directories: [...(options.additionalDirectories ?? []), ...(settings.additionalDirectories ?? [])].map(directory),
    prompts: options.permission_prompts ?? "ask",
    bypass,
    ...(options.permission === undefined ? {} : { ruleset: rulesetOf(options.permission) }),
  })
}

/** The policy with the MCP servers that `bypassPermissions` does not cover: the keys of `modes`. */
export const judging = (policy: Policy, modes: Readonly<Record<string, McpMode>> = {}): Policy => {
  const names = Object.keys(modes)
  return names.length === 0 ? policy : { ...policy, judged: new Set(names) }
}

type RulesUpdate = Extract<PermissionUpdate, { readonly rules: unknown }>

/**
 * True for an update with an allow rule whose content is empty or only `*`. As the official SDK: none of its rules apply. A
 * rule without content is the one that allows a whole tool.
 */
const isIncomplete = ({ behavior, rules }: RulesUpdate): boolean =>
  behavior === "allow" && rules.some(({ ruleContent }) => ruleContent === "" || ruleContent === "*")

/** The rules of an update. As the official SDK: an allow rule with the content `:*` allows nothing. */
const addedRules = ({ behavior, rules, destination }: RulesUpdate): ReadonlyArray<Rule> => {
  const added = rulesOf(rules, destination, behavior === "allow")
  if (behavior !== "allow") return added
  return added.filter((_, index) => rules[index]?.ruleContent !== ":*")
}

/** As the official SDK: what an answer adds for `session` and `cliArg` ends when the session is resumed or forked. */
export const isLasting = ({ destination }: PermissionUpdate): boolean =>
  destination !== "session" && destination !== "cliArg"

/** Applies one `PermissionUpdate`. Every destination changes only the session: no settings file is written. */
export const applyUpdate = (policy: Policy, update: PermissionUpdate): Policy => {
  switch (update.type) {
    case "setMode":
      return { ...policy, mode: runningMode(update.mode, policy.bypass) }
    case "addRules":
      if (isIncomplete(update)) return policy
      return withRules(policy, update, (rules) => [...rules, ...addedRules(update)])
    case "replaceRules":
      if (isIncomplete(update)) return policy
      return withRules(policy, update, (rules) => [
        ...rules.filter((rule) => rule.source !== update.destination),
        ...addedRules(update),
      ])
    case "removeRules": {
      const gone = new Set(rulesOf(update.rules, update.destination, update.behavior === "allow").map(formatRule))
      return withRules(policy, update, (rules) =>
        rules.filter((rule) => rule.source !== update.destination || !gone.has(formatRule(rule))),
      )
    }
    case "addDirectories":
      return { ...policy, directories: [...policy.directories, ...update.directories.map(directory)] }
    case "removeDirectories": {
      const gone = new Set(update.directories.map(directory))
      return { ...policy, directories: policy.directories.filter((path) => !gone.has(path)) }
    }
  }
}

/**
 * The policy without the deny rules that these updates add. As the official SDK: when an answer allows a call and adds
 * such a rule, the rule applies only to the calls that follow.
 */
export const withoutDenials = (policy: Policy, updates: ReadonlyArray<PermissionUpdate>): Policy => {
  const added = updates.flatMap((update) =>
    (update.type === "addRules" || update.type === "replaceRules") && update.behavior === "deny"
      ? rulesOf(update.rules, update.destination)
      : [],
  )
  const isAdded = (rule: Rule) =>
    added.some((one) => one.source === rule.source && formatRule(one) === formatRule(rule))
  return added.length === 0
    ? policy
    : withRules(policy, { behavior: "deny" }, (rules) => rules.filter((rule) => !isAdded(rule)))
}

/** The policy with additional allow rules. The same list is parsed once. */
export const withAllowed = (policy: Policy, rules: ReadonlyArray<string> = []): Policy =>
  rules.length === 0
    ? policy
    : withRules(policy, { behavior: "allow" }, (known) => [...known, ...allowRulesOf(rules, "session")])

/** The policy with additional deny rules. */
export const withDenied = (policy: Policy, rules: ReadonlyArray<string> = []): Policy =>
  rules.length === 0
    ? policy
    : withRules(policy, { behavior: "deny" }, (known) => [...known, ...rulesOf(rules, "session")])

const withRules = (
  policy: Policy,
  { behavior }: { readonly behavior: PermissionBehavior },
  change: (rules: ReadonlyArray<Rule>) => ReadonlyArray<Rule>,
): Policy => ({
  ...policy,
  rules: { ...policy.rules, [behavior]: change(policy.rules[behavior]) },
})

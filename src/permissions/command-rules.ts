// Receives one command of a script just before it runs, with its words expanded; returns the message of the rule that
// forbids it, or null.
// Invariant: a deny rule applies to every command, however the script reached it; an ask rule applies unless the script was
// asked about and allowed.
import type { Policy } from "./policy.ts"
import { formatRule, pathRule, type Rule } from "./rules.ts"
import { restrictsCommands } from "./ruleset/layer.ts"
import { formatRulesetRule, type Ruleset } from "./ruleset/ruleset.ts"

export interface RunningCommand {
  /** The tool whose rules apply. */
  readonly toolName: string
  readonly words: ReadonlyArray<string>
  /** True when a client or a hook was asked about the command's script and allowed it. */
  readonly approved: boolean
}

/** True for a rule whose content matches commands, not paths. */
export const isCommandRule = (rule: Rule, toolName: string): boolean =>
  rule.ruleContent !== undefined && pathRule(rule) === null && rule.names(toolName, undefined)

/** The texts that rules are matched against: the words joined by spaces, and the same with the program's bare name. */
const textsOf = ([name = "", ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const bare = name.slice(name.lastIndexOf("/") + 1)
  return (bare === name ? [name] : [name, bare]).map((first) => [first, ...args].join(" "))
}

/** The message for the script when a command may not run; null when it may. */
export const refusedCommand = (command: RunningCommand, policy: Policy): string | null => {
  const refused = refusedByRules(command, policy)
  if (refused !== null || policy.ruleset === undefined || !restrictsCommands(policy)) return refused
  return refusedByRuleset(command, policy.ruleset)
}

const refusedByRules = ({ toolName, words, approved }: RunningCommand, { rules }: Policy): string | null => {
  if (rules.deny.length === 0 && (approved || rules.ask.length === 0)) return null
  const texts = textsOf(words)
  const covers = (rule: Rule) => isCommandRule(rule, toolName) && texts.some(rule.command)
  const denied = rules.deny.find((rule) =>
    rule.ruleContent === undefined ? rule.names(toolName, undefined) : covers(rule),
  )
  if (denied !== undefined) return `not run: the permission rule ${formatRule(denied)} denies this command`
  if (approved) return null
  const asked = rules.ask.find(covers)
  return asked === undefined ? null : askedText(formatRule(asked))
}

const askedText = (rule: string): string =>
  `not run: the permission rule ${rule} asks before this command runs. ` +
  "Run it as a separate command, so that it can be asked about"

const refusedByRuleset = ({ words, approved }: RunningCommand, ruleset: Ruleset): string | null => {
  const [text = "", ...loose] = textsOf(words)
  const { outcome, rule } = ruleset.judge({ permission: "bash", text, loose })
  if (rule === undefined) return null
  if (outcome === "deny") return `not run: the permission rule ${formatRulesetRule(rule)} denies this command`
  return outcome === "ask" && !approved ? askedText(formatRulesetRule(rule)) : null
}

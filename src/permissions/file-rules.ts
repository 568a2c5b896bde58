// Receives a file that a call is about to read or change, under every name that it has; returns why a rule forbids it.
// Invariant: a deny rule applies even to an approved call, an ask rule unless the call was approved. Without approval, guarded
// paths are not changed, and the call uses no file beyond its bounds.
import { isGuarded } from "./places.ts"
import type { Policy } from "./policy.ts"
import { fileReach } from "./reach.ts"
import { formatRulesetRule, type Ruleset } from "./ruleset/ruleset.ts"
import { isOpen } from "./ruleset/layer.ts"
import { placeOf } from "./ruleset/subjects.ts"
import { formatRule, mayTouchAny, pathRule, type RuleSubject } from "./rules.ts"

/**
 * The files that an unapproved call may use. `unasked`: it is allowed only because of the files that it names, and may use
 * those that need no question. `inside`: it is a script in which rules for commands allow programs that read or edit files and
 * do nothing else; it may also use the files in the session's directories. `null`: all files, as any other program of such a
 * script, while it runs.
 */
export type Bounds = "unasked" | "inside" | null

export interface UsedFile extends Pick<RuleSubject, "cwd" | "matchesGlob" | "realPath"> {
  readonly use: "read" | "change"
  readonly names: ReadonlyArray<string>
  /** True when the call was asked about and allowed. */
  readonly approved: boolean
  readonly bounds: Bounds
  /** The session's plan file, which is written unasked. */
  readonly planFile: string
}

/** Why a file may not be used; null when it may. */
export const refusedFile = (file: UsedFile, policy: Policy): string | null => {
  const { use, names, approved, bounds, planFile } = file
  const kind = use === "read" ? "Read" : "Edit"
  const doing = use === "read" ? "reading" : "changing"
  const [shown = "/"] = names
  const denied = policy.rules.deny.find((rule) => pathRule(rule) === kind && mayTouchAny(rule, file, names))
  if (denied !== undefined) return `the permission rule ${formatRule(denied)} denies ${doing} ${shown}`
  const ruling = policy.ruleset === undefined ? undefined : rulingOf(policy.ruleset, file)
  if (ruling?.deny !== undefined) return `the permission rule ${ruling.deny} denies ${doing} ${shown}`
  if (approved) return null
  const asked = policy.rules.ask.find((rule) => pathRule(rule) === kind && mayTouchAny(rule, file, names))
  if (asked !== undefined)
    return `the permission rule ${formatRule(asked)} asks before ${doing} ${shown}, and this call was not approved`
  if (ruling?.ask !== undefined)
    return `the permission rule ${ruling.ask} asks before ${doing} ${shown}, and this call was not approved`
  if (names.every((name) => name === planFile)) return null
  if (use === "change" && asksAboutGuarded(policy)) {
    const guarded = names.find(isGuarded)
    if (guarded !== undefined) return `${guarded} is a guarded path, and changing it was not approved`
  }
  if (bounds === null) return null
  const { mayRead, mayWrite } = fileReach(policy, file)
  const may = use === "read" ? mayRead : mayWrite
  const closed = names.find((name) => !(bounds === "inside" && isOpen(name, file.cwd, policy)) && !may(name))
  return closed === undefined ? null : `${closed} needs a permission that was not given`
}

const asksAboutGuarded = ({ mode }: Policy): boolean => mode !== "bypassPermissions"

/** True when no file can be refused, so that the check of each file can be skipped. */
export const refusesNothing = (
  { use, approved, bounds }: Pick<UsedFile, "use" | "approved" | "bounds">,
  policy: Policy,
): boolean => {
  const { rules, ruleset } = policy
  const concerns = (list: Policy["rules"]["deny"]) => list.some((rule) => pathRule(rule) !== null)
  if (ruleset?.restricts("read") === true || ruleset?.restricts("edit") === true) return false
  if (use === "change" && !approved && asksAboutGuarded(policy)) return false
  return !concerns(rules.deny) && (approved || (bounds === null && !concerns(rules.ask)))
}

/** The rules that deny a file, and ask about it, under any of its names. */
const rulingOf = (
  ruleset: Ruleset,
  { use, names, cwd }: UsedFile,
): { readonly deny?: string; readonly ask?: string } => {
  const permission = use === "read" ? "read" : "edit"
  const all = names.map((name) => ruleset.judge(placeOf(permission, name, cwd)))
  const rule = (outcome: "deny" | "ask") => {
    const found = all.find((ruling) => ruling.outcome === outcome && ruling.rule?.catchAll === false)?.rule
    return found === undefined ? {} : { [outcome]: formatRulesetRule(found) }
  }
  return { ...rule("deny"), ...rule("ask") }
}

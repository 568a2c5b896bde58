// A session's ruleset and its saved approvals, applied in addition to the SDK's rules. Receives a call, or one of its commands
// or files; returns what this layer decides about it.
// Invariant: when a call has several subjects, the strictest outcome counts; a saved approval replaces a question that is
// asked by default, never a question or denial of an authored rule.
import type { PermissionFor } from "../../schemas/log/ask-events.ts"
import type { JudgedCall } from "../decide.ts"
import { isInside } from "../places.ts"
import type { Policy } from "../policy.ts"
import { analysisOf, type ShellStep } from "../shell-analysis.ts"
import type { CompiledRule, Ruleset, Ruling, RuleOutcome, Subject } from "./ruleset.ts"
import { commandOf, filesOf, outsideOf, placeOf, subjectsOf } from "./subjects.ts"

/** The layer's part of a policy. */
export interface Layer {
  readonly ruleset?: Ruleset
  readonly approvals?: Ruleset
}

const STRICTEST: ReadonlyArray<RuleOutcome> = ["deny", "ask", "default", "none", "allow"]
/** StructuredOutput only returns the turn's final value, so no permission rule applies to it. */
const ANSWER = "StructuredOutput"
const NONE: Ruling = { outcome: "none" }

export const isStricter = ({ outcome }: Ruling = NONE, than: Ruling = NONE): boolean =>
  STRICTEST.indexOf(outcome) < STRICTEST.indexOf(than.outcome)

const strictest = (all: ReadonlyArray<Ruling>): Ruling =>
  all.reduce<Ruling>((one, other) => (isStricter(other, one) ? other : one), {
    outcome: "allow",
  })

const rulingOf = (subject: Subject, { ruleset }: Layer): Ruling => ruleset?.judge(subject) ?? NONE

/** True when a saved approval covers the subject. For a built-in question about a file it must have no wildcard. */
const lifted = (subject: Subject, { rule }: Ruling, { approvals }: Layer): boolean => {
  const approval = approvals?.judge(subject).rule
  if (approval === undefined) return false
  return rule?.builtIn !== true || rule.action === "allow" || !/[*?]/.test(approval.pattern)
}

/** What the layer decides about a subject after saved approvals are applied. */
const settledOf = (subject: Subject, layer: Layer): RuleOutcome => {
  const ruling = rulingOf(subject, layer)
  if (ruling.outcome !== "default" && ruling.outcome !== "none") return ruling.outcome
  return lifted(subject, ruling, layer) ? "allow" : ruling.outcome
}

/** What the ruleset alone decides about a call: its denials and questions take precedence over everything that allows. */
export const ruledBy = (call: JudgedCall, policy: Policy): Ruling => {
  if (policy.ruleset === undefined || call.toolName === ANSWER) return NONE
  const outside = outsideOf(call, policy).map((subject) => rulingOf(subject, policy))
  if (call.command === undefined)
    return strictest([...subjectsOf(call).map((subject) => rulingOf(subject, policy)), ...outside])
  const script = call.command.trim()
  const commands = stepsOf(call).map((step) => rulingOf(commandOf(step, script), policy))
  const files = filesOf({ ...analysisOf(call), cwd: call.cwd }).map((subject) => rulingOf(subject, policy))
  return strictest([...commands, ...outside, ...files.filter(holds)])
}

/** The commands of a script; a script without any counts as one command. */
const stepsOf = (call: JudgedCall): ReadonlyArray<Pick<ShellStep, "text" | "hidden">> => {
  const { steps } = analysisOf(call)
  return steps.length > 0 ? steps : [{ text: call.command?.trim() ?? "", hidden: [] }]
}

/**
 * True for a ruling on a script's file that applies before the script runs: a denial or a question, by a rule for such files
 * or because they may contain secrets. Any word may name a file, so rules about reading all files are checked on opening.
 */
const holds = ({ outcome, rule }: Ruling): boolean => {
  if (rule === undefined || outcome === "allow" || rule.catchAll) return false
  return rule.builtIn || rule.permission !== "read" || !rule.everything
}

/** What allows the call as a whole, or null. A script is allowed as a whole only by a rule that allows every command. */
export const allowedBy = (call: JudgedCall, policy: Policy): CompiledRule | "approvals" | null => {
  if (policy.ruleset === undefined && policy.approvals === undefined) return null
  const outside = outsideOf(call, policy)
  if (outside.some((subject) => settledOf(subject, policy) !== "allow")) return null
  if (call.command !== undefined) {
    const rule = policy.ruleset?.settles("bash")
    if (rule?.action !== "allow" || (rule.catchAll && policy.mode === "plan")) return null
    const files = filesOf({ ...analysisOf(call), cwd: call.cwd }).filter((subject) => holds(rulingOf(subject, policy)))
    return files.every((subject) => settledOf(subject, policy) === "allow") ? rule : null
  }
  const subjects = subjectsOf(call)
  if (subjects.some((subject) => settledOf(subject, policy) !== "allow")) return null
  const [first] = subjects
  const ruling = first === undefined ? NONE : rulingOf(first, policy)
  return ruling.outcome === "allow" && ruling.rule !== undefined ? ruling.rule : "approvals"
}

/** True when one command of a script, with the files that it names, is allowed. In plan mode a catch-all rule is not enough. */
export const commandAllowed = (step: ShellStep, call: JudgedCall, policy: Policy): boolean => {
  if (policy.ruleset === undefined && policy.approvals === undefined) return false
  const command = commandOf(step, call.command?.trim() ?? "")
  const { outcome, rule } = rulingOf(command, policy)
  if (outcome === "allow" && rule?.catchAll === true && policy.mode === "plan") return false
  if (settledOf(command, policy) !== "allow" || !step.paths.every((path) => isOpen(path, call.cwd, policy)))
    return false
  const files = filesOf({ steps: [step], cwd: call.cwd }).filter((subject) => holds(rulingOf(subject, policy)))
  return files.every((subject) => settledOf(subject, policy) === "allow")
}

/** True when a rule without wildcards allows exactly this script. */
export const scriptAllowed = (script: string, { ruleset }: Layer): boolean => {
  const ruling = ruleset?.judge({ permission: "bash", text: script, loose: [] })
  return ruling?.outcome === "allow" && ruling.rule?.pattern === script && !/[*?]/.test(script)
}

/** True when the ruleset asks about a command by default, so that it is asked about even if it only reads. */
export const commandAsked = (step: ShellStep, { command = "" }: JudgedCall, policy: Policy): boolean =>
  policy.ruleset !== undefined && settledOf(commandOf(step, command.trim()), policy) === "default"

/**
 * What the layer decides about one file that a call uses. `none` leaves the decision to the file's directory and the mode. A
 * catch-all rule that asks or denies was applied to the call itself.
 */
export const fileOutcome = (permission: "read" | "edit", path: string, cwd: string, policy: Policy): RuleOutcome => {
  const subject = placeOf(permission, path, cwd)
  const outcome = settledOf(subject, policy)
  return outcome !== "allow" && rulingOf(subject, policy).rule?.catchAll === true ? "none" : outcome
}

/** True for a path in the session's directories, or in another one that the layer allows. */
export const isOpen = (path: string, cwd: string, policy: Policy): boolean =>
  isInside(path, cwd, policy) ||
  ((policy.ruleset !== undefined || policy.approvals !== undefined) &&
    settledOf(placeOf("external_directory", path, cwd), policy) === "allow")

/** True when rules restrict commands: a script whose commands can't be known may contain one that they forbid. */
export const restrictsCommands = ({ ruleset }: Layer): boolean => ruleset?.restricts("bash") === true

/** The permissions that a call lacks, except those of its commands, each with the text that patterns are compared with. */
export const lacksOf = (call: JudgedCall, policy: Policy): ReadonlyArray<PermissionFor> => {
  const lacking = (subjects: ReadonlyArray<Subject>) => subjects.filter((one) => settledOf(one, policy) !== "allow")
  const outside = lacking(outsideOf(call, policy))
  const own =
    call.command === undefined
      ? lacking(subjectsOf(call))
      : lacking(filesOf({ ...analysisOf(call), cwd: call.cwd })).filter((subject) => isWritten(subject, call, policy))
  // A read outside the session's directories lacks only the permission for the place, unless a rule matches the file.
  const needed =
    outside.length > 0 && call.readOnly ? own.filter((one) => rulingOf(one, policy).outcome !== "none") : own
  return [...needed, ...outside].map(({ permission, text: pattern }) => ({ permission, pattern }))
}

/** True for a script's file that its output is redirected to, or that may contain secrets. */
const isWritten = (subject: Subject, call: JudgedCall, policy: Policy): boolean =>
  rulingOf(subject, policy).rule?.builtIn === true ||
  (subject.permission === "edit" && analysisOf(call).steps.some(({ to }) => to.includes(subject.text)))

// Receives a call that runs a shell script; returns the verdict of rules and paths on it, command by command.
// Invariant: a script is allowed only if every command in it is; a deny or ask rule applies if it matches any one.
import type { JudgedCall } from "./decide.ts"
import type { Bounds } from "./file-rules.ts"
import { directoryAt, isGuarded, isInside, isWorkingPlace } from "./places.ts"
import type { Policy } from "./policy.ts"
import type { Reason } from "./reason.ts"
import { fileReach } from "./reach.ts"
import { commandAllowed, commandAsked, isOpen, scriptAllowed } from "./ruleset/layer.ts"
import { canAllow, mayTouchAny, pathRule, type Rule } from "./rules.ts"
import { analysisOf, type ShellStep } from "./shell-analysis.ts"
import { forWritten, type RefusedStep } from "./suggestions.ts"

/** True when the script was parsed, and can run no other commands than those written in it. */
export const isForeseen = (call: JudgedCall): boolean => {
  const { parsed, plain } = analysisOf(call)
  return parsed && plain
}

/** True when a deny or ask rule with content matches any command, or any path that one may touch. */
export const ruleMeetsShell = (rule: Rule, call: JudgedCall): boolean => {
  const { steps } = analysisOf(call)
  const kind = pathRule(rule)
  if (kind !== null) {
    return steps.some(({ mentions, from, changes, to }) =>
      mayTouchAny(rule, call, kind === "Read" ? [...mentions, ...from] : [...changes, ...to]),
    )
  }
  if (!rule.names(call.toolName, call.mcpServer)) return false
  const script = call.command?.trim() ?? ""
  return rule.command(script) || steps.some(({ text, hidden }) => rule.command(text) || hidden.some(rule.command))
}

/** The question about a guarded path that the script may change. */
export const guardedInShell = (call: JudgedCall, mode: Policy["mode"]) => {
  for (const { changes, to } of analysisOf(call).steps) {
    const changed = changes.find(isGuarded)
    const path = changed ?? to.find(isGuarded)
    if (path === undefined) continue
    return { path, suggestions: forWritten(mode, directoryAt(path, call), changed === undefined) }
  }
  return undefined
}

/**
 * The question about a script that removes, or may remove, one of the session's directories, all of its content, or a directory
 * that contains it or is at the top of the file system. As the official SDK: no rule, hook or mode permits that.
 */
export const erasesAll = (call: JudgedCall, policy: Policy) => {
  const { steps, shape } = analysisOf(call)
  const text = erasureText(call, policy)
  if (text === null) return null
  const piped = shape.piped && steps.length > 1
  const reason: Reason = { type: piped ? "subcommandResults" : "safetyCheck", text }
  return { behavior: "ask", reason, suggestions: piped ? null : [] } as const
}

const erasureText = (call: JudgedCall, policy: Policy): string | null => {
  const { steps } = analysisOf(call)
  const erased = steps.flatMap(({ erases }) => erases)
  const place = erased.find((one) => isWorkingPlace(one, call.cwd, policy))
  if (place !== undefined) return `it removes ${place}, which is or contains a directory of the session`
  const word = steps.flatMap(({ mayErase }) => mayErase)[0]
  return word === undefined ? null : `it removes ${word}, which may be all of a directory`
}

/** The commands that lack permission, if any, and what is known about the script as a whole. */
export interface ShellVerdict {
  readonly refused: ReadonlyArray<RefusedStep>
  /** True when the script may do more than run its listed commands. */
  readonly mayDoMore: boolean
  readonly bounds: Bounds
}

export const judgeShell = (call: JudgedCall, policy: Policy): ShellVerdict => {
  const { parsed, plain, steps, shape } = analysisOf(call)
  const rules = commandRulesOf(call, policy)
  const script = call.command?.trim() ?? ""
  const wholeAllowed =
    parsed &&
    (rules.some((rule) => rule.ruleContent === script || isExactly(rule, script)) || scriptAllowed(script, policy))
  if (wholeAllowed) return { refused: [], mayDoMore: false, bounds: null }
  const judge = new StepJudge(call, policy, rules)
  const refused = steps.map((step) => judge.refusal(step)).filter((one) => one !== null)
  return { refused, mayDoMore: !plain || shape.nested, bounds: judge.bounds }
}

/** The allow rules that are for commands, not for paths. */
const commandRulesOf = ({ toolName, mcpServer }: JudgedCall, { rules }: Policy): ReadonlyArray<Rule> =>
  rules.allow.filter(
    (rule) =>
      rule.ruleContent !== undefined && canAllow(rule) && pathRule(rule) === null && rule.names(toolName, mcpServer),
  )

/** Judges the commands of one script, each by itself. */
class StepJudge {
  /** The files that the script may use, except while a program runs to which a rule opens every file. */
  bounds: Bounds = "unasked"
  readonly #call: JudgedCall
  readonly #policy: Policy
  readonly #rules: ReadonlyArray<Rule>
  readonly #mode: Policy["mode"]
  readonly #reach: ReturnType<typeof fileReach>

  constructor(call: JudgedCall, policy: Policy, rules: ReadonlyArray<Rule>) {
    this.#call = call
    this.#policy = policy
    this.#rules = rules
    // As the official SDK: a script that changes its directory is asked about before it writes.
    const moves = policy.mode === "acceptEdits" && hasCdAmongCommands(analysisOf(call).steps)
    this.#mode = moves ? "default" : policy.mode
    this.#reach = fileReach({ ...policy, mode: this.#mode }, call)
  }

  /** Why a command lacks permission, or its redirections do; null when it may run. */
  refusal(step: ShellStep): RefusedStep | null {
    const command = this.#ofCommand(step)
    const redirection = this.#ofRedirection(step)
    if (redirection === null) return command
    // As the official SDK: a question outside a pipeline is about the file of its redirection first.
    const isFirst = redirection.path !== undefined && !analysisOf(this.#call).shape.piped
    if (command === null || isFirst) return { ...redirection, redirected: true }
    return { ...redirection, ...command, ...(command.path === undefined ? { redirected: true } : {}) }
  }

  #ofCommand(step: ShellStep): RefusedStep | null {
    const lacking = this.#lackingWithoutRules(step)
    if (lacking === null) return null
    const layered = step.text !== "" && commandAllowed(step, this.#call, this.#policy)
    // As the official SDK: no rule for commands permits a change of files that are named by a pattern.
    if (!layered && (step.glob !== undefined || !this.#hasRule(step))) return lacking
    if (step.isFileProgram) this.bounds = "inside"
    return layered ? null : this.#refusedOutside(step)
  }

  #lackingWithoutRules(step: ShellStep): RefusedStep | null {
    const { mayRead, mayWrite } = this.#reach
    if (step.glob !== undefined) {
      const { text: path, directory } = step.glob
      return { step, path, pathIs: "written", directory, outside: true }
    }
    if (step.kind === "other" && step.touches !== "other") {
      const writes = step.touches === "edit"
      const path = writes ? step.changes.find((one) => !mayWrite(one)) : step.paths.find((one) => !mayRead(one))
      return path === undefined ? { step } : this.#refusedAt(step, path, writes ? "written" : "read")
    }
    if (step.kind === "other" || (step.kind === "edit" && step.paths.length === 0)) return { step }
    if (step.removes.some((path) => isWorkingPlace(path, this.#call.cwd, this.#policy))) return { step }
    const reads = step.kind === "read"
    if (commandAsked(step, this.#call, this.#policy) && (reads || this.#policy.mode !== "acceptEdits")) return { step }
    const path = step.paths.find((one) => (reads ? !mayRead(one) : !mayWrite(one)))
    if (path !== undefined) return this.#refusedAt(step, path, reads ? "read" : "written")
    // As the official SDK: a rule for files opens them, and only the mode or a rule for commands permits a command to change them.
    return reads || this.#mode === "acceptEdits" ? null : { step }
  }

  #hasRule({ text, equivalents }: ShellStep): boolean {
    return text !== "" && this.#rules.some((rule) => rule.command(text) || equivalents.some(rule.command))
  }

  /** As the official SDK: a rule for commands opens no path outside the session's directories. */
  #refusedOutside(step: ShellStep): RefusedStep | null {
    if (!step.isFileProgram) return null
    const { mayRead, mayWrite } = this.#reach
    const writes = step.kind === "edit" || (step.kind === "other" && step.changes.length > 0)
    const [isPermitted, pathIs] = writes ? ([mayWrite, "written"] as const) : ([mayRead, "read"] as const)
    const path = step.paths.find((one) => !isOpen(one, this.#call.cwd, this.#policy) && !isPermitted(one))
    return path === undefined ? null : this.#refusedAt(step, path, pathIs)
  }

  #ofRedirection(step: ShellStep): RefusedStep | null {
    const { mayRead, mayWrite } = this.#reach
    const target = step.to.find((path) => !mayWrite(path))
    if (target !== undefined) return this.#refusedAt(step, target, "written")
    const source = step.from.find((path) => !mayRead(path))
    return source === undefined ? null : this.#refusedAt(step, source, "read")
  }

  /** A step that is refused for a path. Unless it is written, the root represents a path that can't be known, and is not named. */
  #refusedAt(step: ShellStep, path: string, pathIs: "read" | "written"): RefusedStep {
    if (path === "/" && !/ \/(?: |$)/.test(step.text)) return { step }
    const outside = isInside(path, this.#call.cwd, this.#policy) ? {} : { outside: true as const }
    return { step, path, pathIs, directory: directoryAt(path, this.#call), ...outside }
  }
}

/** True for a script of several commands, one of which is `cd`. */
export const hasCdAmongCommands = (steps: ReadonlyArray<ShellStep>): boolean =>
  steps.length > 1 && steps.some(({ text, equivalents }) => [text, ...equivalents].some((one) => startsWith(one, "cd")))

export const startsWith = (text: string, program: string): boolean => text === program || text.startsWith(`${program} `)

/** True when the rule has no wildcard and is exactly this script. */
const isExactly = (rule: Rule, script: string): boolean =>
  !/(?<!\\)\*/.test(rule.ruleContent ?? "*") && rule.command(script)

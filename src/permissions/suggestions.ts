// Receives what a question is about; returns the permission updates that would avoid the next question of its kind, as the
// official SDK suggests them: a mode for edits, a rule for a command, a directory or a rule for a path.
import type { PermissionMode, PermissionUpdate } from "../schemas/sdk/options/permissions.ts"
import { exactContent } from "./command-pattern.ts"
import { directoryAt } from "./places.ts"
import type { RuleSubject } from "./rules.ts"
import type { ShellStep } from "./shell-analysis.ts"

type Place = Pick<RuleSubject, "isDirectory">

export type Suggestions = ReadonlyArray<PermissionUpdate>

const allow = (
  rules: ReadonlyArray<{ readonly toolName: string; readonly ruleContent?: string }>,
  destination: "localSettings" | "session",
): PermissionUpdate => ({ type: "addRules", rules, behavior: "allow", destination })

const addDirectory = (directory: string): PermissionUpdate => ({
  type: "addDirectories",
  directories: [directory],
  destination: "session",
})

/** True for the modes in which `acceptEdits` would permit more. */
export const isStricter = (mode: PermissionMode): boolean => mode === "default" || mode === "plan"

const acceptEdits = (mode: PermissionMode): Suggestions =>
  isStricter(mode) ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }] : []

/** For a tool as a whole. */
export const forTool = (toolName: string): Suggestions => [allow([{ toolName }], "localSettings")]

/** For a fetch: its domain. */
export const forDomain = (toolName: string, host: string): Suggestions => [
  allow([{ toolName, ruleContent: `domain:${host}` }], "localSettings"),
]

/** For a skill: without and with arguments. */
export const forSkill = (name: string): Suggestions =>
  [name, `${name}:*`].map((ruleContent) => allow([{ toolName: "Skill", ruleContent }], "localSettings"))

/** For an edit; `outside` is its path when that is outside the working directory. */
export const forEdit = (mode: PermissionMode, call: Place, outside?: string): Suggestions => [
  ...acceptEdits(mode),
  ...(outside === undefined ? [] : [addDirectory(directoryAt(outside, call))]),
]

/** For a command that writes to a file in the directory, or whose output is written there. */
export const forWritten = (mode: PermissionMode, directory: string, redirected = false): Suggestions => [
  addDirectory(directory),
  ...(redirected ? [] : acceptEdits(mode)),
]

/** For a read outside the working directory: everything in the path's directory. */
export const forRead = (call: Place, path: string): Suggestions => reading(directoryAt(path, call))

/** As the official SDK: nothing is suggested for the root. */
const reading = (directory: string): Suggestions =>
  directory === "/" ? [] : [allow([{ toolName: "Read", ruleContent: `/${directory}/**` }], "session")]

/** A call of git with a text of several lines, `git commit -m "$(cat <<'X' …)"`, in the form in which the step has it. */
const WITH_TEXT = /^git .*\$\(cat\)/

/** A command and its subcommand: `npm test` of `npm test --watch`. */
const PREFIX = /^(\S+ [a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?: |$)/

/** The most commands for which rules are suggested one by one. */
export const MAX_RULES = 5
const MAX_CONTENT = 1000

/** A command that starts with a program which runs the program named in its arguments (`sudo x`, `xargs x`). */
const RUNNERS =
  /^(?:(?:[abcdkz]|fi|tc|pw)?sh|bash|builtin|busybox|chroot|cmd|command|doas|env|nice|nohup|parallel|pkexec|powershell|runuser|stdbuf|su|sudo|time|timeout|xargs) /

/** The prefix of a command that may be allowed with any arguments; undefined for a program that runs other programs. */
export const commandPrefix = (text: string): string | undefined =>
  RUNNERS.test(text) ? undefined : PREFIX.exec(text)?.[1]

const ASSIGNS = /^\w+=/

/**
 * The content of the rule that is suggested for a command. `whole` is the script, if it is this one command. As the official SDK:
 * the rule includes the redirections (`> out.txt`) only when the command needs approval because of a path.
 */
const contentFor = ({ step, path }: RefusedStep, whole: string | undefined, isPlain: boolean): string => {
  const { text } = step
  const assigns = whole !== undefined && ASSIGNS.test(whole)
  // As the official SDK: no prefix is suggested for a command after assignments that may change what it does (`A=$B x`).
  const prefix =
    assigns && !isPlain ? undefined : commandPrefix(path !== undefined && whole?.startsWith("! ") ? whole : text)
  if (prefix !== undefined) return `${prefix} *`
  if (whole === undefined || path !== undefined) return exactContent(whole ?? text)
  return exactContent(assigns ? `${whole.slice(0, Math.max(whole.indexOf(text), 0))}${text}` : text)
}

/**
 * The content of the only rule that is suggested for a script of several commands which all need approval because of paths. As
 * the official SDK: the prefix of the first command, else the first line of several, each with ` *`; else the script itself.
 */
const contentOfScript = (script: string): string => {
  const prefix = commandPrefix(script) ?? /^(.*)\n/.exec(script)?.[1]
  return prefix === undefined ? exactContent(script) : `${prefix} *`
}

export interface RefusedStep {
  readonly step: ShellStep
  /** The path that it may not touch. */
  readonly path?: string
  readonly pathIs?: "read" | "written"
  /** The directory that permission is offered for, if there is a path. */
  readonly directory?: string
  /** True when its redirection needs permission. */
  readonly redirected?: true
  /** True when the path is outside the session's directories. */
  readonly outside?: true
}

/** For a script that is allowed as a whole or not at all. */
export const forWhole = (toolName: string, script: string): Suggestions => {
  const ruleContent = exactContent(script.trim())
  return ruleContent.length > MAX_CONTENT ? [] : [allow([{ toolName, ruleContent }], "localSettings")]
}

/** Programs that evaluate their arguments as scripts, or run them with other rights or priorities. */
const EVALUATES =
  /^(?:\.|alias|chrt|eval|exec|flock|ionice|let|ltrace|nsenter|script|setsid|source|strace|taskset|trap|unshare|watch)(?: |$)/

/**
 * As the official SDK: no rule is suggested for `find` with an action, which runs or removes what it finds, for a script in
 * arguments, and for files that are not known before the command runs: a rule for the command would not open them.
 */
const isUnruly = ({ text, kind, isFileProgram, paths }: ShellStep): boolean =>
  (kind === "other" && text.startsWith("find ")) ||
  EVALUATES.test(text) ||
  // A substitution or a calculation, whose text is not shown.
  text.includes("$(…)") ||
  (text.includes("$(cat)") && !WITH_TEXT.test(text)) ||
  (isFileProgram && paths.includes("/"))

/** What is suggested for the path that blocks a command. */
const forPlace = ({ directory, pathIs, redirected }: RefusedStep, mode: PermissionMode): Suggestions =>
  directory === undefined ? [] : pathIs === "read" ? reading(directory) : forWritten(mode, directory, redirected)

/**
 * For a script: a rule for each command that was not covered, and an update for the path of a read or of the only command.
 * As in the official SDK, the commands of a pipeline have separate updates, without a rule for a command that a path blocks, and when nothing but paths block a script of several
 * commands, the one rule is for the script.
 */
export const forScript = (
  toolName: string,
  refused: ReadonlyArray<RefusedStep>,
  mode: PermissionMode,
  { piped, script, steps, plain }: Readonly<{ piped: boolean; script: string; steps: number; plain: boolean }>,
): Suggestions => {
  const rulesOf = (contents: ReadonlyArray<string>) =>
    Array.from(new Set(contents))
      .filter((content) => content.length <= MAX_CONTENT)
      .slice(0, MAX_RULES)
      .map((ruleContent) => ({ toolName, ruleContent }))
  const only = refused.length === 1 ? refused[0] : undefined
  const places = only !== undefined || (piped && refused.every(({ redirected }) => redirected !== true))
  if (places && steps > 1 && refused.every(({ path, step }) => path !== undefined && !isUnruly(step)))
    return [
      ...rulesOf([contentOfScript(script)]).map((rule) => allow([rule], "localSettings")),
      ...refused.flatMap((one) => forPlace(one, mode)),
    ]
  const whole = steps === 1 ? script : undefined
  const isNamed = ({ step }: RefusedStep) => step.text !== "" && !isUnruly(step)
  const contentOf = (one: RefusedStep) => contentFor(one, whole, plain)
  if (piped && places && only === undefined)
    return refused.flatMap((one) =>
      one.path === undefined && isNamed(one)
        ? rulesOf([contentOf(one)]).map((rule) => allow([rule], "localSettings"))
        : forPlace(one, mode),
    )
  const rules = rulesOf(
    refused
      .filter(
        (one) =>
          isNamed(one) &&
          !(piped && one.redirected === true && one.step.kind === "read" && refused.length > 1) &&
          !(one.pathIs === "read" && ((one.redirected === true && one.step.kind !== "edit") || refused.length > 1)),
      )
      .map(contentOf),
  )
  const at = only ?? refused.find(({ path, pathIs }) => path !== undefined && pathIs === "read")
  // As the official SDK: a rule for the command would not permit it to read the root.
  if (at?.pathIs === "read" && at.directory === "/") return []
  const updates = piped ? rules.map((rule) => [rule]) : rules.length === 0 ? [] : [rules]
  return [...updates.map((update) => allow(update, "localSettings")), ...(at === undefined ? [] : forPlace(at, mode))]
}

// Receives rule texts such as `Bash(git:*)` or `Edit(./src/**)`; says whether one matches a tool call.
// Invariant: a rule that is not understood never allows; in doubt a deny rule matches and an allow rule does not.
import type { PermissionRuleValue } from "../schemas/sdk/permissions.ts"
import { canonicalToolName } from "../schemas/sdk/tool-names.ts"

/** What of a call a rule can look at. `paths` are absolute. */
export interface RuleSubject {
  readonly toolName: string
  /** The shell script, when the tool runs one. */
  readonly command?: string
  readonly paths: ReadonlyArray<string>
  readonly cwd: string
  /** Whether an absolute path matches an absolute glob, in linear time; null when the glob can't be used. */
  readonly matchesGlob: (glob: string, path: string) => boolean | null
}

/** `Bash(git:*)` → `{ toolName: "Bash", ruleContent: "git:*" }`; a bare name has no content. */
export const parseRule = (text: string): PermissionRuleValue => {
  const open = text.indexOf("(")
  if (open <= 0 || !text.endsWith(")")) return { toolName: canonicalToolName(text.trim()) }
  return { toolName: canonicalToolName(text.slice(0, open).trim()), ruleContent: text.slice(open + 1, -1) }
}

export const formatRule = (rule: PermissionRuleValue): string =>
  rule.ruleContent === undefined ? rule.toolName : `${rule.toolName}(${rule.ruleContent})`

/** Rules for edits are written `Edit(…)` and cover every tool that edits files, as in the official SDK. */
const PATH_TOOLS: Readonly<Record<string, ReadonlyArray<string>>> = {
  Edit: ["Edit", "Write", "NotebookEdit"],
  Read: ["Read", "Glob", "Grep", "LS"],
}

/** The commands of a script, cut at every separator; quoting is ignored, so a piece may be too small, never too large. */
const pieces = (script: string): ReadonlyArray<string> =>
  script
    .split(/&&|\|\||[;&|\n(){}`]|\$\(/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")

const COMPOUND = /[;&|\n`(){}<>]|\$\(/

const matchesCommand = (pattern: string, command: string): boolean => {
  const prefix = pattern.endsWith(":*")
    ? pattern.slice(0, -2)
    : pattern.endsWith(" *")
      ? pattern.slice(0, -2)
      : undefined
  if (pattern === "*") return true
  if (prefix === undefined) return command === pattern
  return command === prefix || command.startsWith(`${prefix} `)
}

/** `//x` is the path `/x`; everything else is below the working directory. */
const absoluteGlob = (pattern: string, cwd: string): string => {
  if (pattern.startsWith("//")) return pattern.slice(1)
  return pattern.startsWith("/") ? cwd + pattern : `${cwd}/${pattern.replace(/^\.\//, "")}`
}

/** True when `rule` speaks of this call. `strict` is for allow rules: every part of the call must be covered. */
export const ruleMatches = (rule: PermissionRuleValue, subject: RuleSubject, strict: boolean): boolean => {
  const { toolName, ruleContent } = rule
  const names = ruleContent === undefined ? [toolName] : (PATH_TOOLS[toolName] ?? [toolName])
  if (!names.includes(subject.toolName)) return false
  if (ruleContent === undefined) return true
  if (subject.command !== undefined) {
    if (strict) return !COMPOUND.test(subject.command) && matchesCommand(ruleContent, subject.command.trim())
    return [subject.command.trim(), ...pieces(subject.command)].some((piece) => matchesCommand(ruleContent, piece))
  }
  if (subject.paths.length === 0) return !strict
  const glob = absoluteGlob(ruleContent, subject.cwd)
  const covered = (path: string) => subject.matchesGlob(glob, path) ?? !strict
  return strict ? subject.paths.every(covered) : subject.paths.some(covered)
}

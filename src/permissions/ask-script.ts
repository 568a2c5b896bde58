// Receives a script that needs approval, and the permissions that its commands lack; returns the question: its reason, the
// path that blocks the script and the suggested permission updates, as in the official SDK.
// Invariant: several commands that lack permission have one reason, `subcommandResults`, and no single path is named.
import type { PermissionMode } from "../schemas/sdk/options/permissions.ts"
import { hasCdAmongCommands, type ShellVerdict, startsWith } from "./judge-shell.ts"
import { type Reason, tacit } from "./reason.ts"
import type { RuleSubject } from "./rules.ts"
import type { ShellAnalysis, ShellStep } from "./shell-analysis.ts"
import { forScript, forWhole, isStricter, MAX_RULES, type RefusedStep, type Suggestions } from "./suggestions.ts"

export interface ScriptQuestion {
  readonly reason: Reason
  /** Null when the question has no `suggestions` field; an empty list is sent as such. */
  readonly suggestions: Suggestions | null
  readonly blockedPath?: string
  /** True when the script itself is the reason, not only that nothing allows its commands. */
  readonly hasOwnReason: boolean
}

const other = (text: string): Reason => ({ type: "other", text })
const NEEDS_APPROVAL = other("this command needs approval")

/**
 * Null when the script needs no question. As in the official SDK, other updates are suggested for hooks alone, when no client
 * can be asked: rules for scripts that a person has to read as a whole, and no rule for the command that a path blocks.
 */
export const askScript = (
  { toolName, command = "" }: Pick<RuleSubject, "toolName" | "command">,
  mode: PermissionMode,
  { steps, shape, plain }: ShellAnalysis,
  { refused, mayDoMore }: ShellVerdict,
  forHooks: boolean,
): ScriptQuestion | null => {
  const [only] = refused
  const isOfPath = forHooks && refused.length === 1 && only?.path !== undefined
  const suggest = (): Suggestions =>
    forScript(toolName, refused, mode, {
      piped: shape.piped,
      script: command.trim(),
      steps: steps.length,
      plain,
    }).filter((update) => !isOfPath || update.type !== "addRules" || update.rules[0]?.toolName !== toolName)
  if (shape.nested ? mayDoMore : refused.some(({ step }) => step.isVariable))
    return {
      reason: other("what this script does can't be determined before it runs"),
      suggestions: shape.isolated && steps.every(({ kind }) => kind !== "edit") ? null : [],
      hasOwnReason: true,
    }
  if (refused.some(({ path }) => path === undefined) && movesBeforeGit(steps)) return GIT_ELSEWHERE
  if (refused.length > 1) {
    const reason: Reason = { type: "subcommandResults", text: `${refused.length} of its commands need approval` }
    const hasOwnReason = refused.every(({ path }) => path !== undefined)
    const writesElsewhere = hasCdAmongCommands(steps) && refused.some(({ pathIs }) => pathIs === "written")
    const suggestible = forHooks || (!shape.background && !writesElsewhere && isSuggestible(refused, shape.piped))
    return { reason, suggestions: suggestible ? suggest() : null, hasOwnReason }
  }
  if (only === undefined) return unrefused(steps, shape, mayDoMore ? forWhole(toolName, command) : null)
  if (only.path !== undefined && only.pathIs === "written" && hasCdAmongCommands(steps)) {
    const how = only.redirected === true ? "redirects its output" : "changes files"
    const reason = other(`the script changes its directory and ${how}: where that happens can't be checked`)
    const suggestions = isStricter(mode) ? suggest().filter(({ type }) => type !== "addDirectories") : []
    return { reason, suggestions: only.redirected === true ? null : suggestions, hasOwnReason: true }
  }
  const suggestions = only.path === undefined && shape.background && !forHooks ? null : suggest()
  if (only.path === undefined) {
    const reason: Reason =
      steps.length > 1 ? { type: "subcommandResults", text: "one of its commands needs approval" } : NEEDS_APPROVAL
    return { reason, suggestions, hasOwnReason: false }
  }
  const redirectsOnly = only.redirected === true && only.pathIs === "written" && only.step.kind === "read"
  if (shape.piped && !redirectsOnly)
    return { reason: { type: "subcommandResults", text: `it touches ${only.path}` }, suggestions, hasOwnReason: true }
  const isGlob = only.step.glob !== undefined && only.redirected !== true
  const reason = isGlob ? other(`it changes whatever files match ${only.path}`) : tacit(`it touches ${only.path}`)
  return { reason, suggestions, blockedPath: only.path, hasOwnReason: true }
}

/** The question about a script whose commands may all run: it can still be asked about as a whole. */
const unrefused = (
  steps: ReadonlyArray<ShellStep>,
  { background }: ShellAnalysis["shape"],
  whole: Suggestions | null,
): ScriptQuestion | null => {
  if (background) {
    const text = "a command in the background runs after its approval, without the checks of that moment"
    return { reason: { type: "safetyCheck", text }, suggestions: null, hasOwnReason: true }
  }
  if (whole !== null) return { reason: NEEDS_APPROVAL, suggestions: whole, hasOwnReason: true }
  return movesBeforeGit(steps) ? GIT_ELSEWHERE : null
}

const GIT_ELSEWHERE: ScriptQuestion = {
  reason: other("the script changes its directory before it runs git, whose configuration it then takes from there"),
  suggestions: null,
  hasOwnReason: true,
}

const movesBeforeGit = (steps: ReadonlyArray<ShellStep>): boolean =>
  hasCdAmongCommands(steps.filter(({ text }) => text !== "cd .")) && steps.some(({ text }) => startsWith(text, "git"))

/**
 * True for at most MAX_RULES commands that all lack a read, or of which none lacks a read, redirects or is `outside`; in a
 * pipeline, for those of which none redirects.
 */
const isSuggestible = (refused: ReadonlyArray<RefusedStep>, piped: boolean): boolean => {
  if (refused.length > MAX_RULES) return false
  if (piped && refused.every(({ redirected }) => !redirected)) return true
  const reads = refused.filter(({ pathIs }) => pathIs === "read").length
  return (
    reads === refused.length || (reads === 0 && refused.every(({ redirected, outside }) => !redirected && !outside))
  )
}

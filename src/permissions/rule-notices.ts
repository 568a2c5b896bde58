// Receives a session's options; returns the warnings for clients about permission rules that do not do what they seem to.
// Invariant: a rule that can match a call as it is written never causes a warning.
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import { shortened } from "../schemas/shortened.ts"
import { hasInertContent, isEmptyRule, parseRule } from "./rules.ts"

/** What can't be in the name of a tool. */
const NO_NAME = /[\s()]|^$/

/** As the official SDK: such a rule is no error, and the client gets a warning. `cwd` is the session's directory. */
export const ruleNotices = (
  {
    allowedTools = [],
    disallowedTools = [],
    settings: { permissions = {} } = {},
  }: Pick<SessionOptions, "allowedTools" | "disallowedTools" | "settings">,
  cwd: string,
): ReadonlyArray<string> =>
  (
    [
      ["allowedTools", allowedTools, "allows"],
      ["disallowedTools", disallowedTools, "denies"],
      ["settings.permissions.allow", permissions.allow ?? [], "allows"],
      ["settings.permissions.deny", permissions.deny ?? [], "denies"],
      ["settings.permissions.ask", permissions.ask ?? [], "asks about"],
    ] as const
  ).flatMap(([option, rules, effect]) =>
    rules.flatMap((rule) => {
      const problem = problemOf(rule, effect, cwd)
      return problem === null ? [] : [`options.${option} has ${quoted(rule)}, which ${problem}`]
    }),
  )

const quoted = (text: string): string => JSON.stringify(shortened(text, 200))

/** The rest of a sentence about the rule; null when there is nothing to report. */
const problemOf = (rule: string, effect: string, cwd: string): string | null => {
  const { toolName, ruleContent: content } = parseRule(rule)
  if (NO_NAME.test(toolName) || (effect === "allows" && isEmptyRule(rule)))
    return `is not a complete rule and ${effect} nothing. A rule is Bash or Bash(git *): check for a missing ), for text after it, or for nothing in it.`
  if (content === undefined) return null
  if (hasInertContent(toolName))
    return `${effect} nothing: paths belong into Edit(…), for every tool that changes files, or Read(…), for every tool that reads them.`
  const repeats = (toolName === "Edit" || toolName === "Read") && cwd !== "/" && `${content}/`.startsWith(`${cwd}/`)
  return repeats
    ? `is about ${quoted(cwd + content)}: a path with one slash is in the working directory. Write ${quoted(`${toolName}(/${content})`)} for the absolute path.`
    : null
}

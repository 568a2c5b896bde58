// Receives a session's options; returns the warnings for clients about permission rules that no call can match.
// Invariant: a rule that a call of some tool can match never causes a warning.
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import { isToolName } from "../schemas/sdk/tools/tool-names.ts"
import { shortened } from "../schemas/shortened.ts"
import { canAllow, isEmptyRule, isInert, meantRule, parseRule } from "./rules.ts"

type Effect = "allows" | "denies" | "asks about"

/** What can't be in the name of a tool. */
const NO_NAME = /[\s(),]|^$/

/** The start or the end of a content that no command has: commands are compared without blanks around them. */
const BLANK_END = /^\s|\s(?::\*)?$/

/** As the official SDK: such a rule is no error, and the client gets a warning. */
export const ruleNotices = ({
  allowedTools,
  disallowedTools,
  clientTools,
}: Pick<SessionOptions, "allowedTools" | "disallowedTools" | "clientTools">): ReadonlyArray<string> => [
  ...noticesOf("allowedTools", "allows", allowedTools),
  ...noticesOf("disallowedTools", "denies", disallowedTools, clientTools),
]

/** As the official SDK: one warning for all rules of the settings; null without one. */
export const settingsNotice = ({
  settings: { permissions: { allow = [], ask, deny } = {} } = {},
  clientTools,
}: Pick<SessionOptions, "settings" | "clientTools">): string | null =>
  [
    ...noticesOf("settings.permissions.allow", "allows", allow),
    ...allow.filter(allowsNothing).map(broadNotice),
    ...noticesOf("settings.permissions.deny", "denies", deny, clientTools),
    ...noticesOf("settings.permissions.ask", "asks about", ask, clientTools),
  ].join("\n") || null

/** As the official SDK: only the settings' allow rules of this kind are reported. */
const allowsNothing = (rule: string): boolean => {
  const parsed = parseRule(rule)
  const ofInput = parsed.toolName.startsWith("mcp__") && parsed.ruleContent !== undefined
  return ofInput || isEmptyRule(rule) || !canAllow(parsed)
}

const broadNotice = (rule: string): string =>
  `${shownRule("settings.permissions.allow", rule)}, which allows nothing: ` +
  "a rule names one tool (Bash), or tools of one MCP server (mcp__server__*)."

const shownRule = (option: string, rule: string): string =>
  `options.${option} has ${JSON.stringify(shortened(rule, 200))}`

const noticesOf = (
  option: string,
  effect: Effect,
  rules: ReadonlyArray<string> = [],
  clientTools: SessionOptions["clientTools"] = [],
): ReadonlyArray<string> =>
  rules.flatMap((rule) => {
    const flaw = flawOf(rule, effect, (name) => clientTools.some((tool) => tool.name === name))
    return flaw === null ? [] : [`${shownRule(option, rule)}, which ${flaw}`]
  })

/** Why no call can match the rule; null when one can. */
const flawOf = (rule: string, effect: Effect, isClientTool: (name: string) => boolean): string | null => {
  const { toolName, ruleContent = "" } = parseRule(rule)
  if (NO_NAME.test(toolName))
    return (
      `is not a complete rule and ${effect} nothing. ` +
      "A rule is Bash or Bash(git *): check for a missing ) or for text after it."
    )
  if (effect === "allows")
    return toolName === "Bash" && BLANK_END.test(ruleContent)
      ? "allows nothing, because of the blank at one end: a rule is Bash(git *) or Bash(git:*)."
      : null
  const meant = parseRule(meantRule(rule))
  if (isInert(meant))
    return `${effect} nothing: a rule for paths is Edit(…) or Read(…), for every tool that changes or reads files.`
  return /[*]|^mcp__|^StructuredOutput$/.test(toolName) || isToolName(meant.toolName) || isClientTool(toolName)
    ? null
    : `${effect} nothing: no tool has this name.`
}

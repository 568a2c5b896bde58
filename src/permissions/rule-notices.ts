// Receives a session's options; returns the warnings for clients about permission rules that no call can match.
// Invariant: a complete rule never causes a warning.
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import { shortened } from "../schemas/shortened.ts"
import { canAllow, isEmptyRule, parseRule } from "./rules.ts"

/** What can't be in the name of a tool. */
const NO_NAME = /[\s(),]|^$/

/** False for a rule that no call can match, because a part of it is missing. */
export const isComplete = (rule: string): boolean => !NO_NAME.test(parseRule(rule).toolName)

/** As the official SDK: such a rule is no error, and the client gets a warning. */
export const ruleNotices = ({
  allowedTools = [],
  disallowedTools = [],
}: Pick<SessionOptions, "allowedTools" | "disallowedTools">): ReadonlyArray<string> => [
  ...noticesOf("allowedTools", allowedTools, "allows"),
  ...noticesOf("disallowedTools", disallowedTools, "denies"),
]

/** As the official SDK: one warning for all rules of the settings, or none. */
export const settingsNotices = ({
  settings: { permissions: { allow = [], ask = [], deny = [] } = {} } = {},
}: Pick<SessionOptions, "settings">): ReadonlyArray<string> => {
  const texts = [
    ...noticesOf("settings.permissions.allow", allow, "allows"),
    ...allow.filter(allowsNothing).map(broadNotice),
    ...noticesOf("settings.permissions.deny", deny, "denies"),
    ...noticesOf("settings.permissions.ask", ask, "asks about"),
  ]
  return texts.length === 0 ? [] : [texts.join("\n")]
}

/** As the official SDK: only the settings' allow rules of this kind are reported. */
const allowsNothing = (rule: string): boolean => {
  const parsed = parseRule(rule)
  const ofInput = parsed.toolName.startsWith("mcp__") && parsed.ruleContent !== undefined
  return ofInput || isEmptyRule(rule) || !canAllow(parsed)
}

const broadNotice = (rule: string): string =>
  `options.settings.permissions.allow has ${JSON.stringify(shortened(rule, 200))}, which allows nothing: ` +
  "a rule names one tool (Bash), or tools of one MCP server (mcp__server__*)."

const noticesOf = (option: string, rules: ReadonlyArray<string>, effect: string): ReadonlyArray<string> =>
  rules
    .filter((rule) => !isComplete(rule))
    .map(
      (rule) =>
        `options.${option} has ${JSON.stringify(shortened(rule, 200))}, which is not a complete rule and ${effect} nothing. ` +
        "A rule is Bash or Bash(git *): check for a missing ) or for text after it.",
    )

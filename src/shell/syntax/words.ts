// Receives a word of a parsed shell script; returns its text before expansion, and its source.
// Invariant: a text is returned only if no variable, substitution or file name can change it.
import type { Bash } from "just-bash/browser"

export type Script = ReturnType<Bash["transform"]>["ast"]
export type Statement = Script["statements"][number]
export type Pipeline = Statement["pipelines"][number]
export type Command = Pipeline["commands"][number]
export type SimpleCommand = Extract<Command, { type: "SimpleCommand" }>
export type Loop = Extract<Command, { type: "For" }>
export type If = Extract<Command, { type: "If" }>
export type Conditional = Extract<Command, { type: "ConditionalCommand" }>
export type Redirection = SimpleCommand["redirections"][number]
export type Word = SimpleCommand["args"][number]
export type Part = Word["parts"][number]

/** A part's text; null when it depends on anything outside the script. */
export const partText = (part: Part): string | null => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "Escaped":
      return part.value
    case "DoubleQuoted":
      return join(part.parts)
    case "TildeExpansion":
      return part.user === null ? "~" : null
    case "Glob":
      // The names that `@(a|b)` or `!(a)` matches are not known to rules about paths.
      return /[?*+@!]\(/.test(part.pattern) ? null : part.pattern
    default:
      return null
  }
}

const join = (parts: ReadonlyArray<Part>): string | null => {
  let text = ""
  for (const part of parts) {
    const piece = partText(part)
    if (piece === null) return null
    text += piece
  }
  return text
}

/** A word's text, with its globs as written; null when it depends on anything else. */
export const globText = (word: Word): string | null => join(word.parts)

/** A word's text; null also when a glob in it could become an option. */
export const wordText = (word: Word): string | null => {
  const text = join(word.parts)
  const [first] = word.parts
  // A word that is only `[` is the command, not a glob.
  if (text === null || text === "[") return text
  if (first?.type === "Glob") return null
  return text.startsWith("-") && word.parts.some(({ type }) => type === "Glob") ? null : text
}

/** The start of a word that is known before expansion. */
export const beginning = ({ parts }: Pick<Word, "parts">): string => {
  let text = ""
  for (const part of parts) {
    const piece = part.type === "Glob" ? null : partText(part)
    if (piece === null) return part.type === "DoubleQuoted" ? text + beginning(part) : text
    text += piece
  }
  return text
}

/** True for a word that always expands to exactly one word, whatever its variables contain. */
export const isOneWord = ({ parts }: Word): boolean =>
  parts.every((part) =>
    part.type === "DoubleQuoted"
      ? part.parts.every((inner) => inner.type !== "ParameterExpansion" || /^(?:\w+|[?#$!*-])$/.test(inner.parameter))
      : part.type !== "Glob" && partText(part) !== null,
  )

/** Names of variables and special parameters, without subscripts, which could contain a substitution. */
const PARAMETER = /^(?:\w+|[?#@*!$-])$/

const CALCULATIONS: ReadonlySet<unknown> = new Set(
  "ArithmeticExpression ArithNumber ArithBinary ArithUnary ArithTernary ArithGroup".split(" "),
)

/** True for a calculation with literal numbers; the value of a variable could contain a command. */
const isCalculation = (node: object): boolean =>
  "type" in node &&
  CALCULATIONS.has(node.type) &&
  Object.values(node).every((inner) => typeof inner !== "object" || inner === null || isCalculation(inner))

/** True when the expansion of the part can only insert a variable's value, or a number. */
export const isInert = (part: Part): boolean => {
  if (part.type === "DoubleQuoted") return part.parts.every(isInert)
  if (part.type === "ArithmeticExpansion") return isCalculation(part.expression)
  if (part.type === "ParameterExpansion") return part.operation === null && PARAMETER.test(part.parameter)
  return partText(part) !== null
}

/** True for parts that only run commands, which are listed as separate commands. */
export const isSubstitution = (part: Part): boolean => {
  if (part.type === "DoubleQuoted") return part.parts.every((inner) => isInert(inner) || isSubstitution(inner))
  return part.type === "CommandSubstitution" || part.type === "ProcessSubstitution"
}

/** True for a word with the value of a variable other than HOME. */
export const insertsVariable = ({ parts }: Pick<Word, "parts">): boolean =>
  parts.some((part) =>
    part.type === "DoubleQuoted"
      ? insertsVariable(part)
      : part.type === "ParameterExpansion" && part.parameter !== "HOME",
  )

/** True for `$(cat <<'X' …)`, which inserts a text. */
export const insertsText = (part: Part): boolean => {
  if (part.type !== "CommandSubstitution") return false
  const [statement, ...others] = part.body.statements
  const [command, ...piped] = statement?.pipelines.flatMap(({ commands }) => commands) ?? []
  if (others.length + piped.length > 0 || command?.type !== "SimpleCommand" || command.args.length > 0) return false
  const [text, ...more] = command.redirections
  return (
    command.name !== null &&
    wordText(command.name) === "cat" &&
    more.length === 0 &&
    text?.target.type === "HereDoc" &&
    text.target.quoted
  )
}

const HOME: ReadonlySet<string> = new Set(["HOME"])
const IN_TEXTS: ReadonlySet<string> = new Set(
  (
    "HOME LOGNAME OLDPWD PATH PWD SHELL TMPDIR USER BASH_VERSION EUID HOSTNAME LINENO PPID RANDOM SECONDS SHLVL UID " +
    "? # $ !"
  ).split(" "),
)

const isVariable = (part: Part, except: ReadonlySet<string>): boolean =>
  part.type === "ParameterExpansion" && (part.operation !== null || !except.has(part.parameter))

/**
 * As the official SDK: true for a word with the value of a variable, or for one that is the output of a command. A quoted text may
 * contain the variables of `IN_TEXTS`; one that contains an output is judged by that command.
 */
export const isUnforeseen = ({ parts }: Pick<Word, "parts">): boolean =>
  parts.some((part) => {
    if (part.type !== "DoubleQuoted") return isSubstitution(part) || isVariable(part, HOME)
    const [only, ...others] = part.parts
    if (others.length > 0) return part.parts.some((inner) => isVariable(inner, IN_TEXTS))
    return only !== undefined && !insertsText(only) && isUnforeseen(part)
  })

const UNQUOTED = /^[\w@%+=:,./^~{}[\]!?*#-]*$/

const writtenPart = (part: Part): string => {
  switch (part.type) {
    case "Literal":
      return UNQUOTED.test(part.value) ? part.value : `'${part.value}'`
    case "SingleQuoted":
      return `'${part.value}'`
    case "DoubleQuoted":
      return `"${part.parts.map(writtenInQuotes).join("")}"`
    case "Escaped":
      return `\\${part.value}`
    case "CommandSubstitution":
      return insertsText(part) ? "$(cat)" : "$(…)"
    case "ParameterExpansion":
      return part.operation === null ? `$${part.parameter}` : "${…}"
    default:
      return partText(part) ?? "$(…)"
  }
}

const writtenInQuotes = (part: Part): string =>
  part.type === "Literal" ? part.value.replace(/["\\$`]/g, "\\$&") : writtenPart(part)

/** A word as it is written in the script; command substitutions are shown as `$(…)`. */
export const written = (word: Word): string => word.parts.map(writtenPart).join("")

// Patterns of `case` and of `=~` that are quoted in part (`*'*'*`, `\[*\]`, `"$prefix"*`, `^"$name"$`): the interpreter ignores the
// quotes unless they enclose the whole pattern.
// Receives a pattern whose children are already rewritten; returns it with a backslash before each quoted special character.
// Invariant: a quoted variable that is not set is left as it is, for the interpreter.
import type { Variables } from "../../session.ts"
import { partsOf } from "../../syntax/node-fields.ts"
import { type Node, quoted, simple, statement, substitution, text } from "../../syntax/nodes.ts"

/** The name of a command that prints its argument with the characters escaped that are special in a pattern. */
export const QUOTE = "perch-quote"

/** Puts a backslash before each character that is special in a pattern. */
export const asPattern = (value: string): string => value.replace(/[.^$*+?()[\]{}|\\]/g, "\\$&")

const isQuoted = ({ type }: Node): boolean => /^(?:Escaped|SingleQuoted|DoubleQuoted)$/.test(String(type))

/** Writes `[!…]` as `[^…]`, which is the only form that the interpreter supports in patterns of `case` and `[[`. */
export const withNegations = (word: Node): Node => ({
  ...word,
  parts: partsOf(word).map((part) =>
    part["type"] === "Glob" ? { ...part, pattern: String(part["pattern"]).replaceAll("[!", "[^") } : part,
  ),
})

export const withQuotedParts = (word: Node, variables: Variables): Node => {
  const parts = partsOf(word)
  if (parts.every(isQuoted)) return word
  const literally = (part: Node): Node => {
    const { type, value, parameter } = part
    if (type === "CommandSubstitution" || part["operation"] || /\[/.test(String(parameter)))
      return substitution([statement(simple(QUOTE, [quoted(part)]))])
    const known = value ?? variables.get(String(parameter))
    return known === undefined ? part : text(asPattern(String(known)))
  }
  const get = () =>
    parts.flatMap((part) =>
      isQuoted(part) ? (part["type"] === "DoubleQuoted" ? partsOf(part) : [part]).map(literally) : [part],
    )
  return Object.defineProperty({ ...word }, "parts", { enumerable: true, get })
}

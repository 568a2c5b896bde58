// Patterns of `case` that are quoted in part (`*'*'*`, `\[*\]`, `"$prefix"*`): the interpreter ignores the quotes unless they
// enclose the whole pattern.
// Receives a pattern whose children are already rewritten; returns it with a backslash before each quoted special character.
// Invariant: a quoted expansion that is more than the name of a variable with a value is left to the interpreter.
import type { Variables } from "../arithmetic/octal.ts"
import { partsOf } from "../../syntax/node-fields.ts"
import { type Node, text } from "../../syntax/nodes.ts"

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
    const value = part["operation"] === null ? variables.get(String(part["parameter"])) : part["value"]
    return value === undefined ? part : text(String(value).replace(/[*?[\]\\()|]/g, "\\$&"))
  }
  const get = () =>
    parts.flatMap((part) =>
      isQuoted(part) ? (part["type"] === "DoubleQuoted" ? partsOf(part) : [part]).map(literally) : [part],
    )
  return Object.defineProperty({ ...word }, "parts", { enumerable: true, get })
}

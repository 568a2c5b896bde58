// Patterns of `case` that are quoted in part (`*'*'*`, `\[*\]`, `"$prefix"*`): the interpreter ignores the quotes unless they
// enclose the whole pattern.
// Receives a pattern whose children are already rewritten; returns it with a backslash before each quoted special character.
// Invariant: a quoted expansion that is more than a name keeps its value as it is.
import type { Variables } from "../arithmetic/octal.ts"
import { partsOf } from "../../syntax/node-fields.ts"
import { type Node, text } from "../../syntax/nodes.ts"

const QUOTED = /^(?:Escaped|SingleQuoted|DoubleQuoted)$/

const literally = (value: unknown): Node => text(String(value).replace(/[*?[\]\\()|]/g, "\\$&"))

/** The parts of a text in double quotes. The value of an array or a variable that is not set is left to the interpreter. */
const inQuotes = (inner: Node, { get }: Variables): Node => {
  if (inner["type"] !== "ParameterExpansion") return inner["type"] === "Literal" ? literally(inner["value"]) : inner
  const value = inner["operation"] === null ? get(String(inner["parameter"])) : undefined
  return value === undefined ? inner : literally(value)
}

/** Writes `[!…]` as `[^…]`, which is the only form that the interpreter supports in patterns of `case` and `[[`. */
export const withNegations = (word: Node): Node => ({
  ...word,
  parts: partsOf(word).map((part) =>
    part["type"] === "Glob" ? { ...part, pattern: String(part["pattern"]).replaceAll("[!", "[^") } : part,
  ),
})

export const withQuotedParts = (word: Node, variables: Variables): Node => {
  const parts = partsOf(word)
  if (parts.every(({ type }) => QUOTED.test(String(type)))) return word
  const get = () =>
    parts.flatMap((part) => {
      if (part["type"] === "DoubleQuoted") return partsOf(part).map((inner) => inQuotes(inner, variables))
      return QUOTED.test(String(part["type"])) ? [literally(part["value"])] : [part]
    })
  return Object.defineProperty({ ...word }, "parts", { enumerable: true, get })
}

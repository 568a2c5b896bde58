// `&` in the replacement of `${x/pattern/<&>}` is the text that the pattern has matched, as in bash 5.2. The interpreter inserts
// the character.
// Receives an expansion whose children are already rewritten; returns it with the matched text in place of each `&`.
// Invariant: an expansion whose pattern matches different texts (`${x/[ab]/&}`) is refused.
import type { Reading } from "../arithmetic/arithmetic.ts"
import { type Node, text, variable, wordOf } from "../../syntax/nodes.ts"
import { nodeAt, partsOf } from "../../syntax/node-fields.ts"

/** The only text that a part of a pattern matches, as parts of a text in double quotes; null for a pattern. */
const matchedBy = (part: Node): ReadonlyArray<Node> | null => {
  switch (part["type"]) {
    case "Literal":
    case "Escaped":
    case "SingleQuoted":
      return [text(String(part["value"]))]
    case "DoubleQuoted":
      return partsOf(part)
    case "ParameterExpansion":
      return [part]
    default:
      return null
  }
}

/** The unquoted text of a part of a replacement: for the parser, `[&]` is a pattern there. */
const textOf = ({ type, value, pattern }: Node): string | null =>
  type === "Literal" ? String(value) : type === "Glob" ? String(pattern) : null

const AMPERSAND = wordOf(text("&"))

/** The parts of a replacement with the matched text in place of `&`, unless it is quoted. */
const replaced = (part: Node, match: Node): ReadonlyArray<Node> => {
  const plain = textOf(part)
  if (plain !== null) return plain.split("&").flatMap((piece, at) => (at === 0 ? [text(piece)] : [match, text(piece)]))
  if (part["type"] !== "ParameterExpansion" || part["operation"] !== null) return [part]
  const operation = { pattern: AMPERSAND, replacement: wordOf(match), all: true, anchor: null }
  return [variable(String(part["parameter"]), { type: "PatternReplacement", ...operation })]
}

export const withMatches = (expansion: Node, { insertsMatches, refuse }: Reading): Node => {
  const operation = nodeAt(expansion, "operation")
  const replacement = partsOf(operation?.["replacement"])
  const isActive = replacement.some(
    (part) => textOf(part)?.includes("&") === true || part["type"] === "ParameterExpansion",
  )
  if (operation?.["type"] !== "PatternReplacement" || !isActive || !insertsMatches) return expansion
  const matched = partsOf(operation["pattern"]).map(matchedBy)
  if (matched.includes(null)) {
    if (replacement.some((part) => textOf(part)?.includes("&")))
      refuse("& in the replacement of a pattern (write \\& for the character)")
    return expansion
  }
  const match = { type: "DoubleQuoted", parts: matched.flatMap((parts) => parts ?? []) }
  return {
    ...expansion,
    operation: { ...operation, replacement: wordOf(...replacement.flatMap((part) => replaced(part, match))) },
  }
}

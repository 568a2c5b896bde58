// Sets of characters with quotes or variables in them (`${x//[$set]/_}`, `${x//[\"\']/}`): the interpreter translates each part of
// a pattern on its own, so that the brackets would match themselves.
// Receives an expansion whose children are already rewritten; returns it with one part, which expands to the whole set.
// Invariant: a bracket that is not closed stays a character.
import { nodeAt, partsOf } from "../syntax/node-fields.ts"
import { type Node, quoted, text, variable } from "../syntax/nodes.ts"

/** A variable that is never set. */
const UNSET = "__perch_unset"
/** Matches a set at its start, as far as it is closed. */
const SET = /^\[[!^]?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]/

/** True for a text with a bracket that it does not close. */
const isOpen = (pattern: string): boolean => {
  for (let at = pattern.indexOf("["); at !== -1; at = pattern.indexOf("[", at)) {
    const [set] = SET.exec(pattern.slice(at)) ?? []
    if (set === undefined) return true
    at += set.length
  }
  return false
}

const literally = (value: unknown): Node => text(String(value).replace(/[\]\\^!'-]/g, "\\$&"))

/** The part as it is in a set, where a backslash makes the next character literal. */
const inSet = (part: Node): ReadonlyArray<Node> => {
  switch (part["type"]) {
    case "Glob":
      return [text(String(part["pattern"]).replaceAll("[!", "[^"))]
    case "Escaped":
    case "SingleQuoted":
      return [literally(part["value"])]
    case "DoubleQuoted":
      return partsOf(part).map((inner) => (inner["type"] === "Literal" ? literally(inner["value"]) : inner))
    default:
      return [part]
  }
}

/** The index of the part that closes the set which the part at `from` opens; -1 if it stays open. */
const closing = (parts: ReadonlyArray<Node>, from: number): number =>
  parts.findIndex(
    (part, at) =>
      at > from &&
      /^(?:Literal|Glob)$/.test(String(part["type"])) &&
      String(part["value"] ?? part["pattern"]).includes("]"),
  )

const merged = (parts: ReadonlyArray<Node>): ReadonlyArray<Node> => {
  const from = parts.findIndex(({ type, pattern }) => type === "Glob" && isOpen(String(pattern)))
  const to = from === -1 ? -1 : closing(parts, from)
  if (to === -1) return parts
  const word = quoted(...parts.slice(from, to + 1).flatMap(inSet))
  const set = variable(UNSET, { type: "DefaultValue", word, checkEmpty: false })
  return [...parts.slice(0, from), set, ...merged(parts.slice(to + 1))]
}

export const withSets = (part: Node): Node => {
  const operation = nodeAt(part, "operation")
  if (operation === null || !/^(?:PatternRemoval|PatternReplacement)$/.test(String(operation["type"]))) return part
  const pattern = nodeAt(operation, "pattern")
  const parts = partsOf(pattern)
  const whole = merged(parts)
  return whole === parts ? part : { ...part, operation: { ...operation, pattern: { ...pattern, parts: whole } } }
}

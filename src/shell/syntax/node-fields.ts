// Receives a syntax node, or what is in its place, and returns the nodes in one of its fields. Rewriting replaces fields of all
// kinds of nodes, so a node is a record here and not one of the parser's types.
// Invariant: a field that is absent or null is read as null or as an empty list, and each field is read once: a getter may count.
import type { Node } from "./nodes.ts"

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The node in a field; null if there is none. */
export const nodeAt = (node: Node, field: string): Node | null => {
  const value = node[field]
  return isNode(value) ? value : null
}

/** The nodes in a field with a list. The parser's lists of objects contain only nodes. */
export const nodesAt = (node: Node, field: string): ReadonlyArray<Node> => {
  const value = node[field]
  return Array.isArray(value) ? value : []
}

/** The parts of a word or of a quoted part; none for a command without a name, which has null in place of the word. */
export const partsOf = (word: unknown): ReadonlyArray<Node> => (isNode(word) ? nodesAt(word, "parts") : [])

/** The text of a word that consists of one unquoted text; null for any other word. */
export const literalOf = (word: unknown): string | null => {
  const [only, more] = partsOf(word)
  return more === undefined && only?.["type"] === "Literal" ? String(only["value"]) : null
}

// Receives a statement or a pipeline of a parsed script that prints to the script's own output; returns the nodes inside it that
// do so, too.
// Invariant: nodes that print to a substitution, a pipe or a file are not included; in case of doubt, a node is omitted.
import type { Node } from "./nodes.ts"

export type PrintingNodes = ReadonlySet<unknown>

export const NO_NODES: PrintingNodes = new Set()

/** Caches the results, since the nodes of a loop are queried in each iteration. */
const known = new WeakMap<object, PrintingNodes>()

export const printingNodes = (node: unknown): PrintingNodes => {
  if (typeof node !== "object" || node === null) return NO_NODES
  const before = known.get(node)
  if (before !== undefined) return before
  // A node of the interpreter's own syntax tree.
  const nodes = new Set(nodesOf(node as Node))
  known.set(node, nodes)
  return nodes
}

const nodesOf = (node: Node): ReadonlyArray<unknown> => {
  if (node["type"] === "Statement") return list(node["pipelines"])
  if (node["type"] !== "Pipeline") return []
  // All commands but the last one print into a pipe.
  const command = list(node["commands"]).at(-1) as Node | undefined
  return command === undefined || list(command["redirections"]).length > 0 ? [] : statementsOf(command)
}

const statementsOf = (command: Node): ReadonlyArray<unknown> => {
  switch (command["type"]) {
    case "If":
      return [...branches(command["clauses"]), ...list(command["elseBody"])]
    case "Case":
      return branches(command["items"])
    case "For":
    case "CStyleFor":
    case "Group":
    case "Subshell":
      return list(command["body"])
    case "While":
    case "Until":
      return [...list(command["condition"]), ...list(command["body"])]
    default:
      return []
  }
}

const branches = (nodes: unknown): ReadonlyArray<unknown> =>
  (list(nodes) as ReadonlyArray<Node>).flatMap(({ condition, body }) => [...list(condition), ...list(body)])

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

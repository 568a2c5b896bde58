// Receives a statement or a pipeline of a parsed script that prints to the script's own output; returns the nodes inside it that
// do so, too.
// Invariant: nodes that print to a substitution, a pipe or a file are not included; in case of doubt, a node is omitted.
import { isNode, nodesAt } from "./node-fields.ts"
import type { Node } from "./nodes.ts"

export type PrintingNodes = ReadonlySet<unknown>

export const NO_NODES: PrintingNodes = new Set()

/** Caches the results, since the nodes of a loop are queried in each iteration. */
const known = new WeakMap<object, PrintingNodes>()

export const printingNodes = (node: unknown): PrintingNodes => {
  if (!isNode(node)) return NO_NODES
  const before = known.get(node)
  if (before !== undefined) return before
  const nodes = new Set(nodesOf(node))
  known.set(node, nodes)
  return nodes
}

const nodesOf = (node: Node): ReadonlyArray<unknown> => {
  if (node["type"] === "Statement") return nodesAt(node, "pipelines")
  if (node["type"] !== "Pipeline") return []
  // All commands but the last one print into a pipe.
  const command = nodesAt(node, "commands").at(-1)
  return command === undefined || nodesAt(command, "redirections").length > 0 ? [] : statementsOf(command)
}

const statementsOf = (command: Node): ReadonlyArray<unknown> => {
  switch (command["type"]) {
    case "If":
      return [...branches(nodesAt(command, "clauses")), ...nodesAt(command, "elseBody")]
    case "Case":
      return branches(nodesAt(command, "items"))
    case "For":
    case "CStyleFor":
    case "Group":
    case "Subshell":
      return nodesAt(command, "body")
    case "While":
    case "Until":
      return [...nodesAt(command, "condition"), ...nodesAt(command, "body")]
    default:
      return []
  }
}

const branches = (nodes: ReadonlyArray<Node>): ReadonlyArray<unknown> =>
  nodes.flatMap((node) => [...nodesAt(node, "condition"), ...nodesAt(node, "body")])

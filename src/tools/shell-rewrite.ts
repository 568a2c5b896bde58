// Receives a parsed script; returns one in which the forms that the interpreter reads wrongly stand as equal ones.
// Invariant: the script means the same in bash.
import type { Bash } from "just-bash/browser"
import type { Script } from "./shell-words.ts"

type Plugin = Parameters<Bash["registerTransformPlugin"]>[0]
type Node = Record<string, unknown>

const ALL_ARGUMENTS = {
  type: "Word",
  parts: [{ type: "DoubleQuoted", parts: [{ type: "ParameterExpansion", parameter: "@", operation: null }] }],
}

const COMMAND = { type: "Word", parts: [{ type: "Literal", value: "command" }] }

/** True for a name that is a bare variable: bash splits its value into a name and arguments. */
const isVariable = (word: unknown): boolean => {
  // A word of the parser's tree.
  const { parts } = word as { readonly parts: ReadonlyArray<Node> }
  return parts.length === 1 && parts[0]?.["type"] === "ParameterExpansion"
}

const definesFunctions = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(definesFunctions)
  if (typeof node !== "object" || node === null) return false
  return (node as Node)["type"] === "FunctionDef" || Object.values(node).some(definesFunctions)
}

/** `for x; do` goes over "$@"; `$cmd x` is `command $cmd x` where the script has no functions that it could mean. */
const rewrite = (node: unknown, splits: boolean): unknown => {
  if (Array.isArray(node)) return node.map((item) => rewrite(item, splits))
  if (typeof node !== "object" || node === null) return node
  const copy: Node = {}
  for (const [key, value] of Object.entries(node)) copy[key] = rewrite(value, splits)
  if (copy["type"] === "For" && copy["words"] === null) copy["words"] = [ALL_ARGUMENTS]
  const { type, name, args } = copy
  if (splits && type === "SimpleCommand" && Array.isArray(args) && name !== null && isVariable(name)) {
    copy["args"] = [name, ...args]
    copy["name"] = COMMAND
  }
  return copy
}

export const rewritePlugin: Plugin = {
  name: "perch-rewrite",
  // The copy has the nodes of the tree that came in, and words of the parser's own shape.
  transform: ({ ast, metadata }) => ({ ast: rewrite(ast, !definesFunctions(ast)) as Script, metadata }),
}

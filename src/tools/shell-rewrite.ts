// Receives a parsed script; returns one in which the forms that the interpreter reads wrongly stand as equal ones.
// Invariant: the script means the same in bash.
import type { Bash } from "just-bash/browser"
import { asOne, formOf, type Node, text, wordOf } from "./shell-forms.ts"
import type { ShellBudget } from "./shell-budget.ts"
import { YES_FOR } from "./shell-text-programs.ts"
import type { Script } from "./shell-words.ts"

type Plugin = Parameters<Bash["registerTransformPlugin"]>[0]

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

/** Every run of an append is told to the budget: an array that grows by one is copied each time. */
const counted = (node: Node, budget: ShellBudget): Node => {
  const words = node["array"]
  let appends = 0
  return Object.defineProperty({ ...node }, "array", {
    enumerable: true,
    get: () => {
      budget.append((appends += 1))
      return words
    },
  })
}

const literal = (word: unknown): string | null => {
  // A word of the parser's tree, or no name at all.
  const parts = (word as { readonly parts?: ReadonlyArray<Node> } | null)?.parts ?? []
  const [only] = parts
  return parts.length === 1 && only?.["type"] === "Literal" ? String(only["value"]) : null
}

/** How many lines a command that begins a script's `head` takes. */
const headLines = ({ name, args }: Node): string | null => {
  if (literal(name) !== "head" || !Array.isArray(args)) return null
  if (args.length === 0) return "10"
  const text = args.map(literal).join(" ")
  return /^-(?:n ?|-lines=)?(\d+)$/.exec(text)?.[1] ?? null
}

/** `yes | head -n 5` tells yes how much is read of it. */
const bounded = (pipeline: Node): void => {
  const { commands } = pipeline
  if (!Array.isArray(commands)) return
  commands.forEach((command: Node, at) => {
    const next: Node | undefined = commands[at + 1]
    const lines = next === undefined || literal(command["name"]) !== "yes" ? null : headLines(next)
    if (lines !== null && Array.isArray(command["args"]))
      command["args"] = [wordOf(text(`${YES_FOR}${lines}`)), ...command["args"]]
  })
}

/** `for x; do` goes over "$@"; `$cmd x` is `command $cmd x` where the script has no functions that it could mean. */
const rewrite = (node: unknown, splits: boolean, budget: ShellBudget): unknown => {
  if (Array.isArray(node)) return node.map((item) => rewrite(item, splits, budget))
  if (typeof node !== "object" || node === null) return node
  const copy: Node = {}
  for (const [key, value] of Object.entries(node)) copy[key] = rewrite(value, splits, budget)
  if (copy["type"] === "For" && copy["words"] === null) copy["words"] = [ALL_ARGUMENTS]
  const { type, name, args } = copy
  if (splits && type === "SimpleCommand" && Array.isArray(args) && name !== null && isVariable(name)) {
    copy["args"] = [name, ...args]
    copy["name"] = COMMAND
  }
  if (type === "Pipeline") bounded(copy)
  if (type === "Assignment" && copy["append"] === true && Array.isArray(copy["array"])) return counted(copy, budget)
  return formOf(copy)
}

export const rewritePlugin = (budget: ShellBudget): Plugin => ({
  name: "perch-rewrite",
  transform: ({ ast, metadata }) => {
    budget.innerScript()
    // The copy has the nodes of the tree that came in, and others of the parser's own shape.
    const { statements, ...script } = rewrite(ast, !definesFunctions(ast), budget) as Node & { statements: Array<Node> }
    return { ast: { ...script, statements: asOne(statements) } as unknown as Script, metadata }
  },
})

// Receives a parsed script; returns a script in which forms that the interpreter misreads are replaced with equivalent ones.
// Invariant: the script has the same meaning in bash.
import type { Bash } from "just-bash/browser"
import { isSubstitution } from "./errexit.ts"
import type { ShellBudget } from "../budget.ts"
import { asOne, formOf } from "./forms.ts"
import { group, type Node, simple, statement, text, wordOf } from "../syntax/nodes.ts"
import { withDeclaredArrays } from "../syntax/declared-arrays.ts"
import { parseScript } from "../syntax/script.ts"
import { CALL, LEAVING, type ShellSession } from "../session.ts"
import { YES_FOR } from "../programs/text-programs.ts"
import type { Script } from "../syntax/words.ts"

type Plugin = Parameters<Bash["registerTransformPlugin"]>[0]

const ALL_ARGUMENTS = {
  type: "Word",
  parts: [{ type: "DoubleQuoted", parts: [{ type: "ParameterExpansion", parameter: "@", operation: null }] }],
}

const COMMAND = wordOf(text(CALL))

/** True for a name that bash expands to a name and arguments: a bare variable, `"$@"` or the elements of an array. */
const isWords = (word: unknown): boolean => {
  // A word from the parser's tree.
  const { parts } = word as { readonly parts: ReadonlyArray<Node> }
  const [only, more] = parts
  if (more !== undefined) return false
  if (only?.["type"] === "ParameterExpansion") return true
  const inner = only?.["type"] === "DoubleQuoted" ? (only["parts"] as ReadonlyArray<Node>) : []
  const [element] = inner
  return (
    inner.length === 1 &&
    element?.["type"] === "ParameterExpansion" &&
    /(?:^|\[)@\]?$/.test(String(element["parameter"]))
  )
}

const contains = (node: unknown, test: (node: Node) => boolean): boolean => {
  if (Array.isArray(node)) return node.some((item) => contains(item, test))
  if (typeof node !== "object" || node === null) return false
  return test(node as Node) || Object.values(node).some((value) => contains(value, test))
}

/** True for a text that contains `eval` and may itself be evaluated. A plain `eval` is a command, which is analysed as such. */
const evaluates = ({ value }: Node): boolean => typeof value === "string" && value !== "eval" && /\beval\b/.test(value)

const isCall = (name: string) => (node: Node) => node["type"] === "SimpleCommand" && literal(node["name"]) === name

/** Charges every append to the budget, because an array is copied each time it grows. */
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
  // A word from the parser's tree, or null for a command without a name.
  const parts = (word as { readonly parts?: ReadonlyArray<Node> } | null)?.parts ?? []
  const [only] = parts
  return parts.length === 1 && only?.["type"] === "Literal" ? String(only["value"]) : null
}

/** How many lines a `head` command reads, as text; null for any other command or option. */
const headLines = ({ name, args }: Node): string | null => {
  if (literal(name) !== "head" || !Array.isArray(args)) return null
  if (args.length === 0) return "10"
  const text = args.map(literal).join(" ")
  return /^-(?:n ?|-lines=)?(\d+)$/.exec(text)?.[1] ?? null
}

/** In `yes | head -n 5`, passes to yes how many lines head reads. */
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

interface Rewriting {
  /** True if the script contains `trap`. */
  readonly traps: boolean
  /** True if the script mentions `inherit_errexit`. */
  readonly inheritsErrexit: boolean
  readonly budget: ShellBudget
  readonly session: ShellSession
}

const leaving = (exit: Node): Node => {
  const args = exit["args"] as ReadonlyArray<unknown>
  const code = literal(args[0])
  const keeps = simple(LEAVING, code === null ? [] : [wordOf(text(code))])
  return group([statement(keeps), statement(exit)])
}

/** `exec cmd` replaces the shell, so nothing after it runs. (An `exec` with only redirections is not changed.) */
const replacing = (exec: Node, traps: boolean): Node => {
  const args = exec["args"] as ReadonlyArray<unknown>
  const called = literal(args[0]) === "--" ? { ...exec, args: args.slice(1) } : exec
  // The shell's EXIT trap is lost with the shell.
  const first = traps ? [statement(simple("trap", [wordOf(text("-")), wordOf(text("EXIT"))]))] : []
  return group([...first, statement(called), statement(simple("exit", []))])
}

const startsProgram = ({ args }: Node): boolean => Array.isArray(args) && args.some((word) => literal(word) !== "--")

/** Rewrites a node and its children: `for x; do` iterates over "$@"; commands like `$cmd x` become arguments of `perch-call`. */
const rewrite = (node: unknown, rewriting: Rewriting): unknown => {
  if (Array.isArray(node)) return node.map((item) => rewrite(item, rewriting))
  if (typeof node !== "object" || node === null) return node
  const { budget, session } = rewriting
  const copy: Node = {}
  for (const [key, value] of Object.entries(node)) copy[key] = rewrite(value, rewriting)
  if (copy["type"] === "For" && copy["words"] === null) copy["words"] = [ALL_ARGUMENTS]
  const { type, name, args } = copy
  if (type === "SimpleCommand" && Array.isArray(args) && name !== null && isWords(name)) {
    copy["args"] = [name, ...args]
    copy["name"] = COMMAND
  }
  if (type === "Pipeline") bounded(copy)
  if (rewriting.traps && isCall("exit")(copy)) return leaving(copy)
  if (isCall("exec")(copy) && startsProgram(copy)) return replacing(copy, rewriting.traps)
  // `shopt -s inherit_errexit` makes `set -e` apply in substitutions, too.
  if (type === "CommandSubstitution" && !rewriting.inheritsErrexit) isSubstitution(copy["body"] as object)
  if (type === "FunctionDef") session.define(String(name), copy)
  if (type === "Assignment" && copy["append"] === true && Array.isArray(copy["array"])) return counted(copy, budget)
  return formOf(copy, (source) => {
    budget.innerScript()
    const statements = parseScript(source)
    return statements === null ? null : (rewrite(statements, rewriting) as ReadonlyArray<Node>)
  })
}

export const rewritePlugin = (budget: ShellBudget, session: ShellSession): Plugin => ({
  name: "perch-rewrite",
  transform: ({ ast, metadata }) => {
    budget.innerScript()
    if (contains(ast, evaluates)) budget.evaluates()
    const inherited = session.inherited()
    const rewriting = {
      traps: contains(ast, isCall("trap")),
      inheritsErrexit: contains(ast, ({ value }) => value === "inherit_errexit"),
      budget,
      session,
    }
    // The copy consists of nodes of the original tree, and of new nodes in the parser's own shape.
    const read = { ...ast, statements: withDeclaredArrays(ast.statements, parseScript) }
    const { statements, ...script } = rewrite(read, rewriting) as Node & { statements: Array<Node> }
    return { ast: { ...script, statements: asOne([...inherited, ...statements]) } as unknown as Script, metadata }
  },
})

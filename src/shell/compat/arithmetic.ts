// Receives an arithmetic node of a parsed script whose expression contains `$(…)` as text; returns an equivalent node in
// which those commands run first, in the script's own shell: they share its variables, arguments and functions.
// Invariant: a node that is not fully understood, or that assigns inside an expansion, is returned unchanged.
import { assignment, type Node, simple, statement, substitution, text, variable, wordOf } from "../syntax/nodes.ts"

/** Returns the rewritten statements of a script; null when it does not parse. */
export type ReadStatements = (source: string) => ReadonlyArray<Node> | null

const NAME = "__perch_value_"

/** A command in the expression, and the forms in which it may be written there. */
interface Inner {
  readonly script: string
  readonly written: ReadonlyArray<string>
}

interface Found {
  readonly commands: Array<Inner>
  assigns: boolean
}

const commandAt = (script: string): Inner => ({ script, written: [`$(${script})`, `\`${script}\``] })

/** In arithmetic, the interpreter does not evaluate a subscript inside braces, so a command prints `${count[$word]:-0}`. */
const braced = (type: unknown, content: string): Inner | null =>
  type === "ArithBracedExpansion" && /^#?\w+\[(?!(?:\d+|[@*])\])/.test(content)
    ? { script: `printf %s "\${${content}}"`, written: [`\${${content}}`] }
    : null

/** Replaces the commands of an expression with variables, and collects them in `found`. */
const named = (node: unknown, found: Found): unknown => {
  if (Array.isArray(node)) return node.map((item) => named(item, found))
  if (typeof node !== "object" || node === null) return node
  const { type, command, operator, content } = node as Node
  const inner = type === "ArithCommandSubst" ? commandAt(String(command)) : braced(type, String(content))
  if (inner !== null) {
    found.commands.push(inner)
    return { type: "ArithVariable", name: `${NAME}${found.commands.length}` }
  }
  if (String(type).includes("Assignment") || operator === "++" || operator === "--") found.assigns = true
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, named(value, found)]))
}

/** Does the same in the source text of the expression; returns null when a command is not found in it. */
const namedText = (source: string, commands: ReadonlyArray<Inner>): string | null => {
  let [result, from] = ["", 0]
  for (const [at, { written }] of commands.entries()) {
    const forms = written.map((form) => [source.indexOf(form, from), form.length] as const)
    const first = forms.filter(([place]) => place >= 0).toSorted(([a], [b]) => a - b)[0]
    if (first === undefined) return null
    result += `${source.slice(from, first[0])}${NAME}${at + 1}`
    from = first[0] + first[1]
  }
  return result + source.slice(from)
}

interface Split {
  readonly before: ReadonlyArray<Node>
  readonly expression: Node
  readonly assigns: boolean
}

const split = (expression: Node, read: ReadStatements): Split | null => {
  const found: Found = { commands: [], assigns: false }
  const inner = named(expression["expression"], found)
  if (found.commands.length === 0) return null
  const originalText = namedText(String(expression["originalText"]), found.commands)
  const scripts = found.commands.map(({ script }) => read(script))
  if (originalText === null) return null
  const before: Array<Node> = []
  for (const [at, statements] of scripts.entries()) {
    if (statements === null) return null
    const value = wordOf({ type: "DoubleQuoted", parts: [substitution(statements)] })
    before.push(statement(simple(null, [], [assignment(`${NAME}${at + 1}`, value)])))
  }
  return { before, expression: { ...expression, expression: inner, originalText }, assigns: found.assigns }
}

/** Replaces `$((…))` with a substitution in which the commands run first and then the result is printed. */
export const expansionOf = (node: Node, read: ReadStatements): Node => {
  const parts = split(node["expression"] as Node, read)
  if (parts === null || parts.assigns) return node
  const sum = variable(`${NAME}0`)
  const computed = wordOf({ ...node, expression: parts.expression })
  return substitution([
    ...parts.before,
    statement(simple(null, [], [assignment(`${NAME}0`, computed)])),
    statement(simple("printf", [wordOf(text("%s")), wordOf({ type: "DoubleQuoted", parts: [sum] })])),
  ])
}

/** Replaces `((…))` with a group that runs its commands first. */
export const commandOf = (node: Node, read: ReadStatements): Node => {
  const parts = split(node["expression"] as Node, read)
  if (parts === null) return node
  const { redirections = [], ...command } = node
  const body = [...parts.before, statement({ ...command, expression: parts.expression, redirections: [] })]
  return { type: "Group", body, redirections }
}

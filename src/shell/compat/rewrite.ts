// Receives a parsed script; returns a script in which forms that the interpreter misreads are replaced with equivalent ones.
// Invariant: the script has the same meaning in bash.
import type { Bash } from "just-bash/browser"
import { asSubshell } from "./background.ts"
import { markSubstitution } from "./exit-codes/errexit.ts"
import { keepDefinition } from "./builtins/functions.ts"
import type { ShellBudget } from "../budget.ts"
import { asLevel, formOf } from "./forms.ts"
import { CAPTURES, group, type Node, REDIRECTED, REWRITTEN, simple, statement, text, wordOf } from "../syntax/nodes.ts"
import { withMergedOutputs, withMergedPipes } from "./outputs/merged-outputs.ts"
import { missingIn } from "./missing-commands.ts"
import { isNode, literalOf, nodeAt, nodesAt, partsOf } from "../syntax/node-fields.ts"
import { withDeclaredArrays } from "../syntax/declared-arrays.ts"
import { parseScript } from "../syntax/parser.ts"
import { asRedirected } from "../syntax/parser-gaps.ts"
import { asGroup, functionsIn, isolating, lastingIn, movesIn, withFixedTargets } from "./targets.ts"
import { CALL, CALL_OUTPUT, type ShellSession } from "../session.ts"
import { withoutLines } from "./traps.ts"
import { YES_FOR } from "../programs/text-programs.ts"
import { READ_SCRIPT, readingScript } from "./scripts/read-scripts.ts"
import type { Script } from "../syntax/words.ts"

type Plugin = Parameters<Bash["registerTransformPlugin"]>[0]

const ALL_ARGUMENTS = {
  type: "Word",
  parts: [{ type: "DoubleQuoted", parts: [{ type: "ParameterExpansion", parameter: "@", operation: null }] }],
}

/** The command that runs the words of an expansion. */
const commandOf = (word: unknown): Node =>
  wordOf(text(contains(word, ({ type }) => type === "CommandSubstitution") ? CALL_OUTPUT : CALL))

/** True for a name that bash expands to a name and arguments: a bare variable or `$(…)`, `"$@"` or the elements of an array. */
const isWords = (word: unknown): boolean => {
  const [only, more] = partsOf(word)
  if (more !== undefined) return false
  if (only?.["type"] === "ParameterExpansion" || only?.["type"] === "CommandSubstitution") return true
  const inner = only?.["type"] === "DoubleQuoted" ? partsOf(only) : []
  const [element] = inner
  return (
    inner.length === 1 &&
    element?.["type"] === "ParameterExpansion" &&
    /(?:^|\[)@\]?$/.test(String(element["parameter"]))
  )
}

const contains = (node: unknown, test: (node: Node) => boolean): boolean => {
  if (Array.isArray(node)) return node.some((item) => contains(item, test))
  return isNode(node) && (test(node) || Object.values(node).some((value) => contains(value, test)))
}

/** True for a text that contains `eval` and may itself be evaluated. A plain `eval` is a command, which is analysed as such. */
const evaluates = ({ value }: Node): boolean => typeof value === "string" && value !== "eval" && /\beval\b/.test(value)

const isCall = (name: string) => (node: Node) => node["type"] === "SimpleCommand" && literalOf(node["name"]) === name

const keepsAmpersands = (node: Node): boolean =>
  isCall("shopt")(node) && nodesAt(node, "args").map(literalOf).join(" ") === "-u patsub_replacement"

const receivesOutput = ({ type, direction }: Node): boolean => type === "ProcessSubstitution" && direction === "output"

/** How many lines a `head` command reads, as text; null for any other command or option. */
const headLines = ({ name, args }: Node): string | null => {
  if (literalOf(name) !== "head" || !Array.isArray(args)) return null
  if (args.length === 0) return "10"
  const text = args.map(literalOf).join(" ")
  return /^-(?:n ?|-lines=)?(\d+)$/.exec(text)?.[1] ?? null
}

/** In `yes | head -n 5`, passes to yes how many lines head reads. */
const bounded = (pipeline: Node): void => {
  const { commands } = pipeline
  if (!Array.isArray(commands)) return
  commands.forEach((command: Node, at) => {
    const next: Node | undefined = commands[at + 1]
    const lines = next === undefined || literalOf(command["name"]) !== "yes" ? null : headLines(next)
    if (lines !== null && Array.isArray(command["args"]))
      command["args"] = [wordOf(text(`${YES_FOR}${lines}`)), ...command["args"]]
  })
}

const COMPOUND = /^(?:Group|Subshell|If|For|CStyleFor|While|Until|Case)$/

const isBackground = ({ background }: Node): boolean => background === true

const WITHOUT_INPUT = /^(?:If|For|CStyleFor|Case)$/

/** Wraps `if`, `for` and `case` after a pipe in a group: the interpreter passes them no input. */
const withInput = (pipeline: Node): void => {
  const { commands } = pipeline
  if (!Array.isArray(commands) || commands.length < 2) return
  pipeline["commands"] = commands.map((command: Node, at) =>
    at > 0 && WITHOUT_INPUT.test(String(command["type"])) ? group([statement(command)]) : command,
  )
}

interface Rewriting {
  /** True if the script contains `trap` or `>(…)`: something may run when its shells end. */
  readonly traps: boolean
  /** True if the script mentions `inherit_errexit`. */
  readonly inheritsErrexit: boolean
  /** True if the script mentions `nocaseglob`. */
  readonly ignoresCase: boolean
  /** False if the script turns off `patsub_replacement`. */
  readonly insertsMatches: boolean
  readonly associative: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
  /** Names of the commands that may change the directory. */
  readonly moves: ReadonlySet<string>
  /** Names of the commands that a pipeline must isolate. */
  readonly lasting: ReadonlySet<string>
  /** True if the script mentions `lastpipe`. */
  readonly keepsLast: boolean
  readonly budget: ShellBudget
  readonly session: ShellSession
  /** The first syntax error that the parser has overlooked. */
  missing: string | null
}

/** `exec cmd` replaces the shell, so nothing after it runs. (An `exec` with only redirections is not changed.) */
const replacing = (exec: Node, traps: boolean): Node => {
  const args = nodesAt(exec, "args")
  const called = literalOf(args[0]) === "--" ? { ...exec, args: args.slice(1) } : exec
  // The shell's EXIT trap is lost with the shell.
  const first = traps ? [statement(simple("trap", [wordOf(text("-")), wordOf(text("EXIT"))]))] : []
  return group([...first, statement(called), statement(simple("exit", []))])
}

const startsProgram = ({ args }: Node): boolean => Array.isArray(args) && args.some((word) => literalOf(word) !== "--")

const rewriteValue = (value: unknown, rewriting: Rewriting): unknown => {
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, rewriting))
  return isNode(value) ? rewrite(value, rewriting) : value
}

const rewriteAll = (statements: ReadonlyArray<unknown>, rewriting: Rewriting): ReadonlyArray<Node> =>
  statements.filter(isNode).map((one) => rewrite(one, rewriting))

/** Rewrites a node and its children: `for x; do` iterates over "$@"; commands like `$cmd x` become arguments of `perch-call`. */
const rewrite = (given: Node, rewriting: Rewriting): Node => {
  const { budget, session } = rewriting
  if (isBackground(given)) session.threads.used = true
  const node = withMergedPipes(asSubshell(given))
  const copy: Node = {}
  const numbered = node["type"] !== "CommandSubstitution"
  for (const [key, value] of Object.entries(node))
    copy[key] = rewriteValue(numbered ? value : withoutLines(value), rewriting)
  // Only the parser's own nodes are checked: those that are inserted may be empty.
  if (copy["type"] === "Statement") rewriting.missing ??= missingIn(node)
  if (copy["type"] === "For" && copy["words"] === null) copy["words"] = [ALL_ARGUMENTS]
  const { type, name, args } = copy
  if (type === "Redirection") return asRedirected(copy)
  const inner = rewriting.traps ? asLevel : (statements: ReadonlyArray<Node>) => statements
  if (type === "SimpleCommand" && Array.isArray(args) && name !== null && isWords(name)) {
    copy["args"] = [name, ...args]
    copy["name"] = commandOf(name)
  }
  if (type === "Pipeline") {
    bounded(copy)
    withInput(copy)
    isolating(copy, rewriting, inner)
  }
  if (type === "Script") copy[REWRITTEN] = true
  if (rewriting.traps && type === "Subshell") copy["body"] = asLevel(nodesAt(copy, "body"))
  if (isCall(READ_SCRIPT)(copy))
    return readingScript(readWith(budget, session), literalOf(nodesAt(copy, "args")[0]) === "sh")
  if (isCall("exec")(copy) && startsProgram(copy)) return replacing(copy, rewriting.traps)
  if (rewriting.traps && type === "CommandSubstitution") {
    const body = nodeAt(copy, "body") ?? {}
    copy["body"] = { ...body, statements: asLevel(nodesAt(body, "statements")) }
  }
  if (type === "CommandSubstitution" || (type === "ProcessSubstitution" && copy["direction"] === "input"))
    copy["body"] = { ...nodeAt(copy, "body"), [CAPTURES]: true }
  // `shopt -s inherit_errexit` makes `set -e` apply in substitutions, too.
  if (type === "CommandSubstitution" && !rewriting.inheritsErrexit) markSubstitution(nodeAt(copy, "body"))
  if (type === "FunctionDef") session.define(String(name), copy)
  if (type === "Statement") keepDefinition(copy)
  if (type === "Statement") return copy
  const reading = {
    associative: rewriting.associative,
    ignoresCase: rewriting.ignoresCase,
    insertsMatches: rewriting.insertsMatches,
    refuse: (form: string) => void (rewriting.missing ??= `not supported by this shell: ${form}`),
    variables: session.variables,
    read: (source: string) => {
      budget.innerScript()
      const statements = parseScript(source)
      return statements === null ? null : rewriteAll(statements, rewriting)
    },
  }
  if (
    COMPOUND.test(String(type)) &&
    nodesAt(copy, "redirections").length > 0 &&
    session.threads.used &&
    contains(copy, isBackground)
  ) {
    const inside = { ...copy, redirections: [], [REDIRECTED]: true }
    return { ...group([statement(inside)]), redirections: copy["redirections"] }
  }
  const form = (one: Node) => formOf(withFixedTargets(one, rewriting.moves), reading)
  return withMergedOutputs(asGroup(copy, rewriting.functions, form), form)
}

/** Names of the arrays that a script declares with `-A`. */
const associativeIn = (script: object): ReadonlySet<string> => {
  const names = new Set<string>()
  const note = ({ type, args }: Node): boolean => {
    const words = type === "SimpleCommand" && Array.isArray(args) ? args.map((word) => literalOf(word) ?? "") : []
    // Other commands have such options, too (`grep -A 2 x "$file"`): only names are names of arrays.
    if (words.some((word) => /^-[a-zA-Z]*A/.test(word)))
      for (const word of words) if (/^[A-Za-z_]\w*$/.test(word)) names.add(word)
    return false
  }
  contains(script, note)
  return names
}

/** Rewrites a parsed script. The result is marked, so that it is not rewritten again. */
export type RewriteScript = (script: object) => object

/** Rewrites the scripts that the interpreter parses itself: those of `eval`, `source` and `.`. */
export const rewriteScript =
  (budget: ShellBudget, session: ShellSession): RewriteScript =>
  (parsed) => {
    // A script from the interpreter's own parser.
    const script = parsed as Script & { readonly [REWRITTEN]?: true }
    if (script[REWRITTEN] === true) return script
    budget.rewrites()
    const read = { ...script, statements: withDeclaredArrays(script.statements, parseScript) }
    const functions = functionsIn(read, session.functionNames())
    const rewriting: Rewriting = {
      functions,
      associative: associativeIn(read),
      moves: movesIn(read, functions),
      lasting: lastingIn(read, functions),
      keepsLast: contains(script, ({ value }) => value === "lastpipe"),
      traps: contains(script, isCall("trap")) || contains(script, receivesOutput),
      inheritsErrexit: contains(script, ({ value }) => value === "inherit_errexit"),
      ignoresCase: contains(script, ({ value }) => value === "nocaseglob"),
      insertsMatches: !contains(script, keepsAmpersands),
      budget,
      session,
      missing: null,
    }
    const rewritten = rewrite(read, rewriting)
    if (rewriting.missing === null) return rewritten
    // Like every script with a syntax error, it runs nothing: its only statement reports the error.
    const error = { ...statement(simple(":", [])), deferredError: { message: rewriting.missing } }
    return { ...rewritten, statements: [error] }
  }

/** Parses and rewrites a script that a shell reads from its input. */
const readWith = (budget: ShellBudget, session: ShellSession) => (source: string) => {
  budget.reads(source.length)
  const parsed = parseScript(source)
  if (parsed === null) return null
  if (contains(parsed, evaluates)) budget.evaluates()
  const script: Node = { ...rewriteScript(budget, session)({ type: "Script", statements: parsed }) }
  const statements = nodesAt(script, "statements")
  if (statements.some((one) => one["deferredError"] !== undefined)) return null
  return { written: parsed.map(({ sourceText = "" }) => sourceText), statements }
}

export const rewritePlugin = (budget: ShellBudget, session: ShellSession): Plugin => {
  const rewritten = rewriteScript(budget, session)
  return {
    name: "perch-rewrite",
    transform: ({ ast, metadata }) => {
      budget.innerScript()
      if (contains(ast, evaluates)) budget.evaluates()
      const inherited = session.inherited()
      const script: Node = { ...rewritten(ast) }
      const statements = asLevel([...inherited, ...nodesAt(script, "statements")])
      // The copy consists of nodes of the original tree, and of new nodes in the parser's own shape.
      return { ast: { ...script, statements } as unknown as Script, metadata }
    },
  }
}

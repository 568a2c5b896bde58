// Receives a command with redirections, and the names of commands that may change the directory; returns it with its target files
// relative to the directory in which it starts. The interpreter opens them there, but writes to them relative to the directory
// in which the command ends: `(cd build && ls) > list` would leave `list` empty and write `build/list`.
// Invariant: a command that can't change the directory is returned unchanged.
import type { Command } from "just-bash/browser"
import { program } from "../programs/program.ts"
import { isNode, literalOf, nodeAt, nodesAt, partsOf } from "../syntax/node-fields.ts"
import {
  group,
  type Node,
  PIPED,
  quoted,
  simple,
  statement,
  substitution,
  text,
  variable,
  wordOf,
} from "../syntax/nodes.ts"

/** Builtins that change the directory, or run scripts that may do so. */
const MOVES: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "source", ".", "eval"])

const ABSOLUTE = "perch-absolute"
const WRITES = /^(?:>|>>|>\||&>|&>>|<>)$/

const calls = (node: unknown, names: ReadonlySet<string>): boolean => {
  if (Array.isArray(node)) return node.some((item) => calls(item, names))
  if (!isNode(node)) return false
  const { type, name, array, ...rest } = node
  if (type === "SimpleCommand" && names.has(literalOf(name) ?? "")) return true
  return [name, ...Object.values(rest)].some((value) => calls(value, names))
}

const addFunctions = (node: unknown, found: Set<string>): void => {
  if (typeof node !== "object" || node === null) return
  if (isNode(node) && node["type"] === "FunctionDef") found.add(String(node["name"]))
  for (const [key, value] of Object.entries(node)) if (key !== "array") addFunctions(value, found)
}

/** The functions that a script defines, and those that existed before it. */
export const functionsIn = (script: object, before: Iterable<string>): ReadonlySet<string> => {
  const found = new Set(before)
  addFunctions(script, found)
  return found
}

/** Commands that may change the directory in a script: the builtins and, if the script calls one of them, all its functions. */
export const movesIn = (script: object, functions: ReadonlySet<string>): ReadonlySet<string> =>
  functions.size > 0 && calls(script, MOVES) ? new Set([...MOVES, ...functions]) : MOVES

const EVALUATE: ReadonlySet<string> = new Set(["eval", "source", "."])

/**
 * Rewrites `die 2>&1` to `{ die; } 2>&1`: otherwise the output of a function that ends its shell would not be redirected.
 * `form` rewrites the command inside.
 */
export const asGroup = (node: Node, functions: ReadonlySet<string>, form: (command: Node) => Node): Node => {
  const redirections = nodesAt(node, "redirections")
  const name = node["type"] === "SimpleCommand" && redirections.length > 0 ? literalOf(node["name"]) : null
  if (name === null || !(functions.has(name) || EVALUATE.has(name))) return node
  return { ...group([statement(form({ ...node, redirections: [] }))]), redirections }
}

/** Commands whose effects on a shell outlast the pipeline that they are in; the interpreter only restores the variables. */
const LASTING: ReadonlySet<string> = new Set([...MOVES, "set", "shopt"])

/** Names of the commands that may have such an effect in a script. */
export const lastingIn = (script: object, functions: ReadonlySet<string>): ReadonlySet<string> =>
  functions.size > 0 && calls(script, LASTING) ? new Set([...LASTING, ...functions]) : LASTING

/**
 * Makes a subshell of each command of a pipeline that may change more of the shell than its variables (`cd data | cat`). The
 * last command stays as it is if `shopt -s lastpipe` may run it in the shell itself.
 */
export const isolating = (
  pipeline: Node,
  { lasting, keepsLast }: { readonly lasting: ReadonlySet<string>; readonly keepsLast: boolean },
  inner: (statements: ReadonlyArray<Node>) => ReadonlyArray<Node>,
): void => {
  const { commands } = pipeline
  if (!Array.isArray(commands) || commands.length < 2) return
  pipeline["commands"] = commands.map((command: Node, at) => {
    if (keepsLast && at === commands.length - 1) return command
    return command["type"] === "Subshell" || !calls(command, lasting)
      ? { ...command, [PIPED]: true }
      : { type: "Subshell", body: inner([statement(command)]), redirections: [] }
  })
}

const fixed = (target: Node): Node => {
  const [first] = partsOf(target)
  const begin = first?.["type"] === "Literal" ? String(first["value"]) : null
  if (begin !== null && /^[/~]/.test(begin)) return target
  if (begin !== null && begin !== "")
    return wordOf({ type: "DoubleQuoted", parts: [variable("PWD")] }, text("/"), ...partsOf(target))
  return quoted(substitution([statement(simple(ABSOLUTE, [target]))]))
}

/** The file that a redirection writes, unless its path is absolute; null for any other redirection. */
const relativeFile = (redirection: Node): Node | null => {
  const target = nodeAt(redirection, "target")
  if (!WRITES.test(String(redirection["operator"])) || target?.["type"] !== "Word") return null
  return literalOf(target)?.startsWith("/") === true ? null : target
}

export const withFixedTargets = (node: Node, moves: ReadonlySet<string>): Node => {
  const redirections = nodesAt(node, "redirections")
  if (redirections.every((one) => relativeFile(one) === null)) return node
  if (!calls({ ...node, redirections: [] }, moves)) return node
  return {
    ...node,
    redirections: redirections.map((redirection) => {
      const file = relativeFile(redirection)
      return file === null ? redirection : { ...redirection, target: fixed(file) }
    }),
  }
}

export const TARGET_PROGRAMS: ReadonlyArray<Command> = [
  program(ABSOLUTE, async ([name = ""], { cwd, fs }) => ({
    stdout: name === "" ? "" : fs.resolvePath(cwd, name),
    stderr: "",
    exitCode: 0,
  })),
]

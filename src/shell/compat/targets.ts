// Receives a command with redirections, and which commands may change the directory; returns it with its files named from the
// directory in which it begins. The interpreter opens them there, and writes to them from where the command has ended:
// `(cd build && ls) > list` left `list` empty, and wrote `build/list`.
// Invariant: what can't move is left as it came.
import type { Command } from "just-bash/browser"
import { program } from "../programs/program.ts"
import { group, type Node, quoted, simple, statement, substitution, text, variable, wordOf } from "../syntax/nodes.ts"

/** Builtins that change the directory, or run what may. */
export const MOVES: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "source", ".", "eval"])

const ABSOLUTE = "perch-absolute"
const WRITES = /^(?:>|>>|>\||&>|&>>|<>)$/

const partsOf = (word: unknown): ReadonlyArray<Node> =>
  (word as { readonly parts?: ReadonlyArray<Node> } | null)?.parts ?? []

const literal = (word: unknown): string | null => {
  const [only, more] = partsOf(word)
  return more === undefined && only?.["type"] === "Literal" ? String(only["value"]) : null
}

const calls = (node: unknown, names: ReadonlySet<string>): boolean => {
  if (Array.isArray(node)) return node.some((item) => calls(item, names))
  if (typeof node !== "object" || node === null) return false
  const { type, name, array, ...rest } = node as Node
  if (type === "SimpleCommand" && names.has(literal(name) ?? "")) return true
  return [name, ...Object.values(rest)].some((value) => calls(value, names))
}

const nameOf = (node: unknown): string | null =>
  typeof node === "object" && node !== null && (node as Node)["type"] === "FunctionDef"
    ? String((node as Node)["name"])
    : null

const note = (node: unknown, found: Set<string>): void => {
  if (typeof node !== "object" || node === null) return
  const name = nameOf(node)
  if (name !== null) found.add(name)
  for (const [key, value] of Object.entries(node)) if (key !== "array") note(value, found)
}

/** The functions that a script defines, with those that are there before it. */
export const functionsIn = (script: object, before: Iterable<string>): ReadonlySet<string> => {
  const found = new Set(before)
  note(script, found)
  return found
}

/** The commands of a script that may change the directory: builtins, and its functions where one of those is called. */
export const movesIn = (script: object, functions: ReadonlySet<string>): ReadonlySet<string> =>
  functions.size > 0 && calls(script, MOVES) ? new Set([...MOVES, ...functions]) : MOVES

const EVALUATE: ReadonlySet<string> = new Set(["eval", "source", "."])

/** `die 2>&1` is `{ die; } 2>&1`: what a function prints before it ends its shell is not redirected otherwise. */
export const asGroup = (node: Node, functions: ReadonlySet<string>): Node => {
  const redirections = (node["redirections"] ?? []) as ReadonlyArray<Node>
  const name = node["type"] === "SimpleCommand" && redirections.length > 0 ? literal(node["name"]) : null
  if (name === null || !(functions.has(name) || EVALUATE.has(name))) return node
  return { ...group([statement({ ...node, redirections: [] })]), redirections }
}

const fixed = (target: Node): Node => {
  const [first] = partsOf(target)
  const begin = first?.["type"] === "Literal" ? String(first["value"]) : null
  if (begin !== null && /^[/~]/.test(begin)) return target
  if (begin !== null && begin !== "")
    return wordOf({ type: "DoubleQuoted", parts: [variable("PWD")] }, text("/"), ...partsOf(target))
  return quoted(substitution([statement(simple(ABSOLUTE, [target]))]))
}

export const withFixedTargets = (node: Node, moves: ReadonlySet<string>): Node => {
  const redirections = (node["redirections"] ?? []) as ReadonlyArray<Node>
  const isFile = ({ operator, target }: Node) =>
    WRITES.test(String(operator)) && (target as Node)["type"] === "Word" && literal(target)?.startsWith("/") !== true
  if (!redirections.some(isFile) || !calls({ ...node, redirections: [] }, moves)) return node
  return {
    ...node,
    redirections: redirections.map((one) => (isFile(one) ? { ...one, target: fixed(one["target"] as Node) } : one)),
  }
}

export const TARGET_PROGRAMS: ReadonlyArray<Command> = [
  program(ABSOLUTE, async ([name = ""], { cwd, fs }) => ({
    stdout: name === "" ? "" : fs.resolvePath(cwd, name),
    stderr: "",
    exitCode: 0,
  })),
]

// Prints functions: `declare -f`, which prints nothing in the interpreter, and `type`, which prints only the first command there.
// Invariant: what is printed defines the same function when it is evaluated.
import { isNode, nodesAt } from "../../syntax/node-fields.ts"
import type { Node } from "../../syntax/nodes.ts"
import { asWritten } from "../../syntax/parser-gaps.ts"
import type { BuiltinResult } from "./builtins.ts"

/** The text of a function in a script, at its node. */
const DEFINITION = "definition"

/** The fields of the interpreter's state that are read here. */
export interface FunctionState {
  readonly functions: ReadonlyMap<string, unknown>
}

/** If a statement only defines a function, keeps the statement's text at the function's node. */
export const keepDefinition = (statement: Node): void => {
  const [pipeline, more] = nodesAt(statement, "pipelines")
  const [command, next] = nodesAt(pipeline ?? {}, "commands")
  if (command?.["type"] === "FunctionDef" && more === undefined && next === undefined)
    command[DEFINITION] = statement["sourceText"]
}

/** The text of a function with its name first, as bash prints it; null if it is not a statement of its own. */
const textOf = ({ functions }: FunctionState, name: string): string | null => {
  const node = functions.get(name)
  const definition = isNode(node) ? node[DEFINITION] : undefined
  if (typeof definition !== "string") return null
  const head = /^\s*(?:function\s+\S+?\s*(?:\(\s*\))?|[^\s()]+\s*\(\s*\))\s*(?=[{(])/.exec(definition)?.[0] ?? ""
  return head === "" ? null : `${name} () \n${asWritten(definition.slice(head.length)).trimEnd()}\n`
}

const printed = (
  state: FunctionState,
  names: ReadonlyArray<string>,
  before: (name: string) => string,
): BuiltinResult => {
  let [stdout, stderr, exitCode] = ["", "", 0]
  for (const name of names) {
    const text = textOf(state, name)
    if (text === null) exitCode = 1
    else stdout += before(name) + text
    if (text === null && state.functions.has(name)) stderr += `bash: ${name}: the text of this function is not known\n`
  }
  return { stdout, stderr, exitCode }
}

/** `declare -f` without names prints every function. */
export const declared = (state: FunctionState, args: ReadonlyArray<string>): BuiltinResult | null => {
  const [option, ...names] = args
  if (option !== "-f" || names.some((name) => /^-|=/.test(name))) return null
  return printed(state, names.length === 0 ? Array.from(state.functions.keys()) : names, () => "")
}

export const typed = (state: FunctionState, names: ReadonlyArray<string>): BuiltinResult | null =>
  names.length === 0 || names.some((name) => !state.functions.has(name))
    ? null
    : printed(state, names, (name) => `${name} is a function\n`)

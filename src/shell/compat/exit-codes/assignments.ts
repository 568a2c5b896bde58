// Commands without a name, such as `x=1`, `a+=(2)` and `x=$(cmd)`: their exit code, and what their arrays cost. The interpreter
// gives them the exit code of the command before them, so `cmd || code=$?` would end a script with `set -e`. Also the scripts of
// `$(…)`, whose `set`, `shopt`, `readonly` and functions the interpreter would apply to the shell around them.
// Invariant: the exit code is that of the last `$(…)` that ran in the command, or 0.
import type { ShellBudget } from "../../budget.ts"
import { isNode, nodesAt } from "../../syntax/node-fields.ts"
import { CAPTURES } from "../../syntax/nodes.ts"
import type { ErrexitState } from "./errexit.ts"
import { untilReturn } from "./returns.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface AssignmentState extends Pick<ErrexitState, "options"> {
  shoptOptions: object
  functions: ReadonlyMap<string, unknown>
  readonlyVars?: Set<string>
  integerVars?: Set<string>
  readonly arrays?: ReadonlyMap<string, { readonly elements: Map<unknown, string> }>
  /** How many scripts of `$(…)` have run. */
  substitutions?: number
}

interface Assigning {
  readonly name: unknown
  readonly assignments: ReadonlyArray<{ readonly name: string; readonly append?: unknown; readonly array?: unknown }>
}

type Run = () => Promise<unknown>

/** Runs a script; counts those of substitutions, and gives them options, functions and read-only names of their own. */
export const inSubstitution = (state: AssignmentState, script: unknown, run: Run): Promise<unknown> => {
  if (!isNode(script) || script[CAPTURES] !== true) return run()
  state.substitutions = (state.substitutions ?? 0) + 1
  const { options, shoptOptions, functions, readonlyVars, integerVars } = state
  state.options = { ...options }
  state.shoptOptions = { ...shoptOptions }
  state.functions = new Map(functions)
  state.readonlyVars = new Set(readonlyVars)
  state.integerVars = new Set(integerVars)
  return untilReturn(run).finally(() => {
    state.options = options
    state.shoptOptions = shoptOptions
    state.functions = functions
    Object.assign(state, { readonlyVars, integerVars })
  })
}

/** True for a node that contains `$(< file)`, which the interpreter reads without running a script. */
const readsFile = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(readsFile)
  if (!isNode(node)) return false
  const isRead = node["type"] === "SimpleCommand" && node["name"] === null && nodesAt(node, "redirections").length > 0
  return isRead || Object.values(node).some(readsFile)
}

/** The number of elements of all these arrays. */
const sizeOf = ({ arrays }: AssignmentState, assignments: Assigning["assignments"]): number =>
  assignments.reduce((size, { name }) => size + (arrays?.get(name)?.elements.size ?? 0), 0)

/** Runs a simple command; corrects its exit code if it has no name, and charges the array elements that it has created. */
export const assigned = async (state: AssignmentState, node: unknown, budget: ShellBudget | undefined, run: Run) => {
  const before = state.substitutions
  // A simple command of the interpreter's own parser.
  const { name, assignments } = node as Assigning
  const arrays = assignments.filter(({ array }) => Array.isArray(array))
  const kept = sizeOf(
    state,
    arrays.filter(({ append }) => append === true),
  )
  const result = await run()
  budget?.elements(Math.max(sizeOf(state, arrays) - kept, 0))
  // The result of a command. Its stderr has the error of a failed assignment, and the lines of `set -x`.
  const { exitCode, stderr } = result as { readonly exitCode?: unknown; readonly stderr?: unknown }
  const failed = /^bash: /m.test(String(stderr))
  const isStale = name === null && exitCode !== 0 && !failed && state.substitutions === before
  return isStale && assignments.length > 0 && !readsFile(assignments) ? { ...(result as object), exitCode: 0 } : result
}

/** True for a command whose result `assigned` has to look at. */
export const assigns = (node: unknown): boolean => {
  // A simple command of the interpreter's own parser.
  const { name, assignments } = node as Assigning
  return assignments.length > 0 && (name === null || assignments.some(({ array }) => Array.isArray(array)))
}

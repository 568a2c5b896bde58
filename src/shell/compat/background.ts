// A command with `&` has run to its end when the next command starts. This file gives it its own shell, process id and exit code,
// as `$!`, `wait` and `set -e` expect.
// Invariant: it changes nothing in the shell that starts it, and `wait` returns the exit code of the command with the given id.
import { nodesAt } from "../syntax/node-fields.ts"
import { type Node, statement } from "../syntax/nodes.ts"
import { type ErrexitState, untested } from "./exit-codes/errexit.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface BackgroundState extends ErrexitState {
  lastBackgroundPid: number
  nextVirtualPid: number
  lastExitCode: number
  readonly env: Map<string, string>
}

/** Exit codes by process id. The key is the state of a shell, which its subshells share (they only copy the variables). */
const ended = new WeakMap<object, Map<string, number>>()

const MAX_ENDED = 1000

const endedOf = (state: BackgroundState): Map<string, number> => {
  const known = ended.get(state) ?? new Map<string, number>()
  ended.set(state, known)
  return known
}

/** The exit code in a result of the interpreter, which has the field optionally. */
const exitCodeOf = (result: unknown): number => Number((result as { readonly exitCode?: unknown }).exitCode ?? 0)

/** Subshells in the background: `set -e` applies inside, even though their failure ends nothing outside. */
const detached = new WeakSet<object>()

/** The only command of a statement; null if it has several. */
const onlyCommand = (node: Node): Node | null => {
  const [pipeline, more] = nodesAt(node, "pipelines")
  const [command, another] = nodesAt(pipeline ?? {}, "commands")
  return more === undefined && another === undefined && pipeline?.["negated"] !== true ? (command ?? null) : null
}

/** Makes a command with `&` a subshell. `inner` prepares the statements of a shell. */
export const asSubshell = (node: Node, inner: (statements: ReadonlyArray<Node>) => ReadonlyArray<Node>): Node => {
  if (node["background"] !== true) return node
  const only = onlyCommand(node)
  const isSubshell = only?.["type"] === "Subshell"
  const body = isSubshell ? [] : inner([{ ...node, background: false }])
  const subshell = isSubshell ? only : { type: "Subshell", body, redirections: [] }
  detached.add(subshell)
  return isSubshell ? node : { ...statement(subshell), background: true }
}

export const inDetached = async (state: BackgroundState, node: unknown, run: () => Promise<unknown>) => {
  // A node of the interpreter's own parser, or of `asSubshell`.
  if (!detached.has(node as object)) return run()
  const before = state.inCondition
  state.inCondition = false
  return run().finally(() => {
    state.inCondition = before
  })
}

export const inBackground = (state: BackgroundState, node: unknown, run: () => Promise<unknown>) =>
  // `node` is a statement from the interpreter's own parser.
  (node as { readonly background?: unknown }).background === true ? started(state, run) : run()

const started = async (state: BackgroundState, run: () => Promise<unknown>) => {
  const result = await untested(state, run)
  const codes = endedOf(state)
  if (codes.size >= MAX_ENDED) codes.clear()
  state.lastBackgroundPid = state.nextVirtualPid
  state.nextVirtualPid += 1
  codes.set(String(state.lastBackgroundPid), exitCodeOf(result))
  state.lastExitCode = 0
  state.env.set("?", "0")
  return { ...(result as object), exitCode: 0 }
}

/** The builtin `wait`, with the ids or jobs (`%1`) to wait for. */
export const waited = (state: BackgroundState, args: ReadonlyArray<string>) => {
  const codes = endedOf(state)
  const ids = args.filter((arg) => !arg.startsWith("-"))
  const asked = args.includes("-n") && ids.length === 0 ? Array.from(codes.keys()).slice(0, 1) : ids
  let [stderr, exitCode] = ["", args.includes("-n") && asked.length === 0 ? 127 : 0]
  for (const id of asked) {
    const code = id.startsWith("%") ? Array.from(codes.values()).at(Number(id.slice(1)) - 1) : codes.get(id)
    if (code === undefined) stderr += `bash: wait: pid ${id} is not a child of this shell\n`
    exitCode = code ?? 127
    if (args.includes("-n")) codes.delete(id)
  }
  return { stdout: "", stderr, exitCode }
}

// A command with `&` has run to its end when the next command starts. This file gives it its own shell, process id and exit code,
// as `$!`, `wait` and `set -e` expect.
// Invariant: it changes nothing in the shell that starts it, and `wait` returns the exit code of the command with the given id.
import { literalOf, nodesAt } from "../syntax/node-fields.ts"
import { type Node, statement } from "../syntax/nodes.ts"
import { type ErrexitState, untested } from "./exit-codes/errexit.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface BackgroundState extends ErrexitState {
  lastBackgroundPid: number
  nextVirtualPid: number
  lastExitCode: number
  readonly env: Map<string, string>
  /** In a job: for how long it has slept, and whether it is nothing but a `sleep`. */
  sleeps?: { left: number; readonly alone: boolean } | undefined
}

/** A command that was started with `&`. */
interface Job {
  code: number
  /** For how many more milliseconds it would run in bash: as long as it sleeps, less what the shell has slept since. */
  left: number
  /** For how many milliseconds `wait` has to sleep: a lone `sleep` only does so then. */
  owed: number
  /** True if `wait` has returned its exit code, which `wait -n` then ignores. */
  reaped: boolean
}

/** Jobs by process id. The key is the state of a shell, which its subshells share (they only copy the variables). */
const jobsByState = new WeakMap<object, Map<string, Job>>()

const MAX_ENDED = 1000

const jobsOf = (state: BackgroundState): Map<string, Job> => {
  const known = jobsByState.get(state) ?? new Map<string, Job>()
  jobsByState.set(state, known)
  return known
}

/** The job with a process id, or that `%1` names. */
const jobAt = (state: BackgroundState, id: string): Job | undefined =>
  id.startsWith("%") ? Array.from(jobsOf(state).values()).at(Number(id.slice(1)) - 1) : jobsOf(state).get(id)

/** Signals a job; false if it has ended. */
export const signalled = (state: BackgroundState, id: string, signal: number): boolean => {
  const job = jobAt(state, id)
  if (job === undefined || job.left <= 0) return false
  if (signal > 0) Object.assign(job, { code: 128 + signal, left: 0, owed: 0 })
  return true
}

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }

/** For how many milliseconds `sleep` sleeps; null if it reports an error. */
const durationOf = (args: ReadonlyArray<string>): number | null => {
  let total = 0
  for (const arg of args) {
    const [, number, unit = ""] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(arg) ?? []
    if (number === undefined) return null
    total += Number(number) * (UNITS[unit] ?? 1) * 1000
  }
  return total
}

/** Notes that a shell sleeps. True if it must not sleep now, because the command is a job of its own. */
export const sleeping = (state: BackgroundState, args: ReadonlyArray<string>): boolean => {
  const duration = durationOf(args)
  if (duration === null) return false
  if (state.sleeps === undefined) for (const job of jobsOf(state).values()) job.left -= duration
  else state.sleeps.left += duration
  return state.sleeps?.alone === true
}

/** For how many seconds a `wait` with these arguments sleeps. */
export const owedBy = (state: BackgroundState, args: ReadonlyArray<string>): number => {
  const awaited = awaitedBy(state, args).map((id) => jobAt(state, id)?.owed ?? 0)
  return Math.max(0, ...awaited) / 1000
}

/** The exit code in a result of the interpreter, which has the field optionally. */
const exitCodeOf = (result: unknown): number => Number((result as { readonly exitCode?: unknown }).exitCode ?? 0)

/** Subshells in the background: `set -e` applies inside, even though their failure ends nothing outside. */
const detached = new WeakSet<object>()
/** Those that consist of one `sleep`. */
const sleepers = new WeakSet<object>()

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
  if (literalOf(only?.["name"]) === "sleep") sleepers.add(subshell)
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
  (node as { readonly background?: unknown }).background === true ? started(state, node as Node, run) : run()

const started = async (state: BackgroundState, node: Node, run: () => Promise<unknown>) => {
  const before = state.sleeps
  const sleeps = { left: 0, alone: sleepers.has(onlyCommand(node) ?? node) }
  state.sleeps = sleeps
  const result = await untested(state, run).finally(() => (state.sleeps = before))
  const jobs = jobsOf(state)
  if (jobs.size >= MAX_ENDED) jobs.clear()
  state.lastBackgroundPid = state.nextVirtualPid
  state.nextVirtualPid += 1
  const { left, alone } = sleeps
  jobs.set(String(state.lastBackgroundPid), { code: exitCodeOf(result), left, owed: alone ? left : 0, reaped: false })
  state.lastExitCode = 0
  state.env.set("?", "0")
  return { ...(result as object), exitCode: 0 }
}

const awaitedBy = (state: BackgroundState, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const ids = args.filter((arg) => !arg.startsWith("-"))
  if (ids.length > 0) return ids
  const open = Array.from(jobsOf(state)).filter(([, { reaped }]) => !reaped)
  const next = args.includes("-n") ? open.sort(([, a], [, b]) => a.left - b.left).slice(0, 1) : open
  return next.map(([id]) => id)
}

/** The builtin `wait`, with the ids or jobs (`%1`) to wait for. */
export const waited = (state: BackgroundState, args: ReadonlyArray<string>) => {
  const ids = awaitedBy(state, args)
  const isAll = args.length === 0
  let [stderr, exitCode] = ["", args.includes("-n") && ids.length === 0 ? 127 : 0]
  for (const id of ids) {
    const job = jobAt(state, id)
    if (job === undefined) stderr += `bash: wait: pid ${id} is not a child of this shell\n`
    else Object.assign(job, { left: 0, owed: 0, reaped: true })
    exitCode = isAll ? 0 : (job?.code ?? 127)
  }
  return { stdout: "", stderr, exitCode }
}

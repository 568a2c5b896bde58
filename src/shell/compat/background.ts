// Commands with `&`: each one runs in a shell of its own until it waits for something; then the script continues (`Threads`).
// What it prints goes to the output that it was started with, as after `exec`: each of its commands prints at once.
// Invariant: it changes nothing in the shell that starts it, and `wait` returns the exit code of the command with the given id.
import { guardOf, type GuardParts, type Interpreter } from "../guard.ts"
import { isNode, literalOf, nodesAt, partsOf } from "../syntax/node-fields.ts"
import { type Node, simple, statement } from "../syntax/nodes.ts"
import type { BuiltinResult } from "./builtins/builtins.ts"
import { answerOf } from "./builtins/jobs.ts"
import { type ErrexitState, untested } from "./exit-codes/errexit.ts"
import { type Job, jobAt, jobsOf, type OwnedState, ownJobs } from "./job-table.ts"
import { copiesAt, type DescriptorState } from "./outputs/saved-outputs.ts"
import { nowhere } from "./print-order.ts"
import type { Install, Threads } from "./threads.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface BackgroundState extends ErrexitState, DescriptorState, OwnedState {
  lastBackgroundPid: number
  nextVirtualPid: number
  lastExitCode: number
  readonly env: Map<string, string>
  signal?: AbortSignal
}

const MAX_JOBS = 1000

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }
/** The longest delay of a timer, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1

/** For how many milliseconds `sleep` sleeps; null if it reports an error. */
const durationOf = (args: ReadonlyArray<string>): number | null => {
  let total = 0
  for (const arg of args) {
    const [, number, unit = ""] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(arg) ?? []
    if (number === undefined) return null
    total += Number(number) * (UNITS[unit] ?? 1) * 1000
  }
  return args.length === 0 ? null : Math.min(total, MAX_DELAY)
}

/** What the builtin `wait` waits for. */
const awaitedBy = (state: BackgroundState, args: ReadonlyArray<string>): ReadonlyArray<Job> => {
  const ids = args.filter((arg) => !arg.startsWith("-"))
  if (ids.length > 0) return ids.flatMap((id) => jobAt(state, id) ?? [])
  return ownJobs(state).filter(({ reaped }) => !reaped)
}

const ending = (state: BackgroundState, args: ReadonlyArray<string>): Promise<unknown> => {
  const works = awaitedBy(state, args).map(({ thread }) => thread.work)
  return args.includes("-n") && works.length > 0 ? Promise.race(works) : Promise.all(works)
}

/** What a `wait`, or a `sleep` while other commands are open, waits for; null for any other command. */
const operationOf = (state: BackgroundState, threads: Threads, name: string, args: ReadonlyArray<string>) => {
  if (name === "wait") return Promise.race([ending(state, args), threads.stopped(state.signal, null)])
  const duration = name === "sleep" && threads.any ? durationOf(args) : null
  return duration === null ? null : threads.stopped(state.signal, duration)
}

type Answer = readonly [name: string, args: Array<string>]

/** Runs `wait`, and `sleep` while other commands are open; null for any other command. `run` runs what a signal calls. */
export const paused = (
  shell: Interpreter,
  name: string,
  args: ReadonlyArray<string>,
  run: (...answer: Answer) => Promise<unknown>,
): Promise<unknown> | null => {
  const session = guardOf(shell)?.session
  if (session === undefined) return null
  const { threads } = session
  const operation = operationOf(shell.ctx.state, threads, name, args)
  if (operation === null) return null
  return threads.during(operation, true).then(() => {
    const thread = threads.current ?? threads.script
    const { signal } = thread
    if (signal === null)
      return name === "wait" ? waited(shell.ctx.state, args) : { stdout: "", stderr: "", exitCode: 0 }
    thread.signal = null
    const answer = answerOf(signal, session)
    if (answer[0] === "exit") thread.ends = answer[1]
    return run(...answer)
  })
}

/** The exit code in a result of the interpreter, which has the field optionally. */
const exitCodeOf = (result: unknown): number => Number((result as { readonly exitCode?: unknown }).exitCode ?? 0)

/**
 * Marks a subshell in the background, in which `set -e` applies even though its failure ends nothing outside, and the `exec` with
 * the redirections of its command.
 */
const DETACHED = "detached"

export const isDetached = (node: unknown): boolean => isNode(node) && node[DETACHED] === true

/** The only command of a statement; null if it has several. */
const onlyCommand = (node: Node): Node | null => {
  const [pipeline, more] = nodesAt(node, "pipelines")
  const [command, another] = nodesAt(pipeline ?? {}, "commands")
  const isPlain = pipeline?.["negated"] !== true && pipeline?.["timed"] !== true
  return more === undefined && another === undefined && isPlain ? (command ?? null) : null
}

const toFile = ({ operator, target }: Node): boolean =>
  /^(?:&?>>?|>\||>&)$/.test(String(operator)) && partsOf(target).every(({ type }) => type !== "ProcessSubstitution")

/** Makes a command with `&` a subshell. */
export const asSubshell = (node: Node): Node => {
  if (node["background"] !== true) return node
  const only = onlyCommand(node)
  if (only === null || (only["type"] === "SimpleCommand" && only["name"] === null) || only["type"] === "FunctionDef")
    return inSubshell(node, [{ ...node, background: false }])
  const redirections = nodesAt(only, "redirections")
  const streams = redirections.length > 0 && redirections.every(toFile)
  const command = streams ? { ...only, redirections: [] } : only
  const body =
    command["type"] === "Subshell" && (streams || redirections.length === 0)
      ? nodesAt(command, "body")
      : [statement(command)]
  if (body.length === 0) return node
  if (!streams) return inSubshell(node, body)
  const exec = statement({ ...simple("exec", []), redirections, [DETACHED]: true })
  const pipelines = [...nodesAt(exec, "pipelines"), ...nodesAt(statement(simple("exit", [])), "pipelines")]
  return inSubshell(node, [{ ...exec, pipelines, operators: ["||"] }, ...body])
}

const inSubshell = (node: Node, body: ReadonlyArray<Node>): Node => ({
  ...node,
  ...statement({ type: "Subshell", body, redirections: [], [DETACHED]: true }),
  background: true,
})

export const inDetached = async (state: BackgroundState, node: unknown, run: () => Promise<unknown>) => {
  if (!isDetached(node)) return run()
  const before = state.inCondition
  state.inCondition = false
  return run().finally(() => {
    state.inCondition = before
  })
}

/** Captures what the commands of a run share, and a thread has for itself. */
const captured = ({ ctx }: Interpreter, { session, order, outputs, files }: GuardParts): Install => {
  const { state, fs } = ctx
  const fields = { ...state }
  const { levels, running } = session
  const { place } = order
  const { texts } = outputs
  const { input } = fs
  const { opened } = files
  return () => {
    const { nextVirtualPid } = state
    for (const key of Object.keys(state)) if (!Object.hasOwn(fields, key)) Reflect.deleteProperty(state, key)
    Object.assign(state, fields, { nextVirtualPid })
    Object.assign(session, { levels, running })
    order.place = place
    outputs.texts = texts
    fs.input = input
    files.opened = opened
  }
}

/** Runs a statement of the interpreter. */
export const inBackground = (shell: Interpreter, node: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  const guard = guardOf(shell)
  // A statement from the interpreter's own parser.
  const statement = node as Node
  return statement["background"] === true && guard !== undefined ? started(shell, guard, statement, run) : run()
}

/** The exit code of a command that its run stops. */
const STOPPED = 143

const started = async (shell: Interpreter, guard: GuardParts, node: Node, run: () => Promise<unknown>) => {
  const { state } = shell.ctx
  const { session, order, outputs, budget } = guard
  session.threads.signal = budget.signal
  const jobs = jobsOf(state)
  if (jobs.size >= MAX_JOBS) for (const [id, { thread }] of jobs) if (thread.code !== null) jobs.delete(id)
  // The process id that the subshell gets.
  const pid = state.nextVirtualPid
  const { owner } = state
  const output = outputs.texts[outputs.depth]
  const work = async () => {
    const { env, arrays } = state
    const fileDescriptors = copiesAt(state, outputs.depth)
    Object.assign(state, { env: new Map(env), arrays: new Map(arrays), fileDescriptors, owner: {} })
    order.place = nowhere()
    outputs.texts = [...outputs.texts, null]
    try {
      const result = await untested(state, run)
      outputs.print(output, result)
      return exitCodeOf(result)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ExecutionAbortedError") throw error
      return STOPPED
    }
  }
  // Its state is that of this shell until it waits.
  const thread = await session.threads.start(
    { output, shell: state, idle: isSleep(node) },
    () => captured(shell, guard),
    work,
  )
  state.lastBackgroundPid = pid
  jobs.set(String(pid), { id: String(pid), text: String(node["sourceText"] ?? ""), thread, owner, reaped: false })
  state.lastExitCode = 0
  state.env.set("?", "0")
  return { stdout: "", stderr: "", exitCode: 0 }
}

/** True for a command that only sleeps: a script that ends does not wait for it. */
const isSleep = (node: Node): boolean => {
  const [first = {}, more] = nodesAt(onlyCommand(node) ?? {}, "body")
  return more === undefined && literalOf(onlyCommand(first)?.["name"]) === "sleep"
}

/** The builtin `wait`, when what it waits for has ended. */
const waited = (state: BackgroundState, args: ReadonlyArray<string>): BuiltinResult => {
  const ids = args.filter((arg) => !arg.startsWith("-"))
  const isNext = args.includes("-n")
  const ended = awaitedBy(state, args).filter(({ thread }) => thread.code !== null)
  const next = isNext ? ended.sort((one, other) => one.thread.place - other.thread.place).slice(0, 1) : ended
  for (const job of next) job.reaped = true
  const unknown = ids.filter((id) => jobAt(state, id) === undefined)
  const stderr = unknown.map((id) => `bash: wait: pid ${id} is not a child of this shell\n`).join("")
  const last = isNext ? next[0] : jobAt(state, ids.at(-1) ?? "")
  return { stdout: "", stderr, exitCode: args.length === 0 ? 0 : (last?.thread.code ?? 127) }
}

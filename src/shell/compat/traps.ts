// Runs the handlers of `trap … EXIT` and `trap … ERR`, which the interpreter does not support: EXIT when its shell ends (the
// script, a subshell, `$(…)`, `bash file`), ERR after a command whose failure would end a script with `set -e`.
// When `timeout` stops a shell, the handler of its signal runs, and then that of EXIT: `outer` is the signal that stops them.
// Invariant: a handler sees the variables, functions and `$?` of the place where it runs; EXIT runs once, however the shell ends.
import type { ShellSession } from "../session.ts"
import { parseScript } from "../syntax/parser.ts"
import { withoutGaps } from "../syntax/parser-gaps.ts"
import { signalName } from "./builtins/jobs.ts"
import type { ErrexitState } from "./exit-codes/errexit.ts"
import type { CollectedOutputs, CollectingState } from "./outputs/collected-outputs.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface TrapState extends ErrexitState, CollectingState {
  readonly env: Map<string, string>
  readonly callDepth: number
  lastExitCode: number
  currentLine: number
  errtrace?: boolean
  /** Stops the shell. The reason of one that `timeout` has sent is the signal's number. */
  signal?: AbortSignal
}

interface Shell {
  readonly ctx: { readonly state: TrapState }
  readonly executeScript: (script: object) => Promise<unknown>
}

interface Accounting {
  stdout: number
  stderr: number
}

/** The result of a statement, and the fields of an error that ends a shell. */
interface Printed {
  stdout: string
  stderr: string
  exitCode?: number
  internalOutputAccounting?: Accounting
}

interface Ending extends Error, Printed {
  readonly prependOutput: (stdout: string, stderr: string) => void
}

const ENDS: ReadonlySet<string> = new Set(["ExitError", "ErrexitError", "NounsetError", "BadSubstitutionError"])

/** The error of a shell that is stopped by its signal; its output is what the shell has printed. */
const STOPPED = "ExecutionAbortedError"
const KILL = 9

const isEnding = (error: unknown): error is Ending => error instanceof Error && ENDS.has(error.name)

const append = (printed: Printed, more: Printed): void => {
  printed.stdout += more.stdout
  printed.stderr += more.stderr
  const [counted, others] = [printed.internalOutputAccounting, more.internalOutputAccounting]
  printed.internalOutputAccounting = {
    stdout: (counted?.stdout ?? 0) + (others?.stdout ?? 0),
    stderr: (counted?.stderr ?? 0) + (others?.stderr ?? 0),
  }
}

/** Removes the line numbers from the script of a handler or of `$(…)`, so that `$LINENO` is the line of the command around it. */
export const withoutLines = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutLines)
  if (typeof node !== "object" || node === null) return node
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]) => (key === "line" ? [] : [[key, withoutLines(value)]])),
  )
}

/** The line of the first command in a node that has one. */
const lineOf = (node: unknown): number | undefined => {
  if (typeof node !== "object" || node === null) return undefined
  if ("line" in node && typeof node.line === "number") return node.line
  for (const value of Object.values(node)) {
    const line = lineOf(value)
    if (line !== undefined) return line
  }
  return undefined
}

const runHandler = async (shell: Shell, handler: string, exitCode: number): Promise<Printed | null> => {
  const statements = parseScript(withoutGaps(handler))
  if (statements === null) return null
  const { state } = shell.ctx
  state.lastExitCode = exitCode
  state.env.set("?", String(exitCode))
  // Every script of the interpreter has such a result.
  return (await shell.executeScript({ type: "Script", statements: withoutLines(statements) })) as Printed
}

const endCollected = (shell: Shell, collected: CollectedOutputs, count: number, printed: Printed): Promise<void> =>
  collected.end(
    shell.ctx.state,
    count,
    (script) => shell.executeScript(script),
    // Every script of the interpreter has such a result.
    (more) => append(printed, more as Printed),
  )

/** The signal by which `timeout` has stopped a shell, if the shell can handle it; null for any other error. */
const stoppedBy = ({ ctx }: Shell, error: unknown): number | null => {
  const reason: unknown = ctx.state.signal?.reason
  const isStopped = error instanceof Error && error.name === STOPPED
  return isStopped && typeof reason === "number" && reason !== KILL ? reason : null
}

/** Runs a shell's statements, then its EXIT handler, and then the commands that receive its output (`exec > >(…)`). */
export const atLevel = async (
  shell: Shell,
  session: ShellSession,
  collected: CollectedOutputs,
  outer: AbortSignal,
  run: () => Promise<unknown>,
): Promise<unknown> => {
  session.enter(shell.ctx.state.errtrace === true)
  const { count } = collected
  const handlers: Array<string> = []
  try {
    let printed: Printed
    let ending: Ending | null = null
    try {
      // Every statement of the interpreter has such a result.
      printed = (await run()) as Printed
    } catch (error) {
      const signal = stoppedBy(shell, error)
      if (!isEnding(error) && signal === null) throw error
      // An error with either name has the output of its shell.
      printed = ending = error as Ending
      if (signal !== null) {
        shell.ctx.state.signal = outer
        handlers.push(session.handlerOf(signalName(signal)) ?? "")
      }
    }
    handlers.push(session.takeExit() ?? "")
    const { current } = session.threads
    if (current !== null && handlers.some((handler) => handler !== "")) current.ends = null
    for (const handler of handlers) {
      if (handler === "") continue
      try {
        const more = await runHandler(shell, handler, printed.exitCode ?? 1)
        if (more !== null) append(printed, more)
      } catch (error) {
        if (!isEnding(error)) throw error
        error.prependOutput(printed.stdout, printed.stderr)
        printed = ending = error
      }
    }
    if (collected.count > count) await endCollected(shell, collected, count, printed)
    if (ending !== null) throw ending
    return printed
  } finally {
    session.leave()
  }
}

/** Errors of `set -e` that have been handled while they propagate out of their shell. */
const handled = new WeakSet<Error>()

/** Runs a statement and, if it fails, the shell's ERR handler. */
export const onFailure = async (
  shell: Shell,
  session: ShellSession,
  statement: { readonly sourceText?: string },
  run: () => Promise<unknown>,
): Promise<unknown> => {
  const { state } = shell.ctx
  let printed: Printed
  let ending: Ending | null = null
  try {
    // Every statement of the interpreter has such a result.
    printed = (await run()) as Printed
  } catch (error) {
    if (!isEnding(error) || error.name !== "ErrexitError" || handled.has(error)) throw error
    handled.add(error)
    printed = ending = error
  }
  const code = printed.exitCode ?? 1
  const failed = ending !== null || (code !== 0 && !state.inCondition && state.errexitSafe !== true)
  const handler = failed ? session.failure(state.callDepth, state.errtrace === true) : null
  if (handler !== null) {
    state.env.set("BASH_COMMAND", statement.sourceText ?? "")
    state.currentLine = lineOf(statement) ?? state.currentLine
    const before = state.errexitSafe
    try {
      const more = await session.handling(() => runHandler(shell, handler, code))
      if (more !== null) append(printed, more)
    } catch (error) {
      if (isEnding(error)) error.prependOutput(printed.stdout, printed.stderr)
      throw error
    }
    state.lastExitCode = code
    state.env.set("?", String(code))
    if (before === undefined) delete state.errexitSafe
    else state.errexitSafe = before
  }
  if (ending !== null) throw ending
  return printed
}

/** Records how `trap` and `set -E` change the handling of failures. */
export const noteTraps = (
  state: TrapState,
  session: ShellSession | undefined,
  name: string,
  args: ReadonlyArray<string>,
): void => {
  const [, sign] = /^([-+])(?:[a-zA-Z]*E|o$)/.exec(args.find((arg) => /^[-+](?:[a-zA-Z]*E|o$)/.test(arg)) ?? "") ?? []
  if (name === "set" && sign !== undefined && (args.includes("errtrace") || !args.includes(`${sign}o`)))
    state.errtrace = sign === "-"
  if (name !== "trap" || session === undefined) return
  if (args.some((arg) => /^(?:SIG)?ERR$/i.test(arg))) session.trapped(state.callDepth)
  state.traced = session.handlesFailures
}

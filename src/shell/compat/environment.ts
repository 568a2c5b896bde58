// The environment of shells that a program starts (xargs, find, env, timeout, bash): the variables that its caller exports.
// The interpreter itself passes the variables with which the whole run began: `export A=1; xargs sh -c 'echo $A'` would print
// nothing, and unset variables would reappear.
// It also passes back what such a shell has left of the input that it shares with its caller.
// Invariant: a started shell has its caller's exported variables, exports them, too, and has no other variables of the run.

import type { InputState } from "./inputs.ts"
import { type DescriptorState, filesOf } from "./outputs/saved-outputs.ts"
import type { Threads } from "./threads.ts"

/** A variable that passes the names to the started shell, which removes it before anything runs. */
const EXPORTED = "__perch_exported"
const NAME = /^[A-Za-z_]\w*$/

/** The fields of the interpreter's state that are read and written here. */
export interface EnvironmentState extends InputState, DescriptorState {
  readonly env: Map<string, string>
  exportedVars?: Set<string>
  readonlyVars?: Set<string>
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly replaceEnv?: boolean
}

type Start = (script: string, options?: Options, ...rest: ReadonlyArray<unknown>) => Promise<unknown>

export interface Starting {
  readonly ctx: { execFn?: Start; readonly state: EnvironmentState }
  readonly buildExportedEnv: () => Readonly<Record<string, string>>
}

const started = new WeakSet<object>()
/** The variables with which a run began, by an object that all its shells share. */
const begun = new WeakMap<object, ReadonlySet<string>>()

/** What all shells of a run share: the state of the one whose command ran last. */
interface Run {
  readonly session: { running: InputState & DescriptorState; readonly threads: Threads }
}

/** Passes variables to the shells that this one starts: the named ones and, without `replaceEnv`, the exported ones, too. */
const withExported = (shell: Starting, start: Start, { session }: Run): Start => {
  return (script, options = {}, ...rest) => {
    const { replaceEnv = false, ...others } = options
    const env = replaceEnv ? { ...options.env } : { ...shell.buildExportedEnv(), ...options.env }
    const names = Object.keys(env).filter((name) => NAME.test(name))
    return start(script, { ...others, env: { ...env, [EXPORTED]: names.join(",") } }, ...rest).finally(() => {
      shell.ctx.state.left = session.running.groupStdin
      session.running = shell.ctx.state
    })
  }
}

/** Called before each script of a shell; the first call adopts the variables that its caller has exported. */
export const inherit = (shell: Starting, run: Run): void => {
  const { ctx } = shell
  if (started.has(ctx)) return
  started.add(ctx)
  const { running, threads } = run.session
  ctx.state.piped = running.piped === true
  // A command in the background prints while it runs.
  if (threads.current !== null && running.redirects !== true) ctx.state.fileDescriptors = filesOf(running)
  // The interpreter shares this set among all shells of a run.
  ctx.state.readonlyVars = new Set(ctx.state.readonlyVars)
  const { env } = ctx.state
  const names = env.get(EXPORTED)
  if (names === undefined) {
    begun.set(run, new Set(ctx.state.exportedVars))
    // The interpreter would set it before the first `cd`.
    env.delete("OLDPWD")
  } else {
    env.delete(EXPORTED)
    const exported = new Set(names.split(",").filter((name) => name !== ""))
    for (const name of begun.get(run) ?? []) if (!exported.has(name) && name !== "PWD") env.delete(name)
    ctx.state.exportedVars = new Set([...exported, "PWD", "OLDPWD"])
  }
  if (ctx.execFn !== undefined) ctx.execFn = withExported(shell, ctx.execFn, run)
}

// The environment of what a program starts (xargs, find, env, timeout, bash): the variables that are exported where it was called.
// The interpreter hands on those that the whole run began with: `export A=1; xargs sh -c 'echo $A'` printed nothing, and what was
// unset came back.
// Invariant: a shell that is started has its caller's exported variables, exports them itself, and has no others of the run.

/** Carries the names into the shell that is started, which removes it before anything runs. */
const EXPORTED = "__perch_exported"
const NAME = /^[A-Za-z_]\w*$/

/** What the interpreter keeps of it. */
export interface EnvironmentState {
  readonly env: Map<string, string>
  exportedVars?: Set<string>
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly replaceEnv?: boolean
}

type Start = (script: string, options?: Options, ...rest: ReadonlyArray<unknown>) => unknown

export interface Starting {
  readonly ctx: { execFn?: Start; readonly state: EnvironmentState }
  readonly buildExportedEnv: () => Readonly<Record<string, string>>
}

const started = new WeakSet<object>()
/** The variables with which a run began, by what its shells have in common. */
const begun = new WeakMap<object, ReadonlySet<string>>()

/** What shells that this one starts are given: with `replaceEnv` the variables named, else the exported ones as well. */
const withExported = (shell: Starting, start: Start): Start => {
  return (script, options = {}, ...rest) => {
    const { replaceEnv = false, ...others } = options
    const env = replaceEnv ? { ...options.env } : { ...shell.buildExportedEnv(), ...options.env }
    const names = Object.keys(env).filter((name) => NAME.test(name))
    return start(script, { ...others, env: { ...env, [EXPORTED]: names.join(",") } }, ...rest)
  }
}

/** Called before each script of a shell; the first time it takes over what its caller has exported. */
export const inherit = (shell: Starting, run: object): void => {
  const { ctx } = shell
  if (started.has(ctx)) return
  started.add(ctx)
  const { env } = ctx.state
  const names = env.get(EXPORTED)
  if (names === undefined) begun.set(run, new Set(ctx.state.exportedVars))
  else {
    env.delete(EXPORTED)
    const exported = new Set(names.split(",").filter((name) => name !== ""))
    for (const name of begun.get(run) ?? []) if (!exported.has(name) && name !== "PWD") env.delete(name)
    ctx.state.exportedVars = new Set([...exported, "PWD", "OLDPWD"])
  }
  if (ctx.execFn !== undefined) ctx.execFn = withExported(shell, ctx.execFn)
}

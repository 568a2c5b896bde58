// Where `set -e` has no effect in bash and has one in the interpreter: in all commands of `a && b || c` but the last, in what
// `!` negates, with all that they call, and in `$(…)`; and where it has one: at a call of a function whose last command
// failed in such a list.
// Invariant: without `set -e`, a statement runs as it came.

/** What the interpreter keeps of it. */
export interface ErrexitState {
  options: { readonly errexit: boolean }
  inCondition: boolean
  errexitSafe?: boolean
  /** True where failures are handled by `trap … ERR`, which takes the same ones. */
  traced?: boolean
}

const counts = (state: ErrexitState): boolean => state.options.errexit || state.traced === true

type Run = () => Promise<unknown>

/** Pipelines before `&&` or `||`, or negated with `!`: their failure ends nothing under `set -e`. */
const tested = new WeakSet<object>()
/** The scripts of `$(…)`. */
const substitutions = new WeakSet<object>()

export const isSubstitution = (script: object): void => void substitutions.add(script)

interface Pipelines {
  readonly pipelines: ReadonlyArray<{ readonly negated?: unknown }>
}

export const inStatement = (state: ErrexitState, statement: unknown, run: Run): Promise<unknown> => {
  if (counts(state)) {
    // A statement of the interpreter's own parser.
    const { pipelines } = statement as Pipelines
    for (const [at, pipeline] of pipelines.entries())
      if (at < pipelines.length - 1 || pipeline.negated === true) tested.add(pipeline)
  }
  return run()
}

export const inPipeline = (state: ErrexitState, pipeline: unknown, run: Run): Promise<unknown> => {
  // A pipeline of the interpreter's own parser.
  if (!counts(state) || !tested.has(pipeline as object)) return run()
  return untested(state, run)
}

/** Runs something whose failure ends nothing. */
export const untested = async (state: ErrexitState, run: Run): Promise<unknown> => {
  const before = state.inCondition
  state.inCondition = true
  try {
    return await run()
  } finally {
    state.inCondition = before
  }
}

/** A call is a command of its own, whatever was tested inside it. */
export const inCall = (state: ErrexitState, run: Run): Promise<unknown> =>
  counts(state)
    ? run().then((result) => {
        state.errexitSafe = false
        return result
      })
    : run()

export const inScript = (state: ErrexitState, script: unknown, run: Run): Promise<unknown> => {
  // A script of the interpreter's own parser.
  if (!state.options.errexit || !substitutions.has(script as object)) return run()
  const before = state.options
  state.options = { ...before, errexit: false }
  return run().finally(() => {
    state.options = before
  })
}

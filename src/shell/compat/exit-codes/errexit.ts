// Makes `set -e` apply as in bash. It must have no effect in all commands of `a && b || c` but the last, in commands after `!`,
// in everything that these call, and in `$(…)`; it must have an effect at the call of a function whose last command failed
// in such a list.
// Invariant: without `set -e`, a statement runs unchanged.
import { untilReturn } from "./returns.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface ErrexitState {
  options: { readonly errexit: boolean; readonly pipefail?: boolean }
  inCondition: boolean
  errexitSafe?: boolean
  /** True if `trap … ERR` handles failures: it applies to the same failures as `set -e`. */
  traced?: boolean
}

const counts = (state: ErrexitState): boolean => state.options.errexit || state.traced === true

type Run = () => Promise<unknown>

/** Pipelines before `&&` or `||`, or negated with `!`: with `set -e`, their failure does not end the script. */
const tested = new WeakSet<object>()
/** The scripts of `$(…)` in which `set -e` has no effect. */
const substitutions = new WeakSet<object>()

/** Makes `set -e` have no effect in the script of a `$(…)`. */
export const markSubstitution = (script: object | null): void => {
  if (script !== null) substitutions.add(script)
}

interface Pipelines {
  readonly pipelines: ReadonlyArray<{ readonly negated?: unknown }>
}

export const inStatement = (state: ErrexitState, statement: unknown, run: Run): Promise<unknown> => {
  if (counts(state)) {
    // A statement from the interpreter's own parser.
    const { pipelines } = statement as Pipelines
    for (const [at, pipeline] of pipelines.entries())
      if (at < pipelines.length - 1 || pipeline.negated === true) tested.add(pipeline)
    // The condition of a loop runs after its body, whose failure may have been tested.
    if (state.inCondition) return keeping(state, run)
  }
  return run()
}

/** Runs a condition, which leaves unchanged whether the failure of the command before it was tested. */
const keeping = async (state: ErrexitState, run: Run): Promise<unknown> => {
  const before = state.errexitSafe
  try {
    return await run()
  } finally {
    if (before === undefined) delete state.errexitSafe
    else state.errexitSafe = before
  }
}

export const inPipeline = (state: ErrexitState, pipeline: unknown, run: Run): Promise<unknown> => {
  // A pipeline from the interpreter's own parser.
  const parsed = pipeline as { readonly commands: ReadonlyArray<unknown> }
  const isLonger = parsed.commands.length > 1
  // Each command of a longer pipeline runs in a subshell, whose failure counts.
  const ran = isLonger ? () => untilReturn(run) : run
  if (!counts(state)) return ran()
  if (tested.has(parsed)) return untested(state, ran)
  return isLonger ? inCall(state, ran) : run()
}

/** Runs something whose failure does not end the script. */
export const untested = async (state: ErrexitState, run: Run): Promise<unknown> => {
  const before = state.inCondition
  state.inCondition = true
  try {
    return await run()
  } finally {
    state.inCondition = before
  }
}

/** Runs a call. Its failure counts as that of a command, even if it comes from a tested command inside the call. */
export const inCall = (state: ErrexitState, run: Run): Promise<unknown> =>
  counts(state)
    ? run().then((result) => {
        state.errexitSafe = false
        return result
      })
    : run()

export const inScript = (state: ErrexitState, script: unknown, run: Run): Promise<unknown> => {
  // A script from the interpreter's own parser.
  if (!state.options.errexit || !substitutions.has(script as object)) return run()
  const before = state.options
  state.options = { ...before, errexit: false }
  return run().finally(() => {
    state.options = before
  })
}

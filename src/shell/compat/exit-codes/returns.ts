// `return` in a subshell of a function: in `$(…)` and in a pipeline, the interpreter would end the function itself.
// Invariant: such a `return` ends only its subshell, with its exit code.

type Run = () => Promise<unknown>

/** The interpreter's error of `return`, with what the shell has printed before it. */
interface Returned extends Error {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly internalOutputAccounting: unknown
}

const isReturn = (error: unknown): error is Returned => error instanceof Error && error.name === "ReturnError"

/** Runs what has a subshell of its own. */
export const untilReturn = async (run: Run): Promise<unknown> => {
  try {
    return await run()
  } catch (error) {
    if (!isReturn(error)) throw error
    const { stdout, stderr, exitCode, internalOutputAccounting } = error
    return { stdout, stderr, exitCode, internalOutputAccounting }
  }
}

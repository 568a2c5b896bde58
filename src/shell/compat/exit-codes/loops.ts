// Exit codes of loops that end with `break` or `continue`: the interpreter gives them the exit code of the command before it, so
// `[ … ] && break` would end a script with `set -e`.
// Invariant: a loop whose last command was `break` or `continue` has the exit code 0.

/** The field of the interpreter's state that is read and written here. */
export interface LoopState {
  /** The innermost loop that is running. */
  loop?: Loop | undefined
}

interface Loop {
  readonly body: ReadonlyArray<unknown>
  /** True if the last statement of the body ended with `break` or `continue`. */
  left: boolean
}

type Run = () => Promise<unknown>

const LOOPS = /^(?:For|CStyleFor|While|Until)$/

const leaves = (error: unknown): boolean =>
  error instanceof Error && (error.name === "BreakError" || error.name === "ContinueError")

/** Runs a command; corrects its exit code if it is a loop. */
export const inLoop = (state: LoopState, command: unknown, run: Run): Promise<unknown> => {
  // A command from the interpreter's own parser.
  const { type, body } = command as { readonly type: string; readonly body: ReadonlyArray<unknown> }
  return LOOPS.test(type) ? looped(state, body, run) : run()
}

const looped = async (state: LoopState, body: ReadonlyArray<unknown>, run: Run): Promise<unknown> => {
  const before = state.loop
  const loop: Loop = { body, left: false }
  state.loop = loop
  try {
    const result = await run()
    // The result of a command.
    return loop.left ? { ...(result as object), exitCode: 0 } : result
  } finally {
    state.loop = before
  }
}

/** Runs a statement; records whether it leaves the body of the innermost loop. */
export const inBody = ({ loop }: LoopState, statement: unknown, run: Run): Promise<unknown> =>
  loop === undefined || !loop.body.includes(statement) ? run() : recorded(loop, run)

const recorded = async (loop: Loop, run: Run): Promise<unknown> => {
  try {
    const result = await run()
    loop.left = false
    return result
  } catch (error) {
    loop.left = leaves(error)
    throw error
  }
}

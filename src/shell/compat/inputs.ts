// `/dev/stdin` by its name, and commands inside a loop, function or group that has an input of its own: what one of them reads,
// the next one does not get. Receives a simple command; with a redirection of its input (`cat < /dev/null`), it gets only that:
// the interpreter would pass it the rest of the outer input if the file is empty.
// Invariant: the outer input is unchanged after a command that has its own.

export interface InputState {
  /** What is left of the input of the enclosing loop, function or group. */
  groupStdin?: unknown
  /** What a statement, or the last shell that a program has started, has left of its input. */
  left?: unknown
}

interface Redirection {
  readonly fd?: number | null
  readonly fdVariable?: unknown
  readonly operator: string
}

const READS = /^<(?:<<|<-?|&|>)?$/

const redirectsInput = (node: unknown): boolean => {
  // A simple command of the interpreter's own parser.
  const { redirections = [] } = node as { readonly redirections?: ReadonlyArray<Redirection> }
  return redirections.some(
    ({ fd, fdVariable, operator }) => READS.test(operator) && (fd ?? 0) === 0 && fdVariable === undefined,
  )
}

export const withOwnInput = async (state: InputState, node: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  const { groupStdin } = state
  if (groupStdin === undefined || !redirectsInput(node)) return run()
  state.groupStdin = undefined
  return run().finally(() => {
    state.groupStdin = groupStdin
  })
}

/** The result of a program. */
interface Consumed {
  readonly stdout: string
  readonly internalStdinConsumed?: number
}

/** Runs a statement; records what it leaves of the input, which the interpreter restores when a subshell ends. */
export const inShared = (state: InputState, _: unknown, run: () => Promise<unknown>): Promise<unknown> =>
  state.groupStdin === undefined ? run() : run().finally(() => (state.left = state.groupStdin))

/** Runs a subshell; what it has read is no longer in the input. */
export const inSubshell = (state: InputState, node: unknown, run: () => Promise<unknown>): Promise<unknown> =>
  state.groupStdin === undefined || redirectsInput(node) ? run() : run().finally(() => (state.groupStdin = state.left))

/** Runs a program that may read the input of the enclosing loop, function or group; `run` receives it. */
export const withSharedInput = async (
  state: InputState,
  [name = "", ...args]: ReadonlyArray<string>,
  run: (input: unknown) => Promise<unknown>,
): Promise<unknown> => {
  const input = String(state.groupStdin)
  state.left = undefined
  const result = await run(input)
  // Every program has such a result.
  const { stdout, internalStdinConsumed = 0 } = result as Consumed
  const reads = internalStdinConsumed > 0 || args.some((arg) => STDIN.test(arg))
  // `head` reads no more than it prints.
  const rest = name === "head" && input.startsWith(stdout) ? input.slice(stdout.length) : ""
  state.groupStdin = state.left ?? (reads ? rest : input)
  return result
}

interface InputFiles {
  input: string
}

const STDIN = /^\/dev\/(?:stdin|fd\/0)$/

/** Runs a command or a redirection that may read `/dev/stdin`; the file has its input meanwhile. */
const withStdin = async (files: InputFiles, input: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  const before = files.input
  files.input = typeof input === "string" ? input : ""
  return run().finally(() => {
    files.input = before
  })
}

/** Runs a command that reads `/dev/stdin` if one of its arguments names it. */
export const withNamedInput = (
  files: InputFiles,
  args: ReadonlyArray<string>,
  input: unknown,
  run: () => Promise<unknown>,
): Promise<unknown> => (args.some((arg) => STDIN.test(arg)) ? withStdin(files, input, run) : run())

/** Runs a command whose redirections may read `/dev/stdin`. */
export const withRedirectedInput = (
  files: InputFiles,
  node: unknown,
  input: unknown,
  run: () => Promise<unknown>,
): Promise<unknown> => {
  // A command of the interpreter's own parser.
  const { redirections = [] } = node as { readonly redirections?: ReadonlyArray<Redirection> }
  return redirections.some(({ operator }) => operator === "<") ? withStdin(files, input, run) : run()
}

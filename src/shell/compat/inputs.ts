// `/dev/stdin` by its name, and commands inside a loop, function or group that has an input of its own. Receives a simple
// command; with a redirection of its input (`cat < /dev/null`), it gets only that: the interpreter would pass it the rest of the
// outer input if the file is empty.
// Invariant: the outer input is unchanged after such a command.

export interface InputState {
  /** What is left of the input of the enclosing loop, function or group. */
  groupStdin?: unknown
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

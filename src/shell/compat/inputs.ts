// What commands read as their input. The commands of a loop, function or group share its input: what one of them reads, the next
// one does not get. A command that redirects its own input (`cat < /dev/null`) gets only that; the interpreter would pass it the
// rest of the outer input if the file is empty. `/dev/stdin` is the input of the command that names it.
// Invariant: the outer input is unchanged after a command that has its own.

import type { Reading } from "../programs/program.ts"
import { restored } from "../raw-bytes.ts"
import { partsOf } from "../syntax/node-fields.ts"

export interface InputState {
  /** What is left of the input of the enclosing loop, function or group. */
  groupStdin?: unknown
  /** What a statement, or the last shell that a program has started, has left of its input. */
  left?: unknown
  /** True if the input is a pipe, in which a program can't go back to where it stopped. */
  piped?: boolean
}

interface Redirection {
  readonly fd?: number | null
  readonly fdVariable?: unknown
  readonly operator: string
  readonly target?: unknown
}

const READS = /^<(?:<<|<-?|&|>)?$/

/** The redirection that a command's input comes from: the last one of several. */
const inputOf = (node: unknown): Redirection | undefined => {
  // A command of the interpreter's own parser.
  const { redirections = [] } = node as { readonly redirections?: ReadonlyArray<Redirection> }
  return redirections.findLast(
    ({ fd, fdVariable, operator }) => READS.test(operator) && (fd ?? 0) === 0 && fdVariable === undefined,
  )
}

export const redirectsInput = (node: unknown): boolean => inputOf(node) !== undefined

export const redirectsOutput = (node: unknown): boolean => {
  // A command of the interpreter's own parser.
  const { redirections = [] } = node as { readonly redirections?: ReadonlyArray<Redirection> }
  return redirections.some(({ operator }) => operator.includes(">"))
}

/** Runs a command; meanwhile, `state.piped` is true if its input is a pipe: after `|`, `<(…)`, a here-document or here-string. */
const withKind = (state: InputState, node: unknown, input: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  const { piped = false } = state
  const redirection = inputOf(node)
  const pipes =
    redirection === undefined
      ? piped || input !== ""
      : redirection.operator.startsWith("<<") || partsOf(redirection.target)[0]?.["type"] === "ProcessSubstitution"
  if (pipes === piped) return run()
  state.piped = pipes
  return run().finally(() => (state.piped = piped))
}

export const withOwnInput = async (state: InputState, node: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  const { groupStdin } = state
  if (groupStdin === undefined || !redirectsInput(node)) return run()
  state.groupStdin = undefined
  return run().finally(() => {
    state.groupStdin = groupStdin
  })
}

/** Runs a statement, and records what it leaves of the shared input: the interpreter restores that when a subshell ends. */
export const inShared = (state: InputState, _: unknown, run: () => Promise<unknown>): Promise<unknown> =>
  state.groupStdin === undefined ? run() : run().finally(() => (state.left = state.groupStdin))

/** Runs a subshell; what it has read is no longer in the input. */
export const inSubshell = (state: InputState, node: unknown, run: () => Promise<unknown>): Promise<unknown> =>
  state.groupStdin === undefined || redirectsInput(node) ? run() : run().finally(() => (state.groupStdin = state.left))

/** How many bytes a program reads of a pipe at once. */
export const BLOCK = 8192

/**
 * Runs a program in a loop, function or group that has an input. `run` receives what earlier commands have left of it; the next
 * command gets what this one leaves.
 */
export const withSharedInput = async (
  state: InputState,
  args: ReadonlyArray<string>,
  run: (input: string) => Promise<unknown>,
): Promise<unknown> => {
  const input = restored(String(state.groupStdin))
  state.left = undefined
  const result = await run(input)
  // Every program has such a result.
  const { internalStdinConsumed: taken = 0, exact } = result as Reading
  const count = args.some((arg) => STDIN.test(arg)) ? input.length : taken
  state.groupStdin = state.left ?? input.slice(state.piped && !exact ? Math.ceil(count / BLOCK) * BLOCK : count)
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
  state: InputState,
  node: unknown,
  input: unknown,
  execute: () => Promise<unknown>,
): Promise<unknown> => {
  const run = () => withKind(state, node, input, execute)
  // A command of the interpreter's own parser.
  const { redirections = [] } = node as { readonly redirections?: ReadonlyArray<Redirection> }
  return redirections.some(({ operator }) => operator === "<")
    ? withStdin(files, input || state.groupStdin, run)
    : run()
}

// Sets BASH_SOURCE, which the interpreter only sets in functions, to the file of the running script: one that is called, passed to
// a shell or read with `source`. The interpreter parses what `source` reads, so that text gets the form that its parser accepts.
// Invariant: after a script, BASH_SOURCE is what it was before.
import { withoutGaps } from "../../syntax/parser-gaps.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface SourceState {
  sourceStack?: Array<string>
  currentSource?: string
  readonly env: Map<string, string>
}

/** The files of a shell. */
export interface SourceFiles {
  /** Changes the text of the file that is read next. */
  script: ((text: string) => string) | null
}

const VERSION = "BASH_VERSINFO"
const SHELLS = new Set(["bash", "sh", ""])

/** Runs `run` with the first argument, a file, as BASH_SOURCE. */
const sourced = async (state: SourceState, args: ReadonlyArray<string>, run: () => Promise<unknown>) => {
  const [file] = args[0] === "--" ? args.slice(1) : args
  if (file === undefined) return run()
  const { sourceStack, currentSource } = state
  state.sourceStack = [file, ...(sourceStack ?? [])]
  state.currentSource = file
  try {
    return await run()
  } finally {
    if (sourceStack === undefined) delete state.sourceStack
    else state.sourceStack = sourceStack
    if (currentSource === undefined) delete state.currentSource
    else state.currentSource = currentSource
  }
}

/** Runs `source` or `.`. */
export const inSourced = (
  state: SourceState,
  files: SourceFiles,
  args: ReadonlyArray<string>,
  run: () => Promise<unknown>,
) => {
  files.script = withoutGaps
  return sourced(state, args, run).finally(() => {
    files.script = null
  })
}

/** Runs a script. In a shell that was started with a file, `$0` is the name of that file. */
export const inSource = (state: SourceState, _: unknown, run: () => Promise<unknown>) => {
  // Sets element 0, the major version: scripts test it to check that they can run.
  if (!state.env.has(VERSION)) state.env.set(VERSION, "5")
  const file = state.env.get("0") ?? ""
  if (state.sourceStack !== undefined || SHELLS.has(file)) return run()
  return sourced(state, [file], run)
}

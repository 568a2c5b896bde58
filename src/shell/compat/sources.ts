// BASH_SOURCE, which the interpreter fills in functions alone: the file of the script that runs, in scripts that are called,
// handed to a shell or read with `source`.
// Invariant: behind a script the names are those that were there before it.

/** What the interpreter keeps of it. */
export interface SourceState {
  sourceStack?: Array<string>
  currentSource?: string
  readonly env: Map<string, string>
}

const VERSION = "BASH_VERSINFO"
const SHELLS = new Set(["bash", "sh", ""])

/** Runs what reads the file that `args` begins with. */
export const sourced = async (state: SourceState, args: ReadonlyArray<string>, run: () => Promise<unknown>) => {
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

/** A shell of its own that was handed a file has its name as `$0`. */
export const inSource = (state: SourceState, _: unknown, run: () => Promise<unknown>) => {
  // Its element 0; a script asks for the version that it needs.
  if (!state.env.has(VERSION)) state.env.set(VERSION, "5")
  const file = state.env.get("0") ?? ""
  if (state.sourceStack !== undefined || SHELLS.has(file)) return run()
  return sourced(state, [file], run)
}

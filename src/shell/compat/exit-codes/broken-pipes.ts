// Pipelines in which a command stops reading before the end of its input (`seq 100000 | head -1`). In bash, SIGPIPE then ends the
// command before it, with exit code 141. Here, that command has ended already, so its exit code is replaced.
// Invariant: a command keeps its exit code if its output fits into a pipe, or if it is read to its end.
import { BLOCK } from "../inputs.ts"
import type { ErrexitState } from "./errexit.ts"
import type { Reading } from "../../programs/program.ts"

/** How many bytes a pipe holds. */
const CAPACITY = 65_536
const BROKEN = 141

/** The fields of the interpreter's state that are read and written here. */
export interface PipeState extends Pick<ErrexitState, "options"> {
  readonly arrays?: ReadonlyMap<string, { readonly elements: Map<unknown, string> }>
  /** True if the last program whose input does not fit into a pipe did not read it to its end. */
  stoppedReading?: boolean
}

interface Pipeline {
  readonly commands: ReadonlyArray<object>
  readonly negated: boolean
}

/** The commands that stopped reading. */
const stopped = new WeakSet<object>()

const isLong = (input: unknown): input is string => typeof input === "string" && input.length > CAPACITY

/** Runs a program, and records whether it stopped reading. */
export const inProgram = (state: PipeState, input: unknown, run: () => Promise<unknown>): Promise<unknown> =>
  isLong(input)
    ? run().then((result) => {
        // Every program has such a result.
        const { internalStdinConsumed: taken = 0 } = result as Reading
        state.stoppedReading = taken > 0 && input.length > taken + BLOCK + CAPACITY
        return result
      })
    : run()

/** Runs a command of a pipeline, and records whether its program stopped reading. */
export const inReader = (
  state: PipeState,
  node: unknown,
  input: unknown,
  run: () => Promise<unknown>,
): Promise<unknown> =>
  isLong(input)
    ? run().finally(() => {
        // A node of the interpreter's own parser.
        if (state.stoppedReading === true) stopped.add(node as object)
        state.stoppedReading = false
      })
    : run()

/** Runs a pipeline; the command before each one that stopped reading gets the exit code 141. */
export const inPipe = async (state: PipeState, node: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  const result = await run()
  // A pipeline from the interpreter's own parser.
  const { commands, negated } = node as Pipeline
  const codes = state.arrays?.get("PIPESTATUS")?.elements
  let exitCode: number | null = null
  for (const [at, command] of commands.entries())
    if (stopped.delete(command)) {
      codes?.set(String(at - 1), String(BROKEN))
      exitCode = BROKEN
    }
  if (exitCode === null || state.options.pipefail !== true) return result
  const code = Number(Array.from(codes?.values() ?? []).findLast((one) => one !== "0"))
  // Every pipeline of the interpreter has such a result.
  return { ...(result as object), exitCode: negated ? 0 : code }
}

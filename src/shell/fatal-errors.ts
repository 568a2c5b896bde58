// Errors of expansions that end a shell: an unbound variable under `set -u`, an invalid expression in `$((…))`. The interpreter
// takes them for the failure of the enclosing function or group.
// Invariant: such an error ends the shell like `exit`, after its EXIT handler, wherever it occurs.
import { WorkspaceError } from "../workspace/workspace-error.ts"
import { type Node, PIPED } from "./syntax/nodes.ts"

/** An error of the interpreter, with what the shell has printed before it. */
interface Failure extends Error {
  readonly stdout: string
  readonly stderr: string
}

/** The interpreter's error of `exit`. */
interface Exit {
  readonly prependOutput: (stdout: string, stderr: string) => void
}

type Run = () => Promise<unknown>

const NAMELESS = { stdout: "", stderr: "bash: : No such file or directory\n", exitCode: 1 }

/**
 * Runs a command and contains errors that end no more than it: a redirection to an empty name (`> "$unset"`), and in a pipeline,
 * where each command has a shell of its own, also a fatal error.
 */
export const withContainedErrors = (node: unknown, run: Run): Promise<unknown> =>
  run().catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === "ENOENT" && error.path === "") return NAMELESS
    // A command of the interpreter's own parser.
    if (!isFatal(error) || (node as Node)[PIPED] !== true) throw error
    return { stdout: error.stdout, stderr: error.stderr, exitCode: 1 }
  })

const FATAL: ReadonlySet<string> = new Set(["NounsetError", "ArithmeticError"])

const isFatal = (error: unknown): error is Failure => error instanceof Error && FATAL.has(error.name)

/** Runs a statement; `exit` runs the builtin, which rejects with the error that ends a shell. */
export const untilFatal = async (run: Run, exit: (code: string) => Promise<unknown>): Promise<unknown> => {
  try {
    return await run()
  } catch (error) {
    if (!isFatal(error)) throw error
    return exit("1").catch((ending: unknown) => {
      // It is the error of `exit`.
      ;(ending as Exit).prependOutput(error.stdout, error.stderr)
      throw ending
    })
  }
}

const UNBOUND = /^bash: (?:conditional|arithmetic) expression: (\w+: unbound variable)$/m

/** Runs `[[ … ]]` or `(( … ))`, whose unbound variables the interpreter reports as a failure of the command. */
export const withUnbound = async (run: Run, exit: (code: string) => Promise<unknown>): Promise<unknown> => {
  const result = await run()
  // The result of a command.
  const { stdout, stderr } = result as { readonly stdout: string; readonly stderr: string }
  const [, message] = UNBOUND.exec(stderr) ?? []
  if (message === undefined) return result
  return exit("1").catch((ending: unknown) => {
    // It is the error of `exit`.
    ;(ending as Exit).prependOutput(stdout, `bash: ${message}\n`)
    throw ending
  })
}

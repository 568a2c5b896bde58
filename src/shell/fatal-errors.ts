// Errors of expansions that end a shell: an unbound variable under `set -u`, an invalid expression in `$((…))`. The interpreter
// takes them for the failure of the enclosing function or group.
// Invariant: such an error ends the shell like `exit`, after its EXIT handler, wherever it occurs.
import { WorkspaceError } from "../workspace/workspace-error.ts"

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

/** Runs a command; it fails if one of its redirections writes to an empty name (`> "$unset"`), which ends no script. */
export const withNamedTargets = (run: Run): Promise<unknown> =>
  run().catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === "ENOENT" && error.path === "") return NAMELESS
    throw error
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

// Scripts and programs that a command names by their path. Receives the command's words; returns the script's path, and the names
// by which rules know it.
// Invariant: a script or a program has the same names however it is called.
import { touchedPath } from "../workspace/touched-path.ts"

/** The names by which rules may refer to a script: its absolute path, and its paths relative to these directories. */
export const scriptNames = (path: string, directories: ReadonlyArray<string>): ReadonlyArray<string> => [
  path,
  ...directories.flatMap((directory) => {
    const base = directory === "/" ? "/" : `${directory}/`
    return path.startsWith(base) ? [path.slice(base.length), `./${path.slice(base.length)}`] : []
  }),
]

/** Commands that run the script in their arguments. */
const CALLERS: ReadonlySet<string> = new Set(["sh", "bash", "source", "."])

/** The path of the script that such a command runs; null for any other command. */
export const calledScript = (name: string, args: ReadonlyArray<string>, cwd: string): string | null => {
  if (!CALLERS.has(name.slice(name.lastIndexOf("/") + 1)) || args.some((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg)))
    return null
  // The word after `-o` is the name of an option.
  const script = args.find((arg, at) => !arg.startsWith("-") && !/^-[a-zA-Z]*o$/.test(args[at - 1] ?? ""))
  return script === undefined ? null : touchedPath(script, cwd)
}

const PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/
/** Programs of Debian that are builtins here. */
const BUILTINS: ReadonlySet<string> = new Set(["[", "echo", "false", "kill", "printf", "pwd", "test", "true"])

/** The name of a program that is called by its path in Debian, such as `/bin/ls`; null for any other command. */
export const programAt = (name: string, programs: ReadonlyMap<string, unknown>): string | null => {
  const [, program = ""] = PROGRAM.exec(name) ?? []
  return programs.has(program) || BUILTINS.has(program) ? program : null
}

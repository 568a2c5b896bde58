// The parts of every program that Perch adds to its shell: GNU options, inputs as bytes, and a result.
// Receives the words after the program's name; text has one character per byte, like the shell's pipes.
// Invariant: an unknown option is an error, never ignored.
import type { Command, ExecResult, ResolvedCommandContext } from "just-bash/browser"

export type Context = ResolvedCommandContext

/** Work units per reread character. A run has a hundred million units: about a second of such reading. */
const WORK_PER_READ = 12
/** Work units per line: a run can process five million lines. */
const WORK_PER_LINE = 20

/** The options of a program: flags, and options with a value. Each long name maps to a short one. */
export interface OptionTable {
  /** Letters of options without a value. */
  readonly flags?: string
  /** Letters of options with a value. */
  readonly values?: string
  /** The letter or name for each long name, with `=` at its end if the option takes a value. */
  readonly long?: Readonly<Record<string, string>>
}

export interface Options {
  readonly has: (name: string) => boolean
  /** The last value of an option. */
  readonly value: (name: string) => string | undefined
  readonly all: (name: string) => ReadonlyArray<string>
  readonly operands: ReadonlyArray<string>
  /** The options in the order given. */
  readonly given: ReadonlyArray<readonly [name: string, value: string | null]>
}

export class UsageError extends Error {}

export const readOptions = (args: ReadonlyArray<string>, table: OptionTable): Options => {
  const given: Array<readonly [string, string | null]> = []
  const operands: Array<string> = []
  const { flags = "", values = "", long = {} } = table
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      operands.push(...args.slice(at + 1))
      break
    }
    if (arg.startsWith("--")) {
      const [, name = "", , inline] = /^--([^=]*)(=([\s\S]*))?$/.exec(arg) ?? []
      const meant = Object.hasOwn(long, name) ? long[name] : undefined
      if (meant === undefined) throw new UsageError(`unrecognized option '--${name}'`)
      if (!meant.endsWith("=")) {
        if (inline !== undefined) throw new UsageError(`option '--${name}' doesn't allow an argument`)
        given.push([meant, null])
      } else given.push([meant.slice(0, -1), inline ?? next(args, (at += 1), name)])
    } else if (arg.startsWith("-") && arg !== "-") {
      for (let letter = 1; letter < arg.length; letter += 1) {
        const name = arg.charAt(letter)
        if (flags.includes(name)) {
          given.push([name, null])
          continue
        }
        if (!values.includes(name)) throw new UsageError(`invalid option -- '${name}'`)
        const rest = arg.slice(letter + 1)
        given.push([name, rest !== "" ? rest : next(args, (at += 1), name)])
        break
      }
    } else operands.push(arg)
  }
  return {
    has: (name) => given.some(([other]) => other === name),
    value: (name) => given.findLast(([other]) => other === name)?.[1] ?? undefined,
    all: (name) => given.flatMap(([other, value]) => (other === name && value !== null ? [value] : [])),
    operands,
    given,
  }
}

const next = (args: ReadonlyArray<string>, at: number, name: string): string => {
  const value = args[at]
  if (value === undefined) throw new UsageError(`option requires an argument -- '${name}'`)
  return value
}

export const bytes = (stdout: string, stderr = "", exitCode = 0): ExecResult => ({
  stdout,
  stderr,
  exitCode,
  stdoutKind: "bytes",
})

/** A result with what the program has taken of its standard input. */
export interface Reading extends ExecResult {
  readonly internalStdinConsumed?: number
  /** True for a program that asks for exactly these bytes; others read blocks, and go back in a file, but not in a pipe. */
  readonly exact?: boolean
}

/** Standard input, one character per byte, which is the format of the shell's ByteString. */
export const stdinOf = (context: Context): string => context.stdin as unknown as string

/** The content of a file, or of standard input for `-`, one character per byte. */
export const readInput = async (context: Context, name: string): Promise<string> => {
  if (name === "-") return stdinOf(context)
  const path = context.fs.resolvePath(context.cwd, name)
  if ((await context.fs.stat(path)).isDirectory) throw new Error("Is a directory")
  const content = await context.fs.readFileBuffer(path)
  context.executionScope?.consumeInput(content.length, name)
  return latin1(content)
}

const latin1 = (content: Uint8Array): string =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1")

/** Returns a function that charges reread characters of a program's patterns to the whole run. */
export const spendsReads =
  (context: Context, name: string) =>
  (characters: number): void =>
    void context.executionScope?.consumeWork(characters * WORK_PER_READ, name)

/** Charges lines that a program processes one by one. */
export const spendLines = (context: Context, name: string, lines: number): void =>
  void context.executionScope?.consumeWork(lines * WORK_PER_LINE, name)

/** The reason why a file could not be used, in the words of Unix programs. */
export const why = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  if (text.includes("EACCES")) return "Permission denied"
  if (text.includes("ENOENT")) return "No such file or directory"
  if (text.includes("EISDIR")) return "Is a directory"
  if (text.includes("ENOTDIR")) return "Not a directory"
  if (text.includes("ELOOP")) return "Too many levels of symbolic links"
  return text
}

/** The lines of a text without their ends, including a last line without an end. */
export const linesOf = (text: string, end = "\n"): ReadonlyArray<string> => {
  if (text === "") return []
  const lines = text.split(end)
  if (text.endsWith(end)) lines.pop()
  return lines
}

/** What a program prints for `--version` and `--help`. */
const about = (name: string, option: string): ExecResult =>
  bytes(
    option === "--version"
      ? `${name} (Perch)\n`
      : `${name}: a program of Perch's shell with the usual options; an option that it lacks is an error.\n`,
  )

/** Defines a program. Its usage errors are printed with its name, and it then ends with the exit code `code`. */
export const program = (
  name: string,
  run: (args: ReadonlyArray<string>, context: Context) => Promise<ExecResult>,
  code = 1,
): Command =>
  command(name, async (args, context) => {
    try {
      context.executionScope?.consumeWork(1, name)
      const [option = "", more] = args
      if (more === undefined && /^--(?:version|help)$/.test(option)) return about(name, option)
      return await run(args, context)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return bytes("", `${name}: ${error.message}\n`, code)
    }
  })

/** Like `defineCommand` of just-bash, which can't be used here because it is loaded later than the programs. */
export const command = (name: string, execute: Command["execute"]): Command => ({ name, trusted: true, execute })

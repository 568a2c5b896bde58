// Receives a command; returns the command that it runs, if all that it adds is how that command is run: a time limit, a priority,
// buffering. Invariant: with any other option or an unknown word, the command itself is returned.
import type { ShellCommand } from "../shell-command.ts"

type Args = ShellCommand["args"]

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/
const MAX_DEPTH = 4

const at = (args: Args, index: number): string => args[index] ?? ""

/** The number of arguments before the command that is run; null when that is not certain. As in the official SDK. */
const WRAPPERS: Readonly<Record<string, (args: Args) => number | null>> = {
  builtin: () => 0,
  command: () => 0,
  nice: (args) =>
    at(args, 0) === "-n" ? (/^-?\d+$/.test(at(args, 1)) ? 2 : null) : /^-n?-?\d+$/.test(at(args, 0)) ? 1 : 0,
  nohup: () => 0,
  stdbuf: (args) => {
    const first = args.findIndex((arg) => !/^-[ioe](?:\d+[KMG]?|L)$/.test(arg ?? ""))
    return first > 0 ? first : null
  },
  timeout: (args) => {
    const limit = at(args, 0) === "-k" && DURATION.test(at(args, 1)) ? 2 : 0
    return DURATION.test(at(args, limit)) ? limit + 1 : null
  },
}

/** As the official SDK: a command that only reads or edits keeps its kind in these; rules apply to it in all wrappers. */
const KEEP_THE_KIND: ReadonlySet<string> = new Set(["builtin", "command", "timeout"])

/** The index of the program that a wrapper runs among its arguments; null when it is not known, or for another program. */
const programAmong = (name: string | null, args: Args, wrappers: ReadonlySet<string>): number | null => {
  const skipped = name !== null && wrappers.has(name) ? (WRAPPERS[name]?.(args) ?? null) : null
  const inner = skipped === null ? "" : at(args, skipped)
  return inner === "" || inner.startsWith("-") ? null : skipped
}

const unwrapped = (command: ShellCommand, wrappers: ReadonlySet<string>): ShellCommand | null => {
  const { name, args, globs, words, parts } = command
  const skipped = programAmong(name, args, wrappers)
  if (skipped === null) return null
  const rest = words.slice(skipped + 1)
  const after = { args: args.slice(skipped + 1), globs: globs.slice(skipped + 1), parts: parts.slice(skipped + 1) }
  return { ...command, ...after, name: at(args, skipped), words: rest, text: rest.join(" ") }
}

const innermost = (command: ShellCommand, wrappers: ReadonlySet<string>): ShellCommand => {
  let found = command
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) found = unwrapped(found, wrappers) ?? found
  return found
}

const ALL: ReadonlySet<string> = new Set(Object.keys(WRAPPERS))

/** The command that rules apply to. */
export const innerCommand = (command: ShellCommand): ShellCommand => innermost(command, ALL)

/** The command that decides whether the whole only reads or edits. */
export const decidingCommand = (command: ShellCommand): ShellCommand => innermost(command, KEEP_THE_KIND)

/** The name of the `innerCommand` of a command that runs, whose words are expanded. */
export const innerName = (name: string, args: Array<string>, depth = MAX_DEPTH): string => {
  const skipped = depth === 0 ? null : programAmong(name, args, ALL)
  return skipped === null ? name : innerName(at(args, skipped), args.slice(skipped + 1), depth - 1)
}

// Receives a command; returns the command that it runs, if all that it adds is how that command is run: a time limit, a priority,
// buffering. What counts as such depends on the purpose, as in the official SDK.
// Invariant: with any other option or an unknown word, the command itself is returned.
import type { ShellCommand } from "../shell-command.ts"
import type { Word } from "./words.ts"

type Args = ShellCommand["args"]

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/
const MAX_DEPTH = 4

const at = (args: Args, index: number): string => args[index] ?? ""

/** The number of arguments that the pattern covers, each followed by a blank; an unknown one or one with blanks is empty. */
const covered = (args: Args, pattern: RegExp): number => {
  const [found = ""] = pattern.exec(args.map((arg) => `${arg === null || /\s/.test(arg) ? "" : arg} `).join("")) ?? []
  return found.split(" ").length - 1
}

type Skip = (args: Args) => number | null

/** The number of arguments before the command that is run; null when that is not certain. As in the official SDK. */
const WRAPPERS: Readonly<Record<string, Skip>> = {
  builtin: (args) => covered(args, /^-- /),
  command: (args) => covered(args, /^(?:-p )?(?:-- )?/),
  nice: (args) => covered(args, /^(?:-n -?\d+ |-\d+ )/),
  nohup: () => 0,
  stdbuf: (args) => covered(args, /^(?:-[ioe](?:\d+[KMG]?|L) )+/) || null,
  time: () => 0,
  timeout: (args) => {
    const limit = covered(
      args,
      /^(?:-[ks] \S+ |-[ks]\w\S* |--(?:kill-after|signal)=\S+ |-v |--(?:foreground|preserve-status|verbose) )*/,
    )
    return DURATION.test(at(args, limit)) ? limit + 1 : null
  },
}

/** For rules alone, also a program whose arguments come from its input. */
const FOR_RULES: Readonly<Record<string, Skip>> = { ...WRAPPERS, xargs: () => 0 }

/** A command that only reads keeps its kind in these. */
const FOR_READS: Readonly<Record<string, Skip>> = {
  builtin: WRAPPERS["builtin"]!,
  command: WRAPPERS["command"]!,
  timeout: (args) => (at(args, 0).startsWith("-") ? null : WRAPPERS["timeout"]!(args)),
}

/** The paths of a command count in these. */
const FOR_PATHS: Readonly<Record<string, Skip>> = {
  ...WRAPPERS,
  env: (args) => covered(args, /^(?:-i |-u \w+ |\w+=\S* )*/),
  stdbuf: (args) => covered(args, /^(?:-[ioe] ?\w+ |--\w+=\w+ )+/) || null,
}

/** The index of the program that a wrapper runs among its arguments; null when it is not known, or for another program. */
const programAmong = (name: string | null, args: Args, wrappers: Readonly<Record<string, Skip>>): number | null => {
  const skipped = name !== null && Object.hasOwn(wrappers, name) ? (wrappers[name]?.(args) ?? null) : null
  const inner = skipped === null ? "" : at(args, skipped)
  return inner === "" || inner.startsWith("-") ? null : skipped
}

const unwrapped = (command: ShellCommand, wrappers: Readonly<Record<string, Skip>>): ShellCommand | null => {
  const { name, args, globs, words, parts } = command
  const skipped = programAmong(name, args, wrappers)
  if (skipped === null) return null
  const rest = words.slice(skipped + 1)
  const after = { args: args.slice(skipped + 1), globs: globs.slice(skipped + 1), parts: parts.slice(skipped + 1) }
  return { ...command, ...after, name: at(args, skipped), words: rest, text: rest.join(" ") }
}

const innermost = (command: ShellCommand, wrappers: Readonly<Record<string, Skip>>): ShellCommand => {
  let found = command
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) found = unwrapped(found, wrappers) ?? found
  return found
}

/** The command that rules apply to. */
export const innerCommand = (command: ShellCommand): ShellCommand => innermost(command, FOR_RULES)

/** The command that decides whether the whole only reads. */
export const readingCommand = (command: ShellCommand): ShellCommand => innermost(command, FOR_READS)

/** The command that decides whether the whole only edits. */
export const editingCommand = (command: ShellCommand): ShellCommand => innermost(command, WRAPPERS)

/** Programs that are known by their name in any directory (`/bin/rm`). */
const ANYWHERE = /^.*\/(?=(?:cp|mv|rm|rmdir|tee)$)/

/** The command whose paths count, under its plain name. */
export const targetCommand = (command: ShellCommand): ShellCommand => {
  const found = innermost(command, FOR_PATHS)
  const name = found.name?.replace(ANYWHERE, "") ?? null
  return name === null ? found : { ...found, name, words: [name, ...found.words.slice(1)], assigns: false }
}

/** The command with `time` before it, which the shell's parser makes a property of the pipeline. */
export const timed = (command: ShellCommand): ShellCommand => {
  const { name, args, globs, words, text, parts } = command
  const [all, shown] =
    name === null
      ? [args, globs]
      : [
          [name, ...args],
          [name, ...globs],
        ]
  const time: Word = { type: "Word", parts: [{ type: "Literal", value: "time" }] }
  const own = { args: all, globs: shown, words: ["time", ...words], parts: [time, ...parts] }
  return { ...command, ...own, name: "time", text: `time ${text}`.trim() }
}

/** True for a call of a wrapper with options that are not known, so that the command that it runs is not known either. */
export const isUnclear = (command: ShellCommand): boolean => {
  const { name, args } = innermost(command, FOR_PATHS)
  if (name === "command") return at(args, 0).startsWith("--")
  if (name === null || args.length === 0 || !/^(?:env|nice|nohup|time|timeout)$/.test(name)) return false
  const skipped = FOR_PATHS[name]?.(args) ?? null
  return skipped === null || at(args, skipped).startsWith("-")
}

/** The name of the `innerCommand` of a command that runs, whose words are expanded. */
export const innerName = (name: string, args: Array<string>, depth = MAX_DEPTH): string => {
  const skipped = depth === 0 ? null : programAmong(name, args, WRAPPERS)
  return skipped === null ? name : innerName(at(args, skipped), args.slice(skipped + 1), depth - 1)
}

// Receives a command; returns the command that it runs, if all that it adds is how that command is run: a time limit, a priority,
// buffering. What counts as such depends on the purpose, as in the official SDK.
// Invariant: with any other option or an unknown word, the command itself is returned.
import type { ShellCommand } from "../shell-command.ts"
import type { Word } from "./words.ts"

type Args = ShellCommand["args"]

const MAX_DEPTH = 4

const at = (args: Args, index: number): string => args[index] ?? ""

type Wrappers = Readonly<Record<string, RegExp>>

/** The arguments before the command that is run, each followed by a blank. As in the official SDK. */
const WRAPPERS: Wrappers = {
  builtin: /^(?:-- )?/,
  command: /^(?:-p )?(?:-- )?/,
  nice: /^(?:-n -?\d+ |-\d+ )?/,
  nohup: /^/,
  stdbuf: /^(?:-[ioe](?:\d+[KMG]?|L) )+/,
  time: /^/,
  timeout:
    /^(?:-[ks] \S+ |-[ks]\w\S* |--(?:kill-after|signal)=\S+ |-v |--(?:foreground|preserve-status|verbose) )*\d+(?:\.\d+)?[smhd]? /,
}

/** Wrappers whose inner command rules apply to: also xargs, which appends arguments that it reads from its input. */
const FOR_RULES: Wrappers = { ...WRAPPERS, xargs: /^/ }

/** Written in the place of these arguments, so that, as in the official SDK, no rule for an exact command covers them. */
const FROM_INPUT = "…"

/** Wrappers in which a command that only reads still counts as one. */
const FOR_READS: Wrappers = { builtin: /^(?:-- )?/, command: /^(?:-p )?(?:-- )?/, timeout: /^\d+(?:\.\d+)?[smhd]? / }

/** Wrappers whose inner command's paths are asked about. */
const FOR_PATHS: Wrappers = {
  ...WRAPPERS,
  env: /^(?:-i |-u \w+ |\w+=\S* )*/,
  stdbuf: /^(?:-[ioe] ?\w+ |--\w+=\w+ )+/,
}

/** The number of a wrapper's arguments before the command; null for another program, or if an argument among them is not known. */
const skippedIn = (name: string | null, args: Args, wrappers: Wrappers): number | null => {
  if (name === null || !Object.hasOwn(wrappers, name)) return null
  // An argument that is unknown or has blanks is empty, which no pattern covers.
  const texts = args.map((arg) => `${/\s/.test(arg ?? " ") ? "" : arg} `)
  const found = wrappers[name]?.exec(texts.join(""))
  return found ? found[0].split(" ").length - 1 : null
}

/** The index of the program that a wrapper runs among its arguments; null when it is not known, or for another program. */
const programAmong = (name: string | null, args: Args, wrappers: Wrappers): number | null => {
  const skipped = skippedIn(name, args, wrappers)
  return skipped === null || /^(?:-|$)/.test(at(args, skipped)) ? null : skipped
}

const unwrapped = (command: ShellCommand, wrappers: Wrappers): ShellCommand | null => {
  const { name, args, globs, words, parts } = command
  const skipped = programAmong(name, args, wrappers)
  if (skipped === null) return null
  const rest = [...words.slice(skipped + 1), ...(name === "xargs" ? [FROM_INPUT] : [])]
  const after = { args: args.slice(skipped + 1), globs: globs.slice(skipped + 1), parts: parts.slice(skipped + 1) }
  return { ...command, ...after, name: at(args, skipped), words: rest, text: rest.join(" ") }
}

const innermost = (command: ShellCommand, wrappers: Wrappers): ShellCommand => {
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

/** The directory before the name of a program whose paths are asked about wherever it is (`/bin/rm`). */
const ANYWHERE = /^.*\/(?=(?:cp|mv|rm|rmdir|tee)$)/

/** The command whose paths are asked about, under its name without a directory. */
export const targetCommand = (command: ShellCommand): ShellCommand => {
  const found = innermost(command, FOR_PATHS)
  const name = found.name?.replace(ANYWHERE, "") ?? null
  return name === null ? found : { ...found, name, words: [name, ...found.words.slice(1)], assigns: false }
}

/** The command with `time` before it, which the shell's parser makes a property of the pipeline. */
export const timed = (command: ShellCommand): ShellCommand => {
  const { name, args, globs, words, text, parts } = command
  const time: Word = { type: "Word", parts: [{ type: "Literal", value: "time" }] }
  const own = { args: [name, ...args], globs: [name, ...globs], words: ["time", ...words], parts: [time, ...parts] }
  return { ...command, ...own, name: "time", text: `time ${text}` }
}

/** True for a call of a wrapper with options that are not known, so that the command that it runs is not known either. */
export const isUnclear = (command: ShellCommand): boolean => {
  const { name, args } = innermost(command, FOR_PATHS)
  if (name === "command") return at(args, 0).startsWith("--")
  if (args.length === 0 || !/^(?:env|nice|nohup|time|timeout)$/.test(name ?? "")) return false
  const skipped = skippedIn(name, args, FOR_PATHS)
  return skipped === null || at(args, skipped).startsWith("-")
}

/** The name of the `innerCommand` of a command that runs, whose words are expanded. */
export const innerName = (name: string, args: Array<string>, depth = MAX_DEPTH): string => {
  const skipped = depth === 0 ? null : programAmong(name, args, WRAPPERS)
  return skipped === null ? name : innerName(at(args, skipped), args.slice(skipped + 1), depth - 1)
}

// Receives a command of a script; returns the paths that its `rm` or `rmdir` removes, also behind `env`, `timeout` and the like
// and in the script of `sh -c`, and the words that may be all of a directory.
// Invariant: as in the official SDK, a command with any other word that can't be determined has neither.
import { mayHold } from "../../permissions/path-pattern.ts"
import type { ShellStep } from "../../permissions/shell-analysis.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { placeOf, withoutEverything } from "./paths.ts"
import { readScript } from "./script.ts"
import type { ShellCommand } from "../shell-command.ts"
import type { Part, Word } from "./words.ts"
import { partText, written } from "./words.ts"
import { innerCommand } from "./wrappers.ts"

export type Erasures = Pick<ShellStep, "erases" | "mayErase">

type Operand = Pick<Word, "parts">
type Context = { readonly cwd: string; readonly root: string; readonly moves: boolean; readonly depth: number }

const NONE: Erasures = { erases: [], mayErase: [] }
const MAX_DEPTH = 4
const MAX_OPERANDS = 200

const ERASERS: ReadonlySet<string> = new Set(["rm", "rmdir"])
const SHELLS: ReadonlySet<string> = new Set(["ash", "bash", "dash", "ksh", "sh", "zsh"])

/**
 * Commands that run another one, and the options of each that take the next word as their value. Those of wrappers.ts are read
 * strictly, because they let a rule permit a command; here an unknown option must not hide a removal.
 */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  builtin: /^$/,
  command: /^$/,
  env: /^-[uCS]$/,
  nice: /^-n$/,
  nohup: /^$/,
  stdbuf: /^-[ioe]$/,
  time: /^$/,
  timeout: /^-[ks]$/,
}
const LIMIT = /^\d+(?:\.\d+)?[smhd]?$/

const baseName = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/** The parts of a word, with those in double quotes among them. */
const flat = ({ parts }: Operand): ReadonlyArray<Part> =>
  parts.flatMap((part) => (part.type === "DoubleQuoted" ? flat(part) : [part]))

/** The text of a word, with the values of known variables. */
const textOf = (word: Operand, { values }: ShellCommand): string | null => {
  let text = ""
  for (const part of flat(word)) {
    const { parameter, operation } = part.type === "ParameterExpansion" ? part : { parameter: "", operation: part }
    const known = operation === null ? (values.get(parameter) ?? (parameter === "HOME" ? "~" : null)) : partText(part)
    if (known === null) return null
    text += known
  }
  return text
}

/** The words from the command that is run on: of `env -i rm x`, `rm x`. */
const unwrapped = (words: ReadonlyArray<Word>, command: ShellCommand): ReadonlyArray<Word> => {
  const name = words[0] === undefined ? null : textOf(words[0], command)
  const valued = name === null || !Object.hasOwn(WRAPPERS, name) ? undefined : WRAPPERS[name]
  if (valued === undefined) return words
  let at = 1
  for (; at < words.length; at += 1) {
    const text = textOf(words[at] ?? { parts: [] }, command) ?? ""
    if (name === "command" && /^-[vV]/.test(text)) return []
    if (valued.test(text)) at += 1
    else if (
      !text.startsWith("-") &&
      !(name === "env" && text.includes("=")) &&
      !(name === "timeout" && LIMIT.test(text))
    )
      break
  }
  return unwrapped(words.slice(at), command)
}

/** The script of `sh -c`, with its variables: the shell that reads it is assumed to have the same ones. */
const scriptOf = (words: ReadonlyArray<Word>): string | null => {
  const flag = words.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(written(word)))
  const script = flag === -1 ? undefined : words[flag + 1]
  if (script === undefined) return null
  const source = (part: Part): string => {
    if (part.type === "CommandSubstitution") return "$(:)"
    if (part.type === "ParameterExpansion") return part.operation === null ? `\${${part.parameter}}` : "${_:-}"
    return partText(part) ?? "${_:-}"
  }
  return flat(script).map(source).join("")
}

/** Operations that leave a variable empty if it is. */
const KEEPS_EMPTY: ReadonlySet<string> = new Set([
  "PatternRemoval",
  "PatternReplacement",
  "CaseModification",
  "Substring",
])

/**
 * True for a word that is all of a directory if its first part is empty or names one: `$X/`, `$X/*`, `$X/$Y`; for `rm -r`,
 * also the output of a command.
 */
const isOpenEnded = (word: Operand, isRecursive: boolean): boolean => {
  const [first, next, after] = flat(word)
  const output = first?.type === "CommandSubstitution" && isRecursive
  const variable =
    first?.type === "ParameterExpansion" && (first.operation === null || KEEPS_EMPTY.has(first.operation.type))
  if (!output && !variable) return false
  if (next === undefined) return output
  const rest = partText(next)
  if (rest === null || !rest.startsWith("/")) return false
  return rest.length > 1 ? /^\/[/*?[]/.test(rest) : after === undefined || /^(?:$|[/*?[])/.test(partText(after) ?? "")
}

const IS_STAR = /(?:^|\/)\*+\/?$/
const IS_DOTS = /^\.{1,2}(?:\/\.{0,2})*$/

/** As the official SDK: in a script that changes its directory, a relative word for all of some directory is not followed. */
const isLost = (text: string, place: string | null, { cwd, root, moves }: Context): boolean => {
  if (/^[/~]/.test(text)) return false
  if (place === null) return IS_STAR.test(text) || IS_DOTS.test(text)
  const directory = placeOf(place, cwd, root)
  if (directory === cwd) return moves && IS_STAR.test(text)
  return IS_STAR.test(text) || mayHold(touchedPath(text, directory), directory)
}

/** The places where the command may run. One that only a branch or a loop makes uncertain is left out, as in the official SDK. */
const placesOf = ({ places }: ShellCommand): ReadonlyArray<string | null> =>
  places.length === 1 ? places : places.filter((place) => place !== null)

const ofOperands = (command: ShellCommand, words: ReadonlyArray<Word>, isRecursive: boolean, at: Context): Erasures => {
  const operands = words.filter((word) => !written(word).startsWith("-")).slice(0, MAX_OPERANDS)
  const read = operands.map((word) => ({ word, text: textOf(word, command) }))
  const open = read.filter(({ word, text }) => text === null && isOpenEnded(word, isRecursive))
  if (open.length > 0) return { erases: [], mayErase: open.map(({ word }) => written(word)) }
  if (read.some(({ text }) => text === null)) return NONE
  const erases = new Set<string>()
  const mayErase = new Set<string>()
  for (const { text, word } of read) {
    if (text === null || text === "") continue
    for (const place of placesOf(command)) {
      if (isLost(text, place, at)) mayErase.add(written(word))
      if (place === null && !/^[/~]/.test(text)) continue
      const isHome = text === "~" || text.startsWith("~/")
      const base = isHome ? at.root : placeOf(place ?? ".", at.cwd, at.root)
      const path = withoutEverything(touchedPath(isHome ? `.${text.slice(1)}` : text, base))
      // As the official SDK: no path at the top of the file system is removed without a question, and no current directory.
      const isTop = text.startsWith("/") && path.lastIndexOf("/") === 0
      if (isTop || (at.cwd !== at.root && mayHold(path, at.cwd))) mayErase.add(written(word))
      erases.add(path)
    }
  }
  return { erases: Array.from(erases), mayErase: Array.from(mayErase) }
}

const ofScript = (command: ShellCommand, source: string, at: Context): Erasures => {
  // A script beyond the depth that is read counts as a removal if it names one.
  if (at.depth >= MAX_DEPTH) return /\brm(?:dir)?\b/.test(source) ? { erases: [], mayErase: ["sh -c"] } : NONE
  const { commands } = readScript(source)
  const erases = new Set<string>()
  const mayErase = new Set<string>()
  for (const place of placesOf(command)) {
    const cwd = place === null ? at.cwd : placeOf(place, at.cwd, at.root)
    const moves = at.moves || place === null || cwd !== at.cwd || changesPlace(commands, cwd, at.root)
    for (const inner of commands) {
      const values = new Map([...command.values, ...inner.values])
      const found = erasuresAt({ ...inner, values }, { ...at, cwd, moves, depth: at.depth + 1 })
      for (const path of found.erases) erases.add(path)
      for (const word of found.mayErase) mayErase.add(word)
      // As the official SDK: in a function or a `case`, such a script is not followed further.
      if (!command.followed && ERASERS.has(baseName(inner.name ?? ""))) mayErase.add(inner.text)
    }
  }
  return { erases: Array.from(erases), mayErase: Array.from(mayErase) }
}

const erasuresAt = (command: ShellCommand, at: Context): Erasures => {
  const [first, ...rest] = unwrapped(command.parts, command)
  const name = first === undefined ? null : textOf(first, command)
  if (name === null) return NONE
  const base = baseName(name)
  if (SHELLS.has(base)) {
    const script = scriptOf(rest)
    return script === null ? NONE : ofScript(command, script, at)
  }
  if (!ERASERS.has(base) || !command.followed) return NONE
  const isRecursive = base === "rm" && rest.some((word) => /^(?:-[a-zA-Z]*[rR]|--recursive$)/.test(written(word)))
  return ofOperands(command, rest, isRecursive, at)
}

/** True when a script leaves the directory in which it starts. */
export const changesPlace = (commands: ReadonlyArray<ShellCommand>, cwd: string, root: string): boolean =>
  commands.map(innerCommand).some(({ name, args: [to = "~"] }) => {
    if (name === "pushd") return true
    return name === "cd" && (to === null || to.startsWith("-") || placeOf(to, cwd, root) !== cwd)
  })

/** `moves`: the script changes its directory somewhere. */
export const erasuresOf = (command: ShellCommand, cwd: string, root: string, moves: boolean): Erasures =>
  erasuresAt(command, { cwd, root, moves, depth: 0 })

// Receives a shell script and the working directory; returns the facts about it that permission rules need.
// Invariant: every command that the script may run by name is a step, or in the `hidden` commands of a step.
import { mayHold } from "../../permissions/path-pattern.ts"
import type { ShellAnalysis, ShellStep } from "../../permissions/shell-analysis.ts"
import { isEdit, isFileProgram, isRead } from "./commands.ts"
import { changesPlace, erasuresOf } from "./erasing.ts"
import { commandPaths } from "./paths.ts"
import { readScript } from "./script.ts"
import type { ShellCommand } from "../shell-command.ts"
import { insertsVariable } from "./words.ts"
import { innerCommand, targetCommand } from "./wrappers.ts"

/** Programs that run another program, which may start at any of their words. */
const STARTERS: ReadonlySet<string> = new Set(
  (
    "builtin busybox chroot command doas env exec find flock ionice nice nohup parallel setsid stdbuf sudo time timeout " +
    "watch xargs"
  ).split(" "),
)

/** Programs that take a script as an argument. */
const SHELLS: ReadonlySet<string> = new Set("ash bash dash eval ksh sh trap zsh".split(" "))

const MAX_HIDDEN_WORDS = 100
const MAX_HIDDEN_TEXT = 10_000
const MAX_DEPTH = 4
const MAX_SCRIPTS = 200

type Words = ReadonlyArray<string>

const words = ({ name, args, text }: ShellCommand): Words =>
  // An unknown word becomes a placeholder, so that the words after it are still checked.
  text === "" ? [] : [name, ...args].map((word) => word ?? "$")

const baseName = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/** Collects the commands that one command may be or start. */
class Hidden {
  readonly texts = new Set<string>()
  /** How many nested scripts may still be parsed; beyond that, or beyond MAX_DEPTH, every word counts as a command. */
  #scripts = MAX_SCRIPTS

  add(all: Words, depth = 0): void {
    const [first] = all
    if (first === undefined) return
    this.#text(all)
    const name = baseName(first)
    const rest = all.slice(1)
    if (STARTERS.has(name)) this.#started(rest, depth)
    else if (SHELLS.has(name)) {
      for (const script of name === "eval" ? [rest.join(" ")] : rest) this.#script(script, depth)
    }
  }

  /** Adds a command under its full and its base name, up to MAX_HIDDEN_TEXT characters. */
  #text(all: Words): void {
    const [name = "", ...args] = all.slice(0, MAX_HIDDEN_TEXT)
    const rest = args.join(" ").slice(0, MAX_HIDDEN_TEXT)
    for (const first of [name, baseName(name)]) this.texts.add(rest === "" ? first : `${first} ${rest}`)
  }

  #started(rest: Words, depth: number): void {
    const shell = rest.findIndex((word) => SHELLS.has(baseName(word)))
    if (shell !== -1 && depth < MAX_DEPTH) this.add(rest.slice(shell), depth + 1)
    rest.forEach((word, index) => {
      if (index < MAX_HIDDEN_WORDS) this.#text(rest.slice(index, index + MAX_HIDDEN_TEXT))
      else this.texts.add(baseName(word))
    })
  }

  #script(source: string, depth: number): void {
    this.#scripts -= 1
    if (this.#scripts < 0 || depth >= MAX_DEPTH) {
      for (const word of source.split(/[^\w.-]+/)) this.texts.add(word)
      return
    }
    for (const command of readScript(source).commands) {
      this.texts.add(command.text)
      this.add(words(command), depth + 1)
    }
  }
}

/** A name that is read as the same word without quotes: `'git push'` is one word, and no call of git. */
const PLAIN_NAME = /^[\w./+-]+$/

/** The command's text without quotes or a backslash around its name (`"touch" a`, `\touch a`). */
const unquoted = ({ name, words, text }: ShellCommand): string =>
  name !== null && PLAIN_NAME.test(name) ? [name, ...words.slice(1)].join(" ") : text

const step = (command: ShellCommand, cwd: string, root: string, moves: boolean): ShellStep => {
  const { text } = command
  const hidden = new Hidden()
  hidden.add(words(command))
  hidden.texts.delete(text)
  const inner = innerCommand(command)
  const target = targetCommand(command)
  const paths = commandPaths(target, cwd, root)
  // A command that may remove the whole working directory or home requires permission in every mode.
  const takesAll = paths.removes.some((path) => mayHold(path, cwd) || mayHold(path, root))
  const kind = isRead(command) ? "read" : isEdit(command) && !takesAll ? "edit" : "other"
  const equivalents = inner.name === null ? [] : [inner.text, unquoted(inner)].filter((one) => one !== text)
  const isVariable = command.parts.some(insertsVariable) || command.from.includes(null) || command.to.includes(null)
  const erasures = erasuresOf(command, cwd, root, moves)
  return {
    text,
    equivalents,
    hidden: Array.from(hidden.texts),
    kind,
    touches: isRead(target) ? "read" : isEdit(target) || target.name === "tee" ? "edit" : "other",
    isVariable,
    isFileProgram: isFileProgram(target),
    ...paths,
    ...erasures,
  }
}

let last:
  | { readonly source: string; readonly cwd: string; readonly root: string; readonly analysis: ShellAnalysis }
  | undefined

/** Analyses a script that starts in `cwd`, as far as is possible before it runs; `root` is its home directory. */
export const analyzeShell = (source: string, cwd: string, root = cwd): ShellAnalysis => {
  if (last?.source === source && last.cwd === cwd && last.root === root) return last.analysis
  const { commands, parsed, plain, shape } = readScript(source)
  const moves = changesPlace(commands, cwd, root)
  const analysis = { parsed, plain, shape, steps: commands.map((command) => step(command, cwd, root, moves)) }
  last = { source, cwd, root, analysis }
  return analysis
}

// Receives a shell script and the working directory; returns what permission rules need to know of it.
// Invariant: every command that the script may run by name is a step, or among the hidden ones of a step.
import type { ShellAnalysis, ShellStep } from "../permissions/shell-analysis.ts"
import { isEdit, isRead } from "./shell-commands.ts"
import { commandPaths } from "./shell-paths.ts"
import { readScript, type ShellCommand } from "./shell-script.ts"

/** Programs that run another: any of their words may begin it. */
const STARTERS: ReadonlySet<string> = new Set(
  (
    "builtin busybox chroot command doas env exec find flock ionice nice nohup parallel setsid stdbuf sudo time timeout " +
    "watch xargs"
  ).split(" "),
)

/** Programs that take a script as an argument. */
const SHELLS: ReadonlySet<string> = new Set("ash bash dash eval ksh sh trap zsh".split(" "))

const MAX_HIDDEN_WORDS = 100
const MAX_DEPTH = 4

const words = ({ name, args, text }: ShellCommand): ReadonlyArray<string> =>
  // An unknown word keeps a place, so that the words after it are still seen.
  text === "" ? [] : [name, ...args].map((word) => word ?? "$")

/** Commands that these words may be or start. */
const hiddenIn = (all: ReadonlyArray<string>, depth: number): ReadonlyArray<string> => {
  const [first] = all
  if (first === undefined) return []
  const name = first.slice(first.lastIndexOf("/") + 1)
  const rest = all.slice(1)
  const out = [all.join(" "), [name, ...rest].join(" ")]
  if (depth >= MAX_DEPTH) return out
  if (STARTERS.has(name)) {
    rest.slice(0, MAX_HIDDEN_WORDS).forEach((word, index) => {
      const inner = rest.slice(index)
      const plain = word.slice(word.lastIndexOf("/") + 1)
      if (SHELLS.has(plain)) out.push(...hiddenIn(inner, depth + 1))
      else out.push(inner.join(" "), [plain, ...inner.slice(1)].join(" "))
    })
  }
  if (SHELLS.has(name)) {
    const scripts = name === "eval" ? [rest.join(" ")] : rest.filter((word) => /\s|\w/.test(word))
    for (const script of scripts.slice(0, MAX_HIDDEN_WORDS))
      for (const command of readScript(script).commands) out.push(command.text, ...hiddenIn(words(command), depth + 1))
  }
  return out
}

const step = (command: ShellCommand, cwd: string): ShellStep => {
  const { text } = command
  const hidden = new Set(hiddenIn(words(command), 0))
  hidden.delete(text)
  const kind = isRead(command) ? "read" : isEdit(command) ? "edit" : "other"
  return { text, hidden: Array.from(hidden), kind, ...commandPaths(command, cwd) }
}

let last: { readonly source: string; readonly cwd: string; readonly analysis: ShellAnalysis } | undefined

/** What a script does, as far as that can be known before it runs. */
export const analyzeShell = (source: string, cwd: string): ShellAnalysis => {
  if (last?.source === source && last.cwd === cwd) return last.analysis
  const { commands, parsed, plain } = readScript(source)
  const analysis = { parsed, plain, steps: commands.map((command) => step(command, cwd)) }
  last = { source, cwd, analysis }
  return analysis
}

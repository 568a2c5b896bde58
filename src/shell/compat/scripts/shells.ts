// bash and sh with options of `set` before a command, a script or standard input: `bash -e`, `-euo pipefail`, `-x`, `-lc`, and
// `-n`, which only parses.
// Invariant: a call without such options is passed on unchanged.
import { withoutGaps } from "../../syntax/parser-gaps.ts"
import { parseScript } from "../../syntax/parser.ts"
import { bytes, type Context, readInput, why } from "../../programs/program.ts"
import { ownValue } from "../../../schemas/own-value.ts"
import { READ_SCRIPT } from "./read-scripts.ts"
import type { Correct } from "../correction.ts"
import { quotedWord } from "../../syntax/quoted-word.ts"

/** Options that are passed to `set`; the others concern terminals and start-up files, which this shell does not have. */
const SETS = /[aefhuvxBCEmT]/
const LONG: Readonly<Record<string, string>> = {
  "--posix": "",
  "--norc": "",
  "--noprofile": "",
  "--login": "",
  "--verbose": "v",
}

/** The version that the interpreter has as BASH_VERSION. */
const VERSION = "5.1.0(1)-release"

interface Called {
  readonly flags: string
  readonly names: ReadonlyArray<string>
  /** The index of the first operand. */
  readonly from: number
}

/** The options of a call; null if one of them is not known here. */
const optionsOf = (args: ReadonlyArray<string>): Called | null => {
  let flags = ""
  const names: Array<string> = []
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (arg === "--" || arg === "-") return { flags, names, from: at + 1 }
    if (arg.startsWith("--")) {
      const meant = ownValue(LONG, arg)
      if (meant === undefined) return null
      flags += meant
    } else if (!arg.startsWith("-")) break
    else
      for (const letter of arg.slice(1)) {
        if (letter === "o") names.push(args[(at += 1)] ?? "")
        else if (letter === "c" || letter === "n" || letter === "s" || SETS.test(letter)) flags += letter
        else if (!/[lirp]/.test(letter)) return null
      }
  }
  return { flags, names, from: at }
}

const sourceOf = async (name: string, context: Context): Promise<string> =>
  Buffer.from(await readInput(context, name), "latin1").toString("utf8")

export const shell =
  (name: string): Correct =>
  async (args, original, context) => {
    if (args[0] === "--version") return bytes(`GNU bash, version ${VERSION} (emulated by Perch)\n`)
    const called = optionsOf(args)
    if (called === null) {
      const option = args.find((arg) => arg.startsWith("-")) ?? ""
      return option === "--help" ? original([...args]) : bytes("", `${name}: ${option}: invalid option\n`, 2)
    }
    const { flags, names, from } = called
    const [first, ...rest] = args.slice(from)
    const isCommand = flags.includes("c")
    if (isCommand && first === undefined) return bytes("", `${name}: -c: option requires an argument\n`, 2)
    const letters = flags.replace(/[cns]/g, "")
    const sets = [
      ...(letters === "" ? [] : [`set -${letters};`]),
      ...names.map((option) => `set -o ${quotedWord(option)};`),
    ]
    const file = isCommand || flags.includes("s") ? undefined : first
    const reads = file === undefined && !isCommand && !flags.includes("n")
    let source: string
    try {
      source = isCommand ? (first ?? "") : reads ? `${READ_SCRIPT} ${name}` : await sourceOf(file ?? "-", context)
    } catch (error) {
      const reason = why(error)
      return bytes("", `${name}: ${file}: ${reason}\n`, reason === "No such file or directory" ? 127 : 126)
    }
    // If the script does not parse, the shell itself reports that and runs nothing.
    if (flags.includes("n") && parseScript(source) !== null) return bytes("")
    const words = isCommand ? rest : [file ?? name, ...(file === undefined ? args.slice(from) : rest)]
    return original(["-c", withoutGaps(`${sets.join(" ")}${sets.length === 0 ? "" : " "}${source}`), ...words])
  }

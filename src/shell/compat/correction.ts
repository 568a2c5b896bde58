// The type of a correction of one of the shell's programs, and the parsing of the program's arguments.
// Invariant: a missing program is reported in the same way as in bash.
import type { Command, ExecResult } from "just-bash/browser"
import { bytes, command, type Context } from "../programs/program.ts"

export type Original = (args: Array<string>) => Promise<ExecResult>
export type Correct = (args: ReadonlyArray<string>, original: Original, context: Context) => Promise<ExecResult>

export const corrected = (name: string, correct: Correct): Command =>
  command(name, async (args, context) => {
    const original = context.origCommand
    if (original === undefined) return bytes("", `${name}: command not found\n`, 127)
    return correct(args, original, context)
  })

/** Splits `-abVALUE` into `-a -b VALUE`. */
export const separated = (args: ReadonlyArray<string>, values: string, flags: string): Array<string> => {
  const result: Array<string> = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    const isOption = arg.length > 1 && arg.startsWith("-") && !arg.startsWith("--")
    if (arg === "--") return [...result, ...args.slice(at)]
    if (!isOption) {
      result.push(arg)
      continue
    }
    const parts: Array<string> = []
    let letter = 1
    let takes = false
    for (; letter < arg.length && flags.includes(arg.charAt(letter)); letter += 1) parts.push(`-${arg.charAt(letter)}`)
    if (letter < arg.length) {
      if (!values.includes(arg.charAt(letter))) {
        result.push(arg)
        continue
      }
      parts.push(`-${arg.charAt(letter)}`)
      if (letter + 1 < arg.length) parts.push(arg.slice(letter + 1))
      else takes = true
    }
    result.push(...parts)
    if (takes && at + 1 < args.length) result.push(args[(at += 1)] ?? "")
  }
  return result
}

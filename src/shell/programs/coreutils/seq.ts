// seq as in GNU: a sequence of numbers, as decimals, with equal width (-w) or in a format (-f).
// Invariant: the printed numbers have as many decimals as the arguments.
import type { Command } from "just-bash/browser"
import { formatted } from "../../compat/printf/conversions.ts"
import { bytes, program, spendLines, UsageError } from "../program.ts"

/** Work per number, in lines. A number is kept as a number and as text; at most a million are possible. */
const LINES_PER_NUMBER = 5
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/

interface Called {
  readonly separator: string
  readonly format: string | null
  readonly wide: boolean
  readonly operands: ReadonlyArray<string>
}

const calledWith = (args: ReadonlyArray<string>): Called => {
  let [separator, wide]: [string, boolean] = ["\n", false]
  let format: string | null = null
  let at = 0
  const value = (attached: string): string => {
    if (attached !== "") return attached
    at += 1
    const given = args[at]
    if (given === undefined) throw new UsageError("option requires an argument")
    return given
  }
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      at += 1
      break
    }
    // A negative number is not an option.
    if (!arg.startsWith("-") || NUMBER.test(arg)) break
    const [, name = arg, , inline = ""] = /^--([a-z-]+)(=([\s\S]*))?$/.exec(arg) ?? []
    if (name === "separator" || arg.startsWith("-s")) separator = value(arg.startsWith("--") ? inline : arg.slice(2))
    else if (name === "format" || arg.startsWith("-f")) format = value(arg.startsWith("--") ? inline : arg.slice(2))
    else if (name === "equal-width" || arg === "-w") wide = true
    else
      throw new UsageError(
        arg.startsWith("--") ? `unrecognized option '${arg}'` : `invalid option -- '${arg.slice(1)}'`,
      )
  }
  return { separator, format, wide, operands: args.slice(at) }
}

const numberOf = (text: string): number => {
  if (!NUMBER.test(text)) throw new UsageError(`invalid floating point argument: '${text}'`)
  return Number(text)
}

const digitsOf = (text: string): number => (/e/i.test(text) ? 0 : (text.split(".")[1]?.length ?? 0))

const formatOf = (format: string): ((value: number) => string) => {
  const directives = format.replaceAll("%%", "").match(/%[^a-zA-Z]*[a-zA-Z]?/g) ?? []
  const parts = /^((?:[^%]|%%)*)%([-+ 0#']*)(\d*)(?:\.(\d*))?([efgEFG])((?:[^%]|%%)*)$/.exec(format)
  if (directives.length === 0) throw new UsageError(`format '${format}' has no % directive`)
  if (directives.length > 1) throw new UsageError(`format '${format}' has too many % directives`)
  if (parts === null) throw new UsageError(`format '${format}' has unknown %${directives[0]?.at(-1) ?? ""} directive`)
  const [, before = "", flags = "", width = "", digits = "6", letter = "", after = ""] = parts
  const precision = Math.min(Number(digits), 100)
  const conversion = { flags, width: Math.min(Number(width), 1000), precision, letter, exact: true }
  return (value) =>
    (before + (formatted(value < 0 ? "-" : "", String(Math.abs(value)), conversion) ?? "") + after).replaceAll(
      "%%",
      "%",
    )
}

const padded = (text: string, width: number): string =>
  text.startsWith("-") ? `-${text.slice(1).padStart(width - 1, "0")}` : text.padStart(width, "0")

export const seqProgram: Command = program("seq", async (args, context) => {
  const { separator, format, wide, operands } = calledWith(args)
  if (operands.length === 0) throw new UsageError("missing operand")
  if (operands.length > 3) throw new UsageError(`extra operand '${operands[3]}'`)
  if (format !== null && wide)
    throw new UsageError("format string may not be specified when printing equal width strings")
  const [first = "1", step = "1", last = ""] =
    operands.length === 1 ? ["1", "1", ...operands] : operands.length === 2 ? [operands[0], "1", operands[1]] : operands
  const [from, by, to] = [numberOf(first), numberOf(step), numberOf(last)]
  if (by === 0) throw new UsageError(`invalid Zero increment value: '${step}'`)
  const digits = Math.max(digitsOf(first), digitsOf(step))
  const count = Math.max(0, Math.floor((to - from) / by + 1e-9) + 1)
  spendLines(context, "seq", count * LINES_PER_NUMBER)
  const show = format === null ? (value: number) => value.toFixed(digits) : formatOf(format)
  const values = Array.from({ length: count }, (_, at) => from + at * by)
  const ends = [values[0] ?? 0, values.at(-1) ?? 0].map((value) => show(value).length)
  const width = wide ? Math.max(...ends, to.toFixed(digits).length * Number(digits >= digitsOf(last))) : 0
  const texts = values.map((value) => (wide ? padded(show(value), width) : show(value)))
  const text = texts.length === 0 ? "" : `${texts.join(separator)}\n`
  return bytes(Buffer.from(text, "utf8").toString("latin1"))
})

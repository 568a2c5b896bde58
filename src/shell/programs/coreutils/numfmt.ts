// numfmt and factor as in GNU: numbers with units, and prime factors.
// Invariant: a number that is not understood is an error with exit code 2 (numfmt) or 1 (factor).
import type { Command } from "just-bash/browser"
import { bytes, linesOf, program, readOptions, stdinOf, UsageError } from "../program.ts"

const NUMFMT = {
  flags: "z",
  values: "d",
  long: {
    to: "to=",
    from: "from=",
    suffix: "suffix=",
    padding: "padding=",
    field: "field=",
    header: "header",
    delimiter: "d=",
    round: "round=",
    grouping: "grouping",
  },
}

const LETTERS = "KMGTPEZY"
const SCALES: Readonly<Record<string, number>> = { si: 1000, iec: 1024, "iec-i": 1024, auto: 1024 }
const ROUNDINGS: Readonly<Record<string, (value: number) => number>> = {
  up: (value) => (value < 0 ? Math.floor(value) : Math.ceil(value)),
  down: (value) => (value < 0 ? Math.ceil(value) : Math.floor(value)),
  "from-zero": (value) => (value < 0 ? Math.floor(value) : Math.ceil(value)),
  "towards-zero": Math.trunc,
  nearest: (value) => (value < 0 ? -Math.round(-value) : Math.round(value)),
}

const parsed = (text: string, from: string | undefined): number => {
  const [, digits, letter = "", binary = ""] = /^([-+]?\d+(?:\.\d+)?)([KMGTPEZYk]?)(i?)$/.exec(text) ?? []
  if (digits === undefined) throw new UsageError(`invalid number: '${text}'`)
  if (letter === "") return Number(digits)
  if (from === undefined) throw new UsageError(`rejecting suffix in input: '${text}' (consider using --from)`)
  if (from === "iec-i" && binary === "") throw new UsageError(`missing 'i' suffix in input: '${text}' (e.g Ki/Mi/Gi)`)
  if ((from === "iec" || from === "si") && binary !== "") throw new UsageError(`invalid suffix in input '${text}': 'i'`)
  const base = from === "auto" ? (binary === "" ? 1000 : 1024) : (SCALES[from] ?? 1)
  return Number(digits) * base ** (LETTERS.indexOf(letter.toUpperCase()) + 1)
}

const shown = (value: number, to: string | undefined, rounding: string): string => {
  const round = ROUNDINGS[rounding] ?? Math.ceil
  const base = to === undefined ? undefined : SCALES[to]
  if (base === undefined || Math.abs(value) < base) return String(to === undefined ? value : round(value))
  let [scaled, power] = [value, 0]
  while (Math.abs(scaled) >= base && power < LETTERS.length) {
    scaled /= base
    power += 1
  }
  const fraction = (one: number): number => (Math.abs(one) < 10 ? round(one * 10) / 10 : round(one))
  let rounded = fraction(scaled)
  if (Math.abs(rounded) >= base && power < LETTERS.length) {
    rounded /= base
    power += 1
  }
  const digits = Math.abs(rounded) < 10 ? rounded.toFixed(1) : String(rounded)
  return `${digits}${LETTERS.charAt(power - 1)}${to === "iec-i" ? "i" : ""}`
}

const numfmt = program(
  "numfmt",
  async (args, context) => {
    // A negative number is an operand.
    const { has, value, operands } = readOptions(
      args.flatMap((arg, at) => (/^-\d/.test(arg) && !args.slice(0, at).includes("--") ? ["--", arg] : [arg])),
      NUMFMT,
    )
    const scale = (name: "to" | "from"): string | undefined => {
      const given = value(name)
      if (given === undefined || given === "none") return undefined
      if (!Object.hasOwn(SCALES, given) || (name === "to" && given === "auto"))
        throw new UsageError(`invalid argument '${given}' for '--${name}'`)
      return given
    }
    const [to, from, rounding] = [scale("to"), scale("from"), value("round") ?? "from-zero"]
    if (!Object.hasOwn(ROUNDINGS, rounding)) throw new UsageError(`invalid argument '${rounding}' for '--round'`)
    const field = Number(value("field") ?? "1")
    if (!(field >= 1)) throw new UsageError(`invalid field value '${value("field") ?? ""}'`)
    const width = Number(value("padding") ?? "0")
    const suffix = value("suffix") ?? ""
    const convert = (text: string): string => {
      const plain = suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text
      const result = shown(parsed(plain, from), to, rounding) + suffix
      return width < 0 ? result.padEnd(-width) : result.padStart(width)
    }
    const delimiter = value("d")
    const line = (text: string): string => {
      if (delimiter !== undefined)
        return text
          .split(delimiter)
          .map((one, at) => (at === field - 1 ? convert(one.trim()) : one))
          .join(delimiter)
      let seen = 0
      return text.replace(/(\s*)(\S+)/g, (all, blanks: string, word: string) => {
        seen += 1
        if (seen !== field) return all
        const converted = convert(word)
        // A field keeps its width, blanks included.
        return width === 0 && blanks !== ""
          ? ` ${converted.padStart(blanks.length - 1 + word.length)}`
          : blanks + converted
      })
    }
    const lines = operands.length > 0 ? operands : linesOf(stdinOf(context))
    const kept = has("header") ? 1 : 0
    return bytes(lines.map((text, at) => `${at < kept ? text : line(text)}\n`).join(""))
  },
  2,
)

/** Divisions are limited to this divisor: enough for every number of ten digits. */
const MAX_DIVISOR = 100_000

const factorsOf = (number: number): ReadonlyArray<number> => {
  const factors: Array<number> = []
  let rest = number
  for (let divisor = 2; divisor * divisor <= rest; divisor += divisor === 2 ? 1 : 2) {
    if (divisor > MAX_DIVISOR) throw new UsageError(`'${number}' is too large`)
    while (rest % divisor === 0) {
      factors.push(divisor)
      rest /= divisor
    }
  }
  return rest > 1 ? [...factors, rest] : factors
}

const factor = program("factor", async (args, context) => {
  const { operands } = readOptions(args, {})
  const words =
    operands.length > 0
      ? operands
      : stdinOf(context)
          .split(/\s+/)
          .filter((word) => word !== "")
  let [stdout, stderr] = ["", ""]
  for (const word of words) {
    context.executionScope?.consumeWork(MAX_DIVISOR, "factor")
    if (/^\+?\d{1,15}$/.test(word)) stdout += `${[`${Number(word)}:`, ...factorsOf(Number(word))].join(" ")}\n`
    else stderr += `factor: '${word}' is ${/^\d+$/.test(word) ? "too large" : "not a valid positive integer"}\n`
  }
  return bytes(stdout, stderr, stderr === "" ? 0 : 1)
})

export const NUMBER_PROGRAMS: ReadonlyArray<Command> = [numfmt, factor]

// Values of awk: numbers, strings, and strings of the input that look like numbers and are compared as such.
// Invariant: conversions between numbers and strings are the same everywhere.
import { compile } from "../../syntax/patterns.ts"
import { exponentialText, fixedText, fractionOf, generalText } from "../floats.ts"
import { UsageError } from "../program.ts"
import { RE2JS } from "re2js"

/** A string of the input that is also a number. */
class Numeric {
  readonly text: string
  readonly number: number

  constructor(text: string, number: number) {
    this.text = text
    this.number = number
  }
}

/** Undefined is the value of an unset variable: "" as text, 0 as a number. */
export type Value = number | string | Numeric | undefined

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/
const WHOLE = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/
const MAX_TEXT = 32 << 20

/** The value of a text from the input. */
export const given = (text: string): Value => (WHOLE.test(text) ? new Numeric(text, Number(text)) : text)

export const numberOf = (value: Value): number => {
  if (typeof value === "number") return value
  if (value === undefined) return 0
  if (value instanceof Numeric) return value.number
  return Number(NUMBER.exec(value)?.[0] ?? 0)
}

const numberText = (value: number, format: string): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return String(value + 0)
  if (Number.isInteger(value)) return BigInt(value).toString()
  if (Number.isNaN(value)) return "nan"
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf"
  return formatted(format, [value])
}

export const textOf = (value: Value, format = "%.6g"): string => {
  if (typeof value === "string") return value
  if (value === undefined) return ""
  return value instanceof Numeric ? value.text : numberText(value, format)
}

export const isTrue = (value: Value): boolean => {
  if (typeof value === "number") return value !== 0
  if (value instanceof Numeric) return value.number !== 0
  return value !== undefined && value !== ""
}

export const limited = (text: string): string => {
  if (text.length > MAX_TEXT) throw new UsageError("string size limit exceeded")
  return text
}

/** Numbers are compared as numbers, unless one of the two is a string of the program. */
export const compare = (left: Value, right: Value, format: string): number => {
  if (typeof left !== "string" && typeof right !== "string") {
    const [first, second] = [numberOf(left), numberOf(right)]
    return first < second ? -1 : first > second ? 1 : 0
  }
  const [first, second] = [textOf(left, format), textOf(right, format)]
  return first < second ? -1 : first > second ? 1 : 0
}

const patterns = new Map<string, RE2JS>()

/** Compiles a regular expression; recently used ones are cached. */
export const patternOf = (source: string): RE2JS => {
  const known = patterns.get(source)
  if (known !== undefined) return known
  const pattern = compile(source.replace(/\\[y<>]/g, "\\b").replace(/\\"/g, '"'), RE2JS.DOTALL)
  if (patterns.size > 100) patterns.clear()
  patterns.set(source, pattern)
  return pattern
}

const padded = (text: string, flags: string, width: number): string =>
  flags.includes("-") ? text.padEnd(width) : text.padStart(width)

const exponent = (text: string): string => text.replace(/e([-+])(\d)$/, "e$10$2")

const exponential = (value: number, places: number): string => {
  const exact = fractionOf(value)
  return exact === null ? exponent(value.toExponential(places)) : exponentialText(exact, places)
}

const fixed = (value: number, places: number): string => {
  const exact = fractionOf(value)
  return exact === null ? value.toFixed(places) : fixedText(exact, places)
}

const general = (value: number, precision: number, alternative: boolean): string => {
  const digits = Math.max(precision, 1)
  if (value === 0) return "0"
  const exact = fractionOf(value)
  if (exact !== null) return generalText(exact, precision, alternative)
  const power = Number(value.toExponential(digits - 1).split("e")[1])
  const short = (text: string) => (alternative || !text.includes(".") ? text : text.replace(/\.?0+$/, ""))
  if (power < -4 || power >= digits) {
    const [mantissa = "", order = ""] = value.toExponential(digits - 1).split("e")
    return exponent(`${short(mantissa)}e${order}`)
  }
  return short(value.toFixed(Math.max(0, Math.min(100, digits - 1 - power))))
}

const integer = (value: number): string =>
  Number.isFinite(value)
    ? BigInt(Math.trunc(value)).toString()
    : value > 0
      ? "inf"
      : Number.isNaN(value)
        ? "nan"
        : "-inf"

const numeric = (letter: string, value: number, flags: string, precision: number | null): string => {
  const magnitude = Math.abs(value)
  const places = Math.min(precision ?? 6, 100)
  let text: string
  if (/[diu]/.test(letter)) text = integer(magnitude).padStart(precision ?? 0, "0")
  else if (/[oxX]/.test(letter)) {
    text = Number.isFinite(magnitude)
      ? BigInt(Math.trunc(magnitude)).toString(letter === "o" ? 8 : 16)
      : integer(magnitude)
    text = text.padStart(precision ?? 0, "0")
    if (flags.includes("#") && magnitude !== 0) text = (letter === "o" ? "0" : "0x") + text
  } else if (!Number.isFinite(value)) text = Number.isNaN(value) ? "nan" : "inf"
  else if (/[eE]/.test(letter)) text = exponential(magnitude, places)
  else if (/[fF]/.test(letter)) text = fixed(magnitude, places)
  else text = general(magnitude, precision ?? 6, flags.includes("#"))
  if (letter === "X" || letter === "E" || letter === "G") text = text.toUpperCase()
  const negative = value < 0 || Object.is(value, -0) ? (Math.trunc(value) === 0 && /[diu]/.test(letter) ? "" : "-") : ""
  return (negative !== "" ? negative : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + text
}

const CONVERSION = /%(?:%|([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?(?:[hlL]*)([diouxXeEfFgGcsaA]))/g
const MAX_WIDTH = 1 << 20

/** Formats the arguments of printf; missing arguments count as "" and 0. */
export const formatted = (format: string, args: ReadonlyArray<Value>): string => {
  let at = 0
  const take = (): Value => args[at++]
  return limited(
    format.replace(CONVERSION, (_, flags: string | undefined, wide?: string, exact?: string, letter?: string) => {
      if (letter === undefined) return "%"
      let own = flags ?? ""
      let width = wide === "*" ? numberOf(take()) : Number(wide ?? 0)
      if (width < 0) own += "-"
      width = Math.abs(width)
      const precision = exact === undefined ? null : exact === "*" ? numberOf(take()) : Number(exact)
      if (width > MAX_WIDTH || (precision ?? 0) > MAX_WIDTH) throw new UsageError("printf width limit exceeded")
      const value = take()
      if (letter === "s")
        return padded(
          Array.from(textOf(value))
            .slice(0, precision ?? undefined)
            .join(""),
          own,
          width,
        )
      if (letter === "c")
        return padded(
          typeof value === "number" || value instanceof Numeric
            ? String.fromCodePoint(Math.max(0, Math.trunc(numberOf(value))) % 0x110000)
            : (Array.from(textOf(value))[0] ?? ""),
          own,
          width,
        )
      const text = numeric(letter, numberOf(value), own, precision)
      const zeros =
        own.includes("0") &&
        !own.includes("-") &&
        !(precision !== null && /[diouxX]/.test(letter)) &&
        Number.isFinite(numberOf(value))
      if (!zeros) return padded(text, own, width)
      const [, sign = "", digits = ""] = /^([-+ ]?(?:0x)?)([\s\S]*)$/i.exec(text) ?? []
      return sign + digits.padStart(width - sign.length, "0")
    }),
  )
}

export const arithmetic = (operator: string, left: number, right: number): number => {
  switch (operator) {
    case "+":
      return left + right
    case "-":
      return left - right
    case "*":
      return left * right
    case "/":
      if (right === 0) throw new UsageError("division by zero")
      return left / right
    case "%":
      if (right === 0) throw new UsageError("division by zero in %")
      return left % right
    default:
      return left ** right
  }
}

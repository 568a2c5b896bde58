// `printf` with floating point conversions, `%q`, integers that are negative or large, and widths of texts: the interpreter prints
// `%g` of 1e10 as "1e+01", rounds 2.5 to 3, quotes "é" as another byte, prints `%x` of -1 as 1, counts characters in the width of
// `%5s`, and ignores that of `%5c` and `%5b`.
// Receives the arguments of printf; returns others in which each such conversion is `%s` and its argument is the formatted text.
// Invariant: null for everything that is not handled here; the interpreter then prints or rejects it.
import { exponentialText, fixedText, type Fraction, fractionOfText, generalText } from "../../programs/floats.ts"

const CONVERSION = /%(?:%|([-+ #0']*)(\*|\d+)?(?:\.(\*|\d*))?([a-zA-Z]|\([^)]*\)T))/g
const NO_NUMBER = /^(?:inf|infinity|nan)$/i
/** A number at the start of an argument; bash prints it, and reports the rest. */
const ARGUMENT = /^\s*([-+]?)((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan|)/i
/** Arguments of floating point conversions that are integers: hexadecimal numbers, and characters. */
const OTHER = /^\s*[-+]?(?:0[xX]|['"])/
const IS_FLOAT = /^[eEfFgG]$/
const IS_HANDLED = /^[eEfFgGq]$/
const IS_INTEGER = /^[diouxX]$/
/** Integers that the interpreter would round, or print without their sign, and the code of a blank. */
const LONG = /^\s*(?:-\s*\d|[-+]?0?[xX]?[\da-fA-F]{13})|^['"]\s/
const INTEGER = /^\s*([-+]?)(0[xX][\da-fA-F]+|\d+)\s*$/
/** What `%q` escapes; `#` and `~` only at the start, and `~` after `:` and `=`. */
const SPECIAL = /[\s'"\\|&;()<>!{}*[\]?^$`,]|^[#~]|(?<=[:=])~/g
const CONTROL = /(?![\x80-\x9f])\p{Cc}/u
const ESCAPES: Readonly<Record<string, string | undefined>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\u001b": "\\E",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  "'": "\\'",
}
const MAX_PRECISION = 300
const MAX_ARGUMENTS = 10_000

interface Conversion {
  readonly flags: string
  readonly width: number
  readonly precision: number
  readonly letter: string
  /** True if the format has a precision of its own. */
  readonly exact: boolean
}

const textOf = (number: Fraction, { letter, precision, flags }: Conversion): string => {
  if (/[fF]/.test(letter)) return fixedText(number, precision)
  if (/[eE]/.test(letter)) return exponentialText(number, precision)
  return generalText(number, precision, flags.includes("#"))
}

/** A number as C prints it; null for a text that is not one. */
export const formatted = (sign: string, text: string, conversion: Conversion): string | null => {
  const number = fractionOfText(text)
  if (number === null && !NO_NUMBER.test(text)) return null
  const { flags, width, letter } = conversion
  const plain = number === null ? text.slice(0, 3).toLowerCase() : textOf(number, conversion)
  const digits = letter === letter.toUpperCase() ? plain.toUpperCase() : plain
  const shown = sign === "-" ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : ""
  if (flags.includes("-")) return (shown + digits).padEnd(width)
  return flags.includes("0") && number !== null
    ? shown + digits.padStart(width - shown.length, "0")
    : (shown + digits).padStart(width)
}

const MAX_SIGNED = 2n ** 63n - 1n
const PREFIXES: Readonly<Record<string, string>> = { x: "0x", X: "0X", o: "0" }

const DECIMAL: Conversion = { flags: "", width: 0, precision: 0, letter: "d", exact: false }

/** An integer of 64 bits as bash prints it; null for what is not an integer. */
const integer = (given: string, { flags, width, letter, exact }: Conversion): string | null => {
  const value = /^['"]/.test(given) ? String(given.codePointAt(1) ?? 0) : given
  const [, minus = "", digits] = INTEGER.exec(value) ?? []
  if (digits === undefined || exact || (/^0\d/.test(digits) && /[89]/.test(digits))) return null
  const size = BigInt(/^0\d/.test(digits) ? `0o${digits}` : digits)
  const signed = /[di]/.test(letter)
  const most = signed ? (minus === "-" ? MAX_SIGNED + 1n : MAX_SIGNED) : 2n * MAX_SIGNED + 1n
  const number = (size > most ? most : size) * (minus === "-" ? -1n : 1n)
  const bits = BigInt.asUintN(64, number)
  const plain = signed
    ? String(number < 0n ? -number : number)
    : bits.toString(letter === "o" ? 8 : letter === "u" ? 10 : 16)
  const text = letter === "X" ? plain.toUpperCase() : plain
  const plus = flags.includes("+") ? "+" : flags.includes(" ") ? " " : ""
  const prefix = signed ? (number < 0n ? "-" : plus) : flags.includes("#") ? (PREFIXES[letter] ?? "") : ""
  if (flags.includes("-")) return (prefix + text).padEnd(width)
  return flags.includes("0") ? prefix + text.padStart(width - prefix.length, "0") : (prefix + text).padStart(width)
}

/** The text with blanks up to the width, which counts bytes. */
const padded = (text: string, { flags, width }: Conversion): string => {
  const blanks = " ".repeat(Math.max(0, width - Buffer.byteLength(text)))
  return flags.includes("-") ? text + blanks : blanks + text
}

const IS_TEXT = /^[scb]$/

/** Escapes of `%b` that are one byte. */
const BYTE = /\\(?:0[0-7]{0,3}|[1-7][0-7]{0,2}|x[\da-fA-F]{1,2}|[abeEfnrtv\\'"?])/g

/** The text of a conversion with a width or a precision in bytes, its escapes unchanged; null if its length is not known. */
const cut = (value: string, conversion: Conversion): string | null => {
  const { letter, precision, exact } = conversion
  if (letter === "b" && value.includes("\\")) {
    const plain = value.replace(BYTE, "_")
    return exact || plain.includes("\\") ? null : padded(plain, conversion).replace(plain, () => value)
  }
  if (letter === "c") return padded(Array.from(value)[0] ?? "\0", conversion)
  if (!exact) return padded(value, conversion)
  let [text, left] = ["", precision]
  for (const character of value) {
    left -= Buffer.byteLength(character)
    if (left >= 0) text += character
  }
  return padded(text, conversion)
}

/** True for a format with such a conversion that the interpreter prints in another form: it prints no character for `%c` of `""`. */
const isSized = (conversions: ReadonlyArray<Conversion>, values: ReadonlyArray<string>): boolean =>
  conversions.some(
    ({ letter, width, exact }) =>
      (letter === "c" && (values.includes("") || values.length === 0 || values.length % conversions.length > 0)) ||
      (IS_TEXT.test(letter) &&
        (width > 0 || exact) &&
        (letter !== "s" || values.some((value) => /[^\0-\x7f]/.test(value)))),
  )

const escaped = (letter: string): string =>
  ESCAPES[letter] ??
  (letter < " " || letter === "\u007f" ? `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}` : letter)

/** A word as `%q` prints it. */
const quoted = (word: string, conversion: Conversion): string => {
  const text = CONTROL.test(word)
    ? `$'${Array.from(word, escaped).join("")}'`
    : word === ""
      ? "''"
      : word.replace(SPECIAL, "\\$&")
  return padded(text, conversion)
}

/** The conversions of a format in order; null if it has one that is not understood here. */
const conversionsOf = (format: string): ReadonlyArray<Conversion> | null => {
  const found: Array<Conversion> = []
  for (const [all, flags = "", width = "0", given, letter] of format.matchAll(CONVERSION)) {
    if (all === "%%") continue
    if (letter === undefined || width === "*" || given === "*" || flags.includes("'")) return null
    found.push({ flags, width: Number(width), precision: Number(given ?? "6"), letter, exact: given !== undefined })
  }
  return found.every(({ precision, width }) => precision <= MAX_PRECISION && width <= MAX_PRECISION) ? found : null
}

export interface Printed {
  readonly args: Array<string>
  /** What is wrong with the format or its arguments. */
  readonly invalid: ReadonlyArray<string>
}

const formatAt = (args: ReadonlyArray<string>): number => {
  const at = args[0] === "-v" ? 2 : 0
  return args[at] === "--" ? at + 1 : at
}

/**
 * The arguments of printf that the interpreter prints as bash does; null if it prints them as they are, or for another command.
 * It has neither `\"` in a format nor `\e` in the argument of `%b`.
 */
export const withFormatted = (name: string, args: ReadonlyArray<string>): Printed | null => {
  if (name !== "printf") return null
  const last = formatAt(args)
  const given = args[last] ?? ""
  const end = given.replaceAll("%%", "  ").search(/%[-+ #\d.]*$/)
  if (end !== -1) {
    // bash stops there: the values that are left start no further round.
    const format = given.slice(0, end)
    const taken = format.replaceAll("%%", "").match(/[%*]/g)?.length ?? 0
    const whole = [...args.slice(0, last), format, ...args.slice(last + 1, last + 1 + taken)]
    const printed = withFormatted(name, whole) ?? { args: whole, invalid: [] }
    return { ...printed, invalid: [...printed.invalid, `\`${given.slice(end)}': missing format character`] }
  }
  if (!args.some((arg) => /\\["'eE]/.test(arg))) return withTexts(args)
  const format = formatAt(args)
  const letters = Array.from((args[format] ?? "").matchAll(CONVERSION)).flatMap(([, , , , letter]) => letter ?? [])
  const escaped = args.map((arg, at) =>
    at === format
      ? arg.replace(/\\(?:\\|(["']))/g, (all, quote?: string) => quote ?? all)
      : at > format && letters[(at - format - 1) % letters.length] === "b"
        ? arg.replace(/\\[\\eE]/g, (all) => (all === "\\\\" ? all : "\u001b"))
        : arg,
  )
  return withTexts(escaped) ?? { args: escaped, invalid: [] }
}

/** The arguments of printf with texts for these conversions; null if there are none. */
const withTexts = (args: ReadonlyArray<string>): Printed | null => {
  const at = formatAt(args)
  const format = args[at]
  if (format === undefined || args.length > MAX_ARGUMENTS) return null
  const values = args.slice(at + 1)
  const isLong = /%[^%]*[diouxX]/.test(format) && values.some((value) => LONG.test(value))
  if (!isLong && !/%[^%]*[eEfFgGq]|%-?[\d.]+[scb]|%c/.test(format)) return null
  const conversions = conversionsOf(format)
  const isText = conversions !== null && isSized(conversions, values)
  const handles = (letter: string): boolean =>
    IS_HANDLED.test(letter) || (isLong && IS_INTEGER.test(letter)) || (isText && IS_TEXT.test(letter))
  if (conversions === null || !conversions.some(({ letter }) => handles(letter))) return null
  const rounds = Math.max(1, Math.ceil(values.length / conversions.length))
  const printed: Array<string> = []
  const invalid: Array<string> = []
  for (let index = 0; index < rounds * conversions.length; index += 1) {
    const conversion = conversions[index % conversions.length]
    if (conversion === undefined) return null
    const value = values[index]
    if (conversion.letter === "q") printed.push(quoted(value ?? "", conversion))
    else if (isText && IS_TEXT.test(conversion.letter)) {
      const text = cut(value ?? "", conversion)
      if (text === null) return null
      printed.push(text)
    } else if (handles(conversion.letter) && !IS_FLOAT.test(conversion.letter)) {
      const text = integer(value ?? "0", conversion)
      if (text === null) return null
      printed.push(text)
    } else if (!IS_FLOAT.test(conversion.letter)) printed.push(value ?? (/[diouxX]/.test(conversion.letter) ? "0" : ""))
    else {
      const based = OTHER.test(value ?? "") ? (integer(value ?? "", DECIMAL) ?? "") : (value ?? "")
      const [taken = "", sign = "", number = ""] = ARGUMENT.exec(based) ?? []
      const text = formatted(sign, number === "" ? "0" : number, conversion)
      if (text === null) return null
      if (value !== undefined && value !== "" && (number === "" || taken.length < based.trimEnd().length))
        invalid.push(`${value}: invalid number`)
      printed.push(text)
    }
  }
  const strings = format.replace(CONVERSION, (all, _flags, _width, _precision, letter) =>
    handles(String(letter)) ? (letter === "b" ? "%b" : "%s") : all,
  )
  return { args: [...args.slice(0, at), strings, ...printed], invalid }
}

/** The result of printf with its errors. */
export const withInvalid = (result: unknown, invalid: ReadonlyArray<string>): unknown => {
  if (typeof result !== "object" || result === null || invalid.length === 0) return result
  const { stderr } = result as { readonly stderr?: unknown }
  const errors = invalid.map((arg) => `bash: printf: ${arg}\n`).join("")
  return { ...result, stderr: `${String(stderr ?? "")}${errors}`, exitCode: 1 }
}

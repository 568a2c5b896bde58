// hexdump and hd: print bytes in one of the usual forms (-C, -b, -c, -d, -o, -x), or in a simple format (`-e '1/1 "%02x "'`).
// Invariant: rows that repeat the previous one are printed as a single `*`, unless -v is given.
import type { Command, ExecResult } from "just-bash/browser"
import {
  bytes,
  type Context,
  type Options,
  program,
  readInput,
  readOptions,
  spendLines,
  UsageError,
  why,
} from "../program.ts"

const OPTIONS = {
  flags: "bcCdovx",
  values: "ens",
  long: {
    canonical: "C",
    "one-byte-octal": "b",
    "one-byte-char": "c",
    "two-bytes-decimal": "d",
    "two-bytes-octal": "o",
    "two-bytes-hex": "x",
    "no-squeezing": "v",
    format: "e=",
    length: "n=",
    skip: "s=",
  },
}
const ROW = 16
const MAX_FORMAT = 1000

const hex = (code: number, width: number): string => code.toString(16).padStart(width, "0")

const LETTERS: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
}

const characterOf = (letter: string): string =>
  LETTERS[letter] ?? (/[\x20-\x7e]/.test(letter) ? letter : letter.charCodeAt(0).toString(8).padStart(3, "0"))

const canonical = (row: string): string => {
  const half = (from: number): string =>
    Array.from(row.slice(from, from + 8), (letter) => ` ${hex(letter.charCodeAt(0), 2)}`)
      .join("")
      .padEnd(24)
  return ` ${half(0)} ${half(8)}  |${row.replace(/[^\x20-\x7e]/g, ".")}|`
}

/** For each form: the bytes per unit, the width of a unit, and the function that prints it. */
const FORMS: Readonly<Record<string, readonly [size: number, width: number, show: (code: number) => string]>> = {
  b: [1, 4, (code) => code.toString(8).padStart(3, "0")],
  c: [1, 4, (code) => characterOf(String.fromCharCode(code))],
  d: [2, 8, (code) => String(code).padStart(5, "0")],
  o: [2, 8, (code) => code.toString(8).padStart(6, "0")],
  x: [2, 8, (code) => hex(code, 4)],
  "": [2, 5, (code) => hex(code, 4)],
}

const rowOf = (row: string, form: string): string => {
  const [size, width, show] = FORMS[form] ?? [2, 5, (code: number) => hex(code, 4)]
  let text = ""
  for (let at = 0; at < row.length; at += size) {
    const high = size === 2 && at + 1 < row.length ? row.charCodeAt(at + 1) : 0
    text += show(row.charCodeAt(at) + high * 256).padStart(width)
  }
  return text.padEnd((ROW / size) * width)
}

interface Unit {
  readonly size: number
  readonly text: string
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", "\\": "\\", '"': '"' }

/** The units of a format: the number of bytes that each reads, and the text that it prints. */
const unitsOf = (format: string): ReadonlyArray<Unit> => {
  if (format.length > MAX_FORMAT) throw new UsageError("the format is too long")
  const units: Array<Unit> = []
  const rest = format.replace(
    /\s*(?:(\d+)?\/(\d+)\s*|(\d+)\s*)?"((?:[^"\\]|\\[\s\S])*)"\s*/g,
    (_, times, size, count, text) => {
      const plain = String(text).replace(/\\([\s\S])/g, (all, letter) => ESCAPES[String(letter)] ?? all)
      const conversions = plain.match(/%(?!%)[-0 #+\d.]*([cdiouxX]|_[cpu])/g) ?? []
      if (conversions.length > 1 || /%_a/.test(plain))
        throw new UsageError(`unsupported format '${format}': one conversion a unit`)
      const bytesOfUnit = conversions.length === 0 ? 0 : Number(size ?? (/[cpu]$/.test(conversions[0] ?? "") ? 1 : 4))
      const most = Math.min(Number(times ?? count ?? 1), 1024)
      // As in hexdump, the last repetition of a unit has no blanks at its end.
      for (let at = 1; at <= most; at += 1)
        units.push({ size: bytesOfUnit, text: at === most && most > 1 ? plain.replace(/[ \t]+$/, "") : plain })
      return ""
    },
  )
  if (rest !== "" || !units.some(({ size }) => size > 0)) throw new UsageError(`bad format {${format}}`)
  if (!units.every(({ size }) => [0, 1, 2, 4].includes(size)))
    throw new UsageError("bad byte count for conversion character")
  return units
}

const filled = (text: string, code: number): string =>
  text.replace(/%(%|([-0 #+]*)(\d*)(?:\.(\d+))?([cdiouxX]|_[cpu]))/g, (_, whole, flags, width, digits, kind) => {
    if (whole === "%") return "%"
    const letter = String(kind)
    const radix = { o: 8, x: 16, X: 16 }[letter] ?? 10
    const number = code.toString(radix)
    const shown =
      letter.startsWith("_") || letter === "c" ? shownAs(letter, code) : number.padStart(Number(digits ?? 0), "0")
    const sized = String(flags).includes("-")
      ? shown.padEnd(Number(width))
      : shown.padStart(Number(width), String(flags).includes("0") ? "0" : " ")
    return letter === "X" ? sized.toUpperCase() : sized
  })

const shownAs = (kind: string, code: number): string => {
  const letter = String.fromCharCode(code)
  if (kind === "_p") return /[\x20-\x7e]/.test(letter) ? letter : "."
  return kind === "_c" ? characterOf(letter) : letter
}

const formatted = (text: string, format: string): string => {
  const units = unitsOf(format)
  let out = ""
  for (let at = 0; at < text.length;)
    for (const { size, text: unit } of units) {
      let code = 0
      for (let index = size - 1; index >= 0; index -= 1) code = code * 256 + (text.charCodeAt(at + index) || 0)
      const shown = filled(unit, code)
      // Units beyond the end of the input are printed as blanks.
      out += size > 0 && at >= text.length ? shown.replace(/[^\n]/g, " ") : shown
      at += size
    }
  return out
}

const countOf = (options: Options, letter: string, fallback: number): number => {
  const text = options.value(letter)
  if (text === undefined) return fallback
  const [, digits = "", unit = ""] = /^(0x[0-9a-fA-F]+|\d+)([bkm]?)$/.exec(text) ?? []
  if (digits === "") throw new UsageError(`invalid number '${text}'`)
  return Number(digits) * ({ b: 512, k: 1024, m: 1 << 20 }[unit] ?? 1)
}

const dump = (text: string, skipped: number, form: string, all: boolean): string => {
  const width = form === "C" ? 8 : 7
  const rows: Array<string> = []
  let [before, repeated] = ["", false]
  for (let at = 0; at < text.length; at += ROW) {
    const row = text.slice(at, at + ROW)
    if (row === before && row.length === ROW && !all) {
      if (!repeated) rows.push("*\n")
      repeated = true
      continue
    }
    ;[before, repeated] = [row, false]
    rows.push(`${hex(skipped + at, width)}${form === "C" ? canonical(row) : rowOf(row, form)}\n`)
  }
  return text === "" ? "" : `${rows.join("")}${hex(skipped + text.length, width)}\n`
}

const run =
  (name: string) =>
  async (args: ReadonlyArray<string>, context: Context): Promise<ExecResult> => {
    const options = readOptions(args, OPTIONS)
    let all = ""
    for (const file of options.operands.length === 0 ? ["-"] : options.operands) {
      try {
        all += await readInput(context, file)
      } catch (error) {
        return bytes("", `${name}: ${file}: ${why(error)}\n`, 1)
      }
    }
    const skipped = Math.min(countOf(options, "s", 0), all.length)
    const text = all.slice(skipped, skipped + countOf(options, "n", all.length))
    spendLines(context, name, Math.ceil(text.length / 4))
    const format = options.value("e")
    if (format !== undefined) return bytes(formatted(text, format))
    const forms = ["C", "b", "c", "d", "o", "x"].filter((letter) => options.has(letter))
    if (forms.length > 1) throw new UsageError("this hexdump shows one form at a time")
    return bytes(dump(text, skipped, forms[0] ?? (name === "hd" ? "C" : ""), options.has("v")))
  }

export const HEXDUMP_PROGRAMS: ReadonlyArray<Command> = [program("hexdump", run("hexdump")), program("hd", run("hd"))]

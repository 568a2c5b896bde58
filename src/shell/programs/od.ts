// od as in GNU: prints bytes in octal, decimal, hexadecimal or as characters, in one format at a time.
// Invariant: rows that repeat the previous one are printed as a single `*`, unless -v is given.
import { bytes, program, readInput, readOptions, spendLines, UsageError, why } from "./program.ts"

const OPTIONS = {
  flags: "bcdosxilXva",
  values: "AtjNw",
  long: {
    "address-radix": "A=",
    format: "t=",
    "skip-bytes": "j=",
    "read-bytes": "N=",
    "output-duplicates": "v",
  },
}

const SHORT: Readonly<Record<string, string>> = {
  b: "o1",
  c: "c",
  a: "a",
  d: "u2",
  o: "o2",
  s: "d2",
  x: "x2",
  i: "d4",
  l: "d8",
  X: "x4",
}
const LETTERS: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
}
const NAMES =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"
const SIZES: Readonly<Record<string, number>> = { C: 1, S: 2, I: 4, L: 8, "": 4 }
const RADIX: Readonly<Record<string, number>> = { o: 8, d: 10, x: 16 }

type Show = (text: string, at: number) => string

interface Form {
  readonly size: number
  readonly show: Show
}

/** The width of the largest number with `size` bytes. */
const widthOf = (kind: string, size: number): number => {
  const most = (1n << BigInt(size * 8)) - 1n
  if (kind === "d") return String(most >> 1n).length + 2
  return most.toString(kind === "x" ? 16 : kind === "o" ? 8 : 10).length + 1
}

const numbers = (kind: string, size: number): Form => {
  const width = widthOf(kind, size)
  const show: Show = (text, at) => {
    let value = 0n
    for (let index = size - 1; index >= 0; index -= 1) value = (value << 8n) | BigInt(text.charCodeAt(at + index) || 0)
    if (kind === "d") return String(BigInt.asIntN(size * 8, value)).padStart(width)
    if (kind === "u") return String(value).padStart(width)
    return ` ${value.toString(kind === "x" ? 16 : 8).padStart(width - 1, "0")}`
  }
  return { size, show }
}

const character: Show = (text, at) => {
  const code = text.charCodeAt(at)
  const shown = LETTERS[code] ?? (code < 32 || code > 126 ? code.toString(8).padStart(3, "0") : text.charAt(at))
  return shown.padStart(4)
}

const named: Show = (text, at) => {
  const code = text.charCodeAt(at) & 127
  return (code === 127 ? "del" : (NAMES.split(" ")[code] ?? String.fromCharCode(code))).padStart(4)
}

const formOf = (text: string): Form => {
  if (text === "c") return { size: 1, show: character }
  if (text === "a") return { size: 1, show: named }
  const [, kind = "", size = ""] = /^([doux])([1248CSIL]?)$/.exec(text) ?? []
  if (kind === "") throw new UsageError(`invalid type string '${text}'; this od shows one type at a time`)
  return numbers(kind, SIZES[size] ?? Number(size))
}

const countOf = (text: string | undefined, fallback: number): number => {
  if (text === undefined) return fallback
  const [, digits = "", unit = ""] = /^(0x[0-9a-fA-F]+|\d+)([bkm]?)$/i.exec(text) ?? []
  if (digits === "") throw new UsageError(`invalid number '${text}'`)
  return Number(digits) * ({ b: 512, k: 1024, m: 1 << 20 }[unit.toLowerCase()] ?? 1)
}

export const odProgram = program("od", async (args, context) => {
  const options = readOptions(
    args.map((arg) => (/^-w\d+$/.test(arg) ? arg : arg.replace(/^--width=/, "-w"))),
    OPTIONS,
  )
  const asked = options.given.flatMap(([name, value]) => (name === "t" ? [value ?? ""] : (SHORT[name] ?? [])))
  if (asked.length > 1) throw new UsageError("this od shows one type at a time")
  const { size, show } = formOf(asked[0] ?? "o2")
  const radix = options.value("A") ?? "o"
  if (radix !== "n" && RADIX[radix] === undefined) throw new UsageError(`invalid output address radix '${radix}'`)
  let all = ""
  for (const name of options.operands.length === 0 ? ["-"] : options.operands) {
    try {
      all += await readInput(context, name)
    } catch (error) {
      return bytes("", `od: ${name}: ${why(error)}\n`, 1)
    }
  }
  const skipped = countOf(options.value("j"), 0)
  const text = all.slice(skipped, skipped + countOf(options.value("N"), all.length))
  const width = countOf(options.value("w"), 16)
  if (width < size || width % size !== 0) throw new UsageError(`invalid width ${width} for this type`)
  spendLines(context, "od", Math.ceil(text.length / size))
  const base = RADIX[radix]
  const digits = radix === "x" ? 6 : 7
  const place = (at: number): string => (base === undefined ? "" : (skipped + at).toString(base).padStart(digits, "0"))
  const rows: Array<string> = []
  let [before, repeated] = ["", false]
  for (let at = 0; at < text.length; at += width) {
    const row = text.slice(at, at + width)
    if (row === before && row.length === width && !options.has("v")) {
      if (!repeated) rows.push("*\n")
      repeated = true
      continue
    }
    ;[before, repeated] = [row, false]
    let shown = place(at)
    for (let index = 0; index < row.length; index += size) shown += show(row, index)
    rows.push(`${shown}\n`)
  }
  return bytes(rows.join("") + (base === undefined ? "" : `${place(text.length)}\n`))
})

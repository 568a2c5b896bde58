// xxd: prints bytes as lines of hexadecimal or binary digits, as plain digits or as C; and converts them back with -r.
// Invariant: the output of -r does not exceed the maximum size of a file, whatever offsets its lines contain.
import type { Command, ExecResult } from "just-bash/browser"
import { bytes, type Context, program, readInput, spendLines, UsageError, why } from "../program.ts"

/** The letter of each long option. */
const WORDS: Readonly<Record<string, string>> = {
  autoskip: "a",
  bits: "b",
  capitalize: "C",
  cols: "c",
  decimal: "d",
  groupsize: "g",
  include: "i",
  len: "l",
  name: "n",
  offset: "o",
  plain: "p",
  postscript: "p",
  ps: "p",
  revert: "r",
  seek: "s",
  uppercase: "u",
}
const FLAGS = "abCdeipru"
const VALUES = "cglnos"
const MAX_COLUMNS = 256

interface Called {
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
  readonly operands: ReadonlyArray<string>
}

const calledWith = (args: ReadonlyArray<string>): Called => {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const operands: Array<string> = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (!arg.startsWith("-") || arg === "-") {
      operands.push(arg)
      continue
    }
    const word = arg.replace(/^--?/, "")
    const known = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
    const letter = known ?? word.charAt(0)
    const attached = known === undefined ? word.slice(1) : ""
    if (VALUES.includes(letter) && letter !== "") {
      const value = attached === "" ? args[(at += 1)] : attached
      if (value === undefined) throw new UsageError(`option requires an argument -- '${letter}'`)
      values.set(letter, value)
    } else if (FLAGS.includes(letter) && attached === "" && letter !== "") flags.add(letter)
    else throw new UsageError(`invalid option -- '${word}'`)
  }
  if (operands.length > 2) throw new UsageError("too many operands")
  return { flags, values, operands }
}

const numberOf = (values: ReadonlyMap<string, string>, letter: string, fallback: number): number => {
  const text = values.get(letter)
  if (text === undefined) return fallback
  if (!/^[-+]?(?:0x[0-9a-fA-F]+|\d+)$/.test(text)) throw new UsageError(`invalid number '${text}' of -${letter}`)
  const [, sign = "", digits = ""] = /^([-+]?)(.+)$/.exec(text) ?? []
  return Number(digits) * (sign === "-" ? -1 : 1)
}

const hex = (code: number, width = 2): string => code.toString(16).padStart(width, "0")

const shownText = (row: string): string => row.replace(/[^\x20-\x7e]/g, ".")

/** The digits of one row, in groups; with -e, the bytes of a group are in reverse order. */
const digitsOf = (row: string, columns: number, size: number, { flags }: Called): string => {
  const each = flags.has("b") ? 8 : 2
  const digits = (letter: string): string =>
    flags.has("b") ? letter.charCodeAt(0).toString(2).padStart(8, "0") : hex(letter.charCodeAt(0))
  const groups: Array<string> = []
  for (let at = 0; at < columns; at += size) {
    const group = Array.from({ length: Math.min(size, columns - at) }, (_, index) =>
      at + index < row.length ? digits(row.charAt(at + index)) : " ".repeat(each),
    )
    groups.push((flags.has("e") ? group.toReversed() : group).join(""))
  }
  return groups.join(" ")
}

const dump = (text: string, skipped: number, called: Called): string => {
  const { flags, values } = called
  const columns = numberOf(values, "c", flags.has("b") ? 6 : 16) || 16
  const given = numberOf(values, "g", flags.has("b") ? 1 : flags.has("e") ? 4 : 2)
  const size = given === 0 ? columns : given
  if (columns < 1 || columns > MAX_COLUMNS) throw new UsageError(`invalid number of columns (max. ${MAX_COLUMNS})`)
  if (flags.has("e") && (size & (size - 1)) !== 0)
    throw new UsageError("number of octets per group must be a power of 2")
  const first = skipped + numberOf(values, "o", 0)
  const lines: Array<string> = []
  let zeros = 0
  for (let at = 0; at < text.length; at += columns) {
    const row = text.slice(at, at + columns)
    const isZero = flags.has("a") && /^\0+$/.test(row) && at + columns < text.length
    zeros = isZero ? zeros + 1 : 0
    if (zeros > 1) {
      if (zeros === 2) lines.push("*\n")
      continue
    }
    const place = flags.has("d") ? String(first + at).padStart(8, "0") : hex(first + at, 8)
    const digits = digitsOf(row, columns, size, called)
    lines.push(`${place}: ${flags.has("u") ? digits.toUpperCase() : digits}  ${shownText(row)}\n`)
  }
  return lines.join("")
}

const plain = (text: string, { flags, values }: Called): string => {
  const columns = numberOf(values, "c", 30)
  const digits = Buffer.from(text, "latin1").toString("hex")
  const shown = flags.has("u") ? digits.toUpperCase() : digits
  if (columns <= 0) return `${shown}\n`
  return (shown.match(new RegExp(`.{1,${columns * 2}}`, "g")) ?? []).map((line: string) => `${line}\n`).join("")
}

const include = (text: string, file: string | undefined, { flags, values }: Called): string => {
  const columns = numberOf(values, "c", 12)
  const prefix = flags.has("u") ? "0X" : "0x"
  const codes = Array.from(text, (letter) => {
    const digits = hex(letter.charCodeAt(0))
    return prefix + (flags.has("u") ? digits.toUpperCase() : digits)
  })
  const rows: Array<string> = []
  for (let at = 0; at < codes.length; at += columns) rows.push(`  ${codes.slice(at, at + columns).join(", ")}`)
  const body = rows.length === 0 ? "" : `${rows.join(",\n")}\n`
  const named = values.get("n") ?? file
  if (named === undefined) return body
  const name = named.replace(/^(?=\d)/, "__").replace(/[^A-Za-z0-9_]/g, "_")
  const shown = flags.has("C") ? name.toUpperCase() : name
  const length = flags.has("C") ? `${shown}_LEN` : `${shown}_len`
  return `unsigned char ${shown}[] = {\n${body}};\nunsigned int ${length} = ${text.length};\n`
}

const reverted = (text: string, { flags, values }: Called, most: number): string => {
  if (flags.has("p")) return Buffer.from(text.replace(/[^0-9a-fA-F]/g, ""), "hex").toString("latin1")
  const from = numberOf(values, "s", 0)
  const parts: Array<readonly [number, Buffer]> = []
  let length = 0
  for (const line of text.split("\n")) {
    const [, place, rest = ""] = /^\s*([0-9a-fA-F]+):[ \t]?(.*)$/.exec(line) ?? []
    if (place === undefined) continue
    const digits = (rest.split(/ {2}/)[0] ?? "").replace(/[^0-9a-fA-F]/g, "")
    const at = Number.parseInt(place, 16) + from
    const part = Buffer.from(digits, "hex")
    if (at < 0 || at + part.length > most) throw new UsageError(`cannot seek to ${place}`)
    parts.push([at, part])
    length = Math.max(length, at + part.length)
  }
  const whole = Buffer.alloc(length)
  for (const [at, part] of parts) whole.set(part, at)
  return whole.toString("latin1")
}

const shown = (all: string, file: string | undefined, called: Called): string => {
  const { flags, values } = called
  const seek = numberOf(values, "s", 0)
  const skipped = seek < 0 ? Math.max(0, all.length + seek) : seek
  const text = all.slice(skipped, skipped + numberOf(values, "l", all.length))
  if (flags.has("i")) return include(text, file, called)
  return flags.has("p") ? plain(text, called) : dump(text, skipped, called)
}

const run = async (args: ReadonlyArray<string>, context: Context): Promise<ExecResult> => {
  const called = calledWith(args)
  const [file, output] = called.operands
  let all: string
  try {
    all = await readInput(context, file ?? "-")
  } catch (error) {
    return bytes("", `xxd: ${file}: ${why(error)}\n`, 2)
  }
  spendLines(context, "xxd", Math.ceil(all.length / 4))
  const revert = called.flags.has("r")
  const result = revert
    ? reverted(all, called, context.limits.maxStringLength)
    : shown(all, file === "-" ? undefined : file, called)
  if (output === undefined || output === "-") return bytes(result)
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, output), Buffer.from(result, "latin1"))
  return bytes("")
}

export const xxdProgram: Command = program("xxd", run)

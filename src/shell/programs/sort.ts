// sort as in GNU: keys, kinds of order, check and merge. Text is ordered by its bytes, as in the C locale.
// Invariant: lines with equal keys are ordered as whole lines, unless the sort is stable.
import { ownValue } from "../../schemas/own-value.ts"
import {
  bytes,
  type Context,
  linesOf,
  program,
  readInput,
  readOptions,
  spendLines,
  UsageError,
  why,
} from "./program.ts"

interface Order {
  readonly numeric: boolean
  readonly general: boolean
  readonly human: boolean
  readonly month: boolean
  readonly version: boolean
  readonly fold: boolean
  readonly dictionary: boolean
  readonly blanks: boolean
  readonly reverse: boolean
}

interface Key {
  readonly from: readonly [field: number, character: number]
  readonly to: readonly [field: number, character: number] | null
  readonly order: Order
}

const orderOf = (letters: string): Order => ({
  numeric: letters.includes("n"),
  general: letters.includes("g"),
  human: letters.includes("h"),
  month: letters.includes("M"),
  version: letters.includes("V"),
  fold: letters.includes("f"),
  dictionary: letters.includes("d"),
  blanks: letters.includes("b"),
  reverse: letters.includes("r"),
})

const KEY = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/

const keyOf = (text: string, global: string): Key => {
  const found = KEY.exec(text)
  if (found === null || found[1] === "0") throw new UsageError(`invalid key: '${text}'`)
  const [, field = "1", character = "1", letters = "", lastField, lastCharacter = "0", lastLetters = ""] = found
  const own = letters + lastLetters
  return {
    from: [Number(field), Number(character)],
    to: lastField === undefined ? null : [Number(lastField), Number(lastCharacter)],
    order: orderOf(own === "" ? global : own),
  }
}

/** The start and end of each field; without a separator, a field includes the blanks before it. */
const fieldsOf = (line: string, separator: string | undefined): ReadonlyArray<readonly [number, number]> => {
  const fields: Array<readonly [number, number]> = []
  if (separator !== undefined) {
    for (let at = 0; ;) {
      const end = line.indexOf(separator, at)
      fields.push([at, end === -1 ? line.length : end])
      if (end === -1) return fields
      at = end + separator.length
    }
  }
  for (let at = 0; at < line.length;) {
    let end = at
    while (end < line.length && isBlank(line, end)) end += 1
    while (end < line.length && !isBlank(line, end)) end += 1
    fields.push([at, end])
    at = end
  }
  return fields
}

const isBlank = (line: string, at: number): boolean => line[at] === " " || line[at] === "\t"

const skipBlanks = (line: string, at: number): number => {
  let to = at
  while (to < line.length && isBlank(line, to)) to += 1
  return to
}

const keyText = (line: string, key: Key, separator: string | undefined): string => {
  const fields = fieldsOf(line, separator)
  const [field, character] = key.from
  const first = fields[field - 1]
  if (first === undefined) return ""
  const start = (key.order.blanks ? skipBlanks(line, first[0]) : first[0]) + character - 1
  if (key.to === null) return line.slice(start)
  const [lastField, lastCharacter] = key.to
  const last = fields[lastField - 1]
  if (last === undefined) return line.slice(start)
  const end = lastCharacter === 0 ? last[1] : (key.order.blanks ? skipBlanks(line, last[0]) : last[0]) + lastCharacter
  return line.slice(start, Math.max(start, end))
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const NUMBER = /^[ \t]*(-?)(\d*)(?:\.(\d*))?/

/** Compares numbers of any length without rounding. */
const byNumber = (a: string, b: string): number => {
  const [, signA = "", wholeA = "", partA = ""] = NUMBER.exec(a) ?? []
  const [, signB = "", wholeB = "", partB = ""] = NUMBER.exec(b) ?? []
  const magnitude = byMagnitude(wholeA, partA, wholeB, partB)
  const zeroA = /^0*$/.test(wholeA + partA)
  const zeroB = /^0*$/.test(wholeB + partB)
  const minusA = signA === "-" && !zeroA
  const minusB = signB === "-" && !zeroB
  if (minusA !== minusB) return minusA ? -1 : 1
  return minusA ? -magnitude : magnitude
}

/** The lookbehind makes a run of zeros match only from its first zero, so the time is linear. */
const END_ZEROS = /(?<!0)0+$/

const byMagnitude = (wholeA: string, partA: string, wholeB: string, partB: string): number => {
  const a = wholeA.replace(/^0+/, "")
  const b = wholeB.replace(/^0+/, "")
  if (a.length !== b.length) return a.length - b.length
  return byBytes(a, b) || byBytes(partA.replace(END_ZEROS, ""), partB.replace(END_ZEROS, ""))
}

const GENERAL = /^[ \t]*([-+]?)(?:(nan)|(inf)|(0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))/i

/** A number as C reads it, also hexadecimal or infinite. Texts come first, then what is not a number, then all numbers. */
const general = (text: string): readonly [rank: number, value: number] => {
  const [all, sign, isNaN, isInfinite, digits] = GENERAL.exec(text) ?? []
  if (all === undefined) return [0, 0]
  if (isNaN !== undefined) return [1, 0]
  const size = isInfinite === undefined ? Number(digits) : Number.MAX_VALUE
  return [2, sign === "-" ? -size : size]
}

const byGeneral = (a: string, b: string): number => {
  const [[rankA, valueA], [rankB, valueB]] = [general(a), general(b)]
  return rankA - rankB || valueA - valueB
}

const SUFFIXES = "KMGTPEZY"
const suffix = (text: string): number => {
  const letter = /^[ \t]*-?[\d.]+([a-zA-Z])/.exec(text)?.[1]?.toUpperCase()
  const rank = letter === undefined ? 0 : SUFFIXES.indexOf(letter) + 1
  return /^[ \t]*-/.test(text) ? -rank : rank
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
const month = (text: string): number => MONTHS.indexOf(text.trimStart().slice(0, 3).toUpperCase())

/** The ends of a file name that name its type: `.tar.gz`. */
const TYPE = /(?:\.[A-Za-z~][A-Za-z0-9~]*)+$/

/** Compares versions, first without the types of the files. */
const byVersion = (a: string, b: string): number => byParts(a.replace(TYPE, ""), b.replace(TYPE, "")) || byParts(a, b)

/** Compares runs of digits as numbers, everything else by bytes; `~` sorts before the end of a name. */
const byParts = (a: string, b: string): number => {
  const partsA = a.match(/\d+|\D/g) ?? []
  const partsB = b.match(/\d+|\D/g) ?? []
  for (let at = 0; at < Math.max(partsA.length, partsB.length); at += 1) {
    const one = partsA[at]
    const other = partsB[at]
    if (one === undefined || other === undefined) {
      if ((one ?? other) === "~") return one === undefined ? 1 : -1
      return one === undefined ? -1 : 1
    }
    const both = /^\d/.test(one) && /^\d/.test(other)
    const found = both ? byMagnitude(one, "", other, "") : byBytes(one, other)
    if (found !== 0) return found
  }
  return 0
}

const compareBy = (order: Order): ((a: string, b: string) => number) => {
  const text = (value: string): string => {
    const kept = order.dictionary ? value.replace(/[^a-zA-Z0-9 \t]/g, "") : value
    return order.fold ? kept.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : kept
  }
  if (order.human) return (a, b) => suffix(a) - suffix(b) || byNumber(a, b)
  if (order.numeric) return byNumber
  if (order.general) return byGeneral
  if (order.month) return (a, b) => month(a) - month(b)
  if (order.version) return byVersion
  if (order.blanks) return (a, b) => byBytes(text(a.trimStart()), text(b.trimStart()))
  return (a, b) => byBytes(text(a), text(b))
}

const OPTIONS = {
  flags: "nrufbdgGhMVcCsmzRi",
  values: "ktoSTy",
  long: {
    "numeric-sort": "n",
    reverse: "r",
    unique: "u",
    "ignore-case": "f",
    "ignore-leading-blanks": "b",
    "dictionary-order": "d",
    "general-numeric-sort": "g",
    "human-numeric-sort": "h",
    "month-sort": "M",
    "version-sort": "V",
    check: "c",
    stable: "s",
    merge: "m",
    "zero-terminated": "z",
    "random-sort": "R",
    key: "k=",
    "field-separator": "t=",
    output: "o=",
    "buffer-size": "S=",
    "temporary-directory": "T=",
    parallel: "parallel=",
    sort: "sort=",
  },
}

/** The orders that `--sort` names. */
const SORTS: Readonly<Record<string, string>> = {
  "general-numeric": "g",
  "human-numeric": "h",
  month: "M",
  numeric: "n",
  random: "R",
  version: "V",
}

export const sortProgram = program(
  "sort",
  async (args, context) => {
    const words = args.map((arg) => {
      const letter = arg.startsWith("--sort=") ? ownValue(SORTS, arg.slice("--sort=".length)) : undefined
      return letter === undefined ? arg : `-${letter}`
    })
    const options = readOptions(words, OPTIONS)
    const order = options.value("sort")
    if (order !== undefined) throw new UsageError(`invalid argument '${order}' for '--sort'`)
    const global = options.given.flatMap(([name]) => (name.length === 1 ? [name] : [])).join("")
    const separator = options.value("t")?.replace("\\0", "\0")
    const keys = options.all("k").map((text) => keyOf(text, global))
    const whole = keyOf("1", global)
    const used = keys.length === 0 ? [{ ...whole, compare: compareBy(whole.order) }] : []
    for (const key of keys) used.push({ ...key, compare: compareBy(key.order) })
    const pick = keys.length === 0 ? (line: string) => line : null
    const byKeys = (a: Row, b: Row): number => {
      for (const [at, key] of used.entries()) {
        const found = key.compare(a.keys[at] ?? "", b.keys[at] ?? "")
        if (found !== 0) return key.order.reverse ? -found : found
      }
      return 0
    }
    const last = global.includes("s") || global.includes("u") ? null : global.includes("r") ? -1 : 1
    const compare = (a: Row, b: Row): number => byKeys(a, b) || (last === null ? 0 : last * byBytes(a.line, b.line))
    const end = options.has("z") ? "\0" : "\n"
    const rows: Array<Row> = []
    for (const name of options.operands.length === 0 ? ["-"] : options.operands) {
      const text = await input(context, name)
      if (text instanceof Error) return bytes("", `sort: cannot read: ${name}: ${text.message}\n`, 2)
      for (const line of linesOf(text, end))
        rows.push({ line, keys: used.map((key) => pick?.(line) ?? keyText(line, key, separator)) })
    }
    // With -R, each comparison computes two hashes.
    spendLines(context, "sort", rows.length * (global.includes("R") ? 8 : 1))
    if (options.has("c") || options.has("C")) {
      const wrong = rows.findIndex((row, at) => {
        const before = rows[at - 1]
        if (before === undefined) return false
        return options.has("u") ? compare(before, row) >= 0 : compare(before, row) > 0
      })
      if (wrong === -1) return bytes("")
      const [name = "-"] = options.operands
      const message = options.has("C") ? "" : `sort: ${name}:${wrong + 1}: disorder: ${rows[wrong]?.line ?? ""}\n`
      return bytes("", message, 1)
    }
    if (options.has("R")) shuffle(rows)
    else rows.sort(compare)
    const kept = options.has("u") ? rows.filter((row, at) => at === 0 || byKeys(rows[at - 1] ?? row, row) !== 0) : rows
    const text = kept.map(({ line }) => line + end).join("")
    const output = options.value("o")
    if (output === undefined) return bytes(text)
    await context.fs.writeFile(context.fs.resolvePath(context.cwd, output), Buffer.from(text, "latin1"))
    return bytes("")
  },
  2,
)

interface Row {
  readonly line: string
  readonly keys: ReadonlyArray<string>
}

const input = async (context: Context, name: string): Promise<string | Error> => {
  try {
    return await readInput(context, name)
  } catch (error) {
    return new Error(why(error))
  }
}

/** Shuffles lines but keeps equal lines together, like a sort by a random key. */
const shuffle = (rows: Array<Row>): void => {
  const places = new Map<string, number>()
  for (const { line } of rows) if (!places.has(line)) places.set(line, Math.random())
  rows.sort((a, b) => (places.get(a.line) ?? 0) - (places.get(b.line) ?? 0))
}

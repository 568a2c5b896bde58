// join and comm as in GNU: compare two sorted files line by line.
// Invariant: input that is not sorted is reported once a line without a partner was found, and the exit code is then 1.
import type { Command } from "just-bash/browser"
import {
  bytes,
  type Context,
  linesOf,
  type Options,
  program,
  readInput,
  readOptions,
  spendLines,
  UsageError,
  why,
} from "../program.ts"

interface Source {
  readonly name: string
  readonly lines: ReadonlyArray<string>
}

const readBoth = async (name: string, names: ReadonlyArray<string>, end: string, context: Context) => {
  const [one, two, extra] = names
  if (one === undefined) throw new UsageError("missing operand")
  if (two === undefined) throw new UsageError(`missing operand after '${one}'`)
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`)
  const read = async (file: string): Promise<Source> => {
    const text = await readInput(context, file).catch((error: unknown) => {
      throw new UsageError(`${file}: ${why(error)}`)
    })
    const lines = linesOf(text, end)
    spendLines(context, name, lines.length)
    return { name: file, lines }
  }
  return [await read(one), await read(two)] as const
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

type Checking = "always" | "never" | "unpaired"

/** Reports lines that are not in order, once per file. */
class OrderCheck {
  errors = ""
  /** True once a line without a partner was found. */
  unpaired = false
  readonly checking: Checking
  readonly #message: (file: number, at: number) => string
  readonly #reported = [false, false]

  constructor(checking: Checking, message: (file: number, at: number) => string) {
    this.checking = checking
    this.#message = message
  }

  check(file: number, at: number, inOrder: () => boolean): void {
    if (this.#reported[file] === true || this.checking === "never") return
    if (this.checking === "unpaired" && !this.unpaired) return
    if (at === 0 || inOrder()) return
    this.#reported[file] = true
    this.errors += `${this.#message(file, at)}\n`
  }

  /** What is printed at the end about the whole input. */
  finalError(program: string): string {
    return this.errors === "" || this.checking === "always" ? "" : `${program}: input is not in sorted order\n`
  }

  get stops(): boolean {
    return this.checking === "always" && this.errors !== ""
  }
}

const checkingOf = (has: (name: string) => boolean): Checking =>
  has("check") ? "always" : has("nocheck") ? "never" : "unpaired"

const COMM = {
  flags: "123z",
  long: {
    "check-order": "check",
    "nocheck-order": "nocheck",
    "output-delimiter": "delimiter=",
    total: "total",
    "zero-terminated": "z",
  },
}

const comm = program("comm", async (args, context) => {
  const { has, value, operands } = readOptions(args, COMM)
  const end = has("z") ? "\0" : "\n"
  const [one, two] = await readBoth("comm", operands, end, context)
  const delimiter = value("delimiter") ?? "\t"
  const shown = ["1", "2", "3"].map((column) => !has(column))
  const before = (column: number): string => delimiter.repeat(shown.slice(0, column).filter(Boolean).length)
  const counts = [0, 0, 0]
  const printed: Array<string> = []
  const order = new OrderCheck(checkingOf(has), (file) => `comm: file ${file + 1} is not in sorted order`)
  const print = (column: number, line: string): void => {
    counts[column] = (counts[column] ?? 0) + 1
    if (shown[column] === true) printed.push(before(column) + line + end)
  }
  const inOrder =
    ({ lines }: Source, at: number) =>
    (): boolean =>
      compare(lines[at - 1] ?? "", lines[at] ?? "") <= 0
  for (let [i, j] = [0, 0]; (i < one.lines.length || j < two.lines.length) && !order.stops;) {
    const [left, right] = [one.lines[i], two.lines[j]]
    const found = left === undefined ? 1 : right === undefined ? -1 : compare(left, right)
    if (found !== 0) order.unpaired = true
    if (found <= 0) i += 1
    if (found >= 0) j += 1
    print(found === 0 ? 2 : found < 0 ? 0 : 1, (found <= 0 ? left : right) ?? "")
    if (found <= 0 && i < one.lines.length) order.check(0, i, inOrder(one, i))
    if (found >= 0 && j < two.lines.length) order.check(1, j, inOrder(two, j))
  }
  if (has("total")) printed.push([...counts, "total"].join(delimiter) + end)
  const stderr = order.errors + order.finalError("comm")
  return bytes(printed.join(""), stderr, stderr === "" ? 0 : 1)
})

const JOIN = {
  flags: "iz",
  values: "12jtavoe",
  long: {
    "ignore-case": "i",
    header: "header",
    "check-order": "check",
    "nocheck-order": "nocheck",
    "zero-terminated": "z",
  },
}

interface Row {
  readonly line: string
  readonly fields: ReadonlyArray<string>
  readonly key: string
}

const numberOf = (text: string | undefined, fallback: number): number => {
  if (text === undefined) return fallback
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`invalid field number: '${text}'`)
  return Number(text) - 1
}

/** One field of the output: the join field, or a field of one of the files. */
type Field = "key" | readonly [file: number, field: number]

const fieldsOf = (texts: ReadonlyArray<string>): ReadonlyArray<Field> =>
  texts
    .flatMap((text) => text.split(/[, \t]+/))
    .map((text) => {
      if (text === "0") return "key"
      const [, file, field] = /^([12])\.([1-9]\d*)$/.exec(text) ?? []
      if (file === undefined) throw new UsageError(`invalid field specifier: '${text}'`)
      return [Number(file) - 1, Number(field) - 1] as const
    })

const fileOf = (text: string): number => {
  if (text !== "1" && text !== "2") throw new UsageError(`invalid file number: '${text}'`)
  return Number(text) - 1
}

/** The rows of a file; `keyAt` is the index of the field with the key. */
const rowsOf = (lines: ReadonlyArray<string>, keyAt: number, { has, value }: Options): ReadonlyArray<Row> => {
  const separator = value("t")
  return lines.map((line) => {
    const fields = separator === undefined ? line.split(/[ \t]+/).filter((one) => one !== "") : line.split(separator)
    const key = fields[keyAt] ?? ""
    return { line, fields, key: has("i") ? key.toLowerCase() : key }
  })
}

/** Makes the function that returns the printed line of a pair, or of a row without one. `first` has each file's first row. */
const lineMaker = (
  { value, all }: Options,
  keyAt: readonly [number, number],
  first: readonly [Row | undefined, Row | undefined],
): ((left: Row | undefined, right: Row | undefined) => string) => {
  const [empty, separator, layouts] = [value("e") ?? "", value("t") ?? " ", all("o")]
  const others = (row: Row | undefined, file: 0 | 1): ReadonlyArray<string> =>
    row?.fields.filter((_, at) => at !== keyAt[file]) ?? []
  const autoOf = (file: 0 | 1): ReadonlyArray<Field> =>
    (first[file]?.fields ?? []).flatMap((_, at) => (at === keyAt[file] ? [] : [[file, at] as const]))
  const isAuto = layouts.length === 1 && layouts[0] === "auto"
  const layout = isAuto ? (["key", ...autoOf(0), ...autoOf(1)] as const) : layouts.length > 0 ? fieldsOf(layouts) : null
  return (left, right) => {
    const key = (left === undefined ? right?.fields[keyAt[1]] : left.fields[keyAt[0]]) ?? ""
    const texts = layout?.map((field) =>
      field === "key" ? key : ((field[0] === 0 ? left : right)?.fields[field[1]] ?? ""),
    ) ?? [key, ...others(left, 0), ...others(right, 1)]
    return texts.map((text) => (text === "" ? empty : text)).join(separator)
  }
}

const join = program("join", async (args, context) => {
  const options = readOptions(args, JOIN)
  const { has, value, all, operands, given } = options
  const end = has("z") ? "\0" : "\n"
  const keyAt = [numberOf(value("1") ?? value("j"), 0), numberOf(value("2") ?? value("j"), 0)] as const
  const [only, also] = [all("v").map(fileOf), all("a").map(fileOf)]
  const unpairedOf = [0, 1].map((file) => only.includes(file) || also.includes(file))
  const sources = await readBoth("join", operands, end, context)
  const [one, two] = [rowsOf(sources[0].lines, keyAt[0], options), rowsOf(sources[1].lines, keyAt[1], options)]
  const lineOf = lineMaker(options, keyAt, [one[0], two[0]])
  const printed: Array<string> = []
  const print = (left: Row | undefined, right: Row | undefined): void => void printed.push(lineOf(left, right) + end)
  const order = new OrderCheck(
    checkingOf(has),
    (file, at) =>
      `join: ${sources[file]?.name ?? ""}:${at + 1}: is not sorted: ${(file === 0 ? one : two)[at]?.line ?? ""}`,
  )
  const from = has("header") ? 1 : 0
  const check = (file: 0 | 1, at: number): void => {
    const rows = file === 0 ? one : two
    if (at > from && at < rows.length)
      order.check(file, at, () => compare(rows[at - 1]?.key ?? "", rows[at]?.key ?? "") <= 0)
  }
  if (from === 1 && only.length === 0) print(one[0], two[0])
  const pairs = given.every(([name]) => name !== "v")
  for (let [i, j] = [from, from]; (i < one.length || j < two.length) && !order.stops;) {
    const [left, right] = [one[i], two[j]]
    const found = left === undefined ? 1 : right === undefined ? -1 : compare(left.key, right.key)
    if (found !== 0) {
      order.unpaired ||= left !== undefined && right !== undefined
      if (unpairedOf[found < 0 ? 0 : 1] === true) print(found < 0 ? left : undefined, found < 0 ? undefined : right)
      if (found < 0) check(0, (i += 1))
      else check(1, (j += 1))
      continue
    }
    const [begin, start] = [i, j]
    for (i += 1; one[i]?.key === left?.key && i < one.length; i += 1) check(0, i)
    for (j += 1; two[j]?.key === left?.key && j < two.length; j += 1) check(1, j)
    check(0, i)
    check(1, j)
    spendLines(context, "join", (i - begin) * (j - start))
    if (pairs) for (const row of one.slice(begin, i)) for (const other of two.slice(start, j)) print(row, other)
  }
  const stderr = order.errors + order.finalError("join")
  return bytes(printed.join(""), stderr, stderr === "" ? 0 : 1)
})

export const SORTED_FILE_PROGRAMS: ReadonlyArray<Command> = [join, comm]

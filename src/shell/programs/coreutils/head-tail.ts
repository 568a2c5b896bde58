// head and tail as in GNU. Receive a count of lines or bytes, counted from either end, and files; return that part of each.
// Invariant: a count that is not understood is an error, and nothing is printed for it.
import type { Command } from "just-bash/browser"
import {
  bytes,
  type Context,
  program,
  type Reading,
  readInput,
  readOptions,
  spendLines,
  UsageError,
  why,
} from "../program.ts"
import { ownValue } from "../../../schemas/own-value.ts"

const OPTIONS = {
  flags: "qvz",
  values: "nc",
  long: { lines: "n=", bytes: "c=", quiet: "q", silent: "q", verbose: "v", "zero-terminated": "z" },
}

const COUNT = /^([-+]?)(\d+)(b|kB|[KkMG]i?B?|)$/
const UNITS: Readonly<Record<string, number>> = { "": 1, b: 512, K: 1024, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }
const POWERS: Readonly<Record<string, number>> = { kB: 1000, KB: 1000, MB: 1000 ** 2, GB: 1000 ** 3 }

interface Count {
  readonly sign: string
  readonly count: number
  readonly unit: "lines" | "bytes"
}

const countOf = (text: string, unit: Count["unit"]): Count => {
  const [, sign = "", digits, letters = ""] = COUNT.exec(text) ?? []
  if (digits === undefined) throw new UsageError(`invalid number of ${unit}: '${text}'`)
  const factor = ownValue(POWERS, letters) ?? ownValue(UNITS, letters.slice(0, 1)) ?? 1
  return { sign, count: Number(digits) * factor, unit }
}

/** The index behind the first `count` lines. */
export const lineEnd = (text: string, count: number, end: string): number => {
  let at = 0
  for (let line = 0; line < count && at < text.length; line += 1) {
    const found = text.indexOf(end, at)
    if (found === -1) return text.length
    at = found + 1
  }
  return at
}

/** The index at which the last `count` lines start. */
const lineStart = (text: string, count: number, end: string): number => {
  if (count === 0) return text.length
  let at = text.endsWith(end) ? text.length - 1 : text.length
  for (let line = 0; line < count; line += 1) {
    at = at === 0 ? -1 : text.lastIndexOf(end, at - 1)
    if (at === -1) return 0
  }
  return at + 1
}

const begin = (text: string, { sign, count, unit }: Count, end: string): string => {
  if (unit === "bytes") return sign === "-" ? text.slice(0, Math.max(0, text.length - count)) : text.slice(0, count)
  return text.slice(0, sign === "-" ? lineStart(text, count, end) : lineEnd(text, count, end))
}

const rest = (text: string, { sign, count, unit }: Count, end: string): string => {
  const skipped = Math.max(0, count - 1)
  if (unit === "bytes") return text.slice(sign === "+" ? skipped : Math.max(0, text.length - count))
  return text.slice(sign === "+" ? lineEnd(text, skipped, end) : lineStart(text, count, end))
}

/** Writes the obsolete forms as options: `-5`, `-5c`, and for tail `+5`. */
const withoutObsolete = (args: ReadonlyArray<string>, signs: string): ReadonlyArray<string> => {
  const [, sign = "", count, unit = ""] = /^([-+])(\d+)([cl]?)$/.exec(args[0] ?? "") ?? []
  if (count === undefined || !signs.includes(sign)) return args
  return [unit === "c" ? "-c" : "-n", sign === "+" ? `+${count}` : count, ...args.slice(1)]
}

/** Devices that never end: `head -c` and `dd` read as much of them as they are asked for. */
export const ENDLESS = /^\/dev\/(?:zero|u?random)$/

/** The first bytes of such a device. */
export const deviceBytes = (device: string, length: number): string => {
  const content = Buffer.alloc(length)
  if (device === "/dev/zero") return content.toString("latin1")
  // At most 65,536 random bytes can be requested at once.
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536))
  return content.toString("latin1")
}

const inputOf = (context: Context, program: string, file: string, { sign, count, unit }: Count): Promise<string> => {
  if (program !== "head" || unit !== "bytes" || sign === "-" || !ENDLESS.test(file)) return readInput(context, file)
  if (count > context.limits.maxStringLength) throw new UsageError(`${file}: File too large`)
  context.executionScope?.consumeInput(count, file)
  return Promise.resolve(deviceBytes(file, count))
}

type Part = (text: string, count: Count, end: string) => string

const partProgram = (name: string, signs: string, part: Part): Command =>
  program(name, async (args, context) => {
    const { given, has, operands } = readOptions(withoutObsolete(args, signs), OPTIONS)
    const [option = "n", value] = given.findLast(([letter]) => letter === "n" || letter === "c") ?? []
    const count = countOf(value ?? "10", option === "c" ? "bytes" : "lines")
    const names = operands.length === 0 ? ["-"] : operands
    const titled = !has("q") && (has("v") || names.length > 1)
    let [stdout, stderr] = ["", ""]
    let read: Pick<Reading, "internalStdinConsumed" | "exact"> = {}
    for (const file of names) {
      try {
        const shown = part(await inputOf(context, name, file, count), count, has("z") ? "\0" : "\n")
        if (file === "-" && name === "head")
          read = { internalStdinConsumed: shown.length, exact: count.unit === "bytes" && count.sign === "" }
        if (count.unit === "lines") spendLines(context, name, Math.min(count.count, shown.length))
        if (titled) stdout += `${stdout === "" ? "" : "\n"}==> ${file === "-" ? "standard input" : file} <==\n`
        stdout += shown
      } catch (error) {
        stderr += `${name}: ${file}: ${why(error)}\n`
      }
    }
    return { ...bytes(stdout, stderr, stderr === "" ? 0 : 1), ...read }
  })

export const PART_PROGRAMS: ReadonlyArray<Command> = [partProgram("head", "-", begin), partProgram("tail", "-+", rest)]

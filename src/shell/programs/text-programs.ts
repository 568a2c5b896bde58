// Small text programs as in Debian: uniq, wc, cmp, yes and truncate.
// Invariant: their output and exit codes are those of GNU's programs, including column widths.
import type { Command } from "just-bash/browser"
import { bytes, linesOf, program, readInput, readOptions, UsageError, why } from "./program.ts"

const UNIQ = {
  flags: "cdDuiz",
  values: "fsw",
  long: {
    count: "c",
    repeated: "d",
    unique: "u",
    "ignore-case": "i",
    "zero-terminated": "z",
    "skip-fields": "f=",
    "skip-chars": "s=",
    "check-chars": "w=",
    "all-repeated": "all",
    group: "group",
  },
}

/** Where `--group` and `--all-repeated` put empty lines. Their methods are written after `=`. */
const METHODS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "all-repeated": ["none", "prepend", "separate"],
  group: ["prepend", "append", "separate", "both"],
}

/** The method of an option, and the arguments with the option's plain name. */
const methodOf = (args: ReadonlyArray<string>) => {
  let method = "separate"
  const words = args.map((arg) => {
    const [, name = "", given = ""] = /^--(all-repeated|group)=(.*)$/.exec(arg) ?? []
    if (name === "") {
      if (arg === "--all-repeated") method = "none"
      return arg
    }
    if (METHODS[name]?.includes(given) !== true) throw new UsageError(`invalid argument '${given}' for '--${name}'`)
    method = given
    return `--${name}`
  })
  return { method, words }
}

/** The groups with empty lines between, before or after them. */
const spaced = (groups: ReadonlyArray<ReadonlyArray<string>>, method: string): ReadonlyArray<string> => {
  const first = method === "prepend" || method === "both"
  const lines = groups.flatMap((group, at) => (method !== "none" && (at > 0 || first) ? ["", ...group] : group))
  return groups.length > 0 && (method === "append" || method === "both") ? [...lines, ""] : lines
}

const countOf = (text: string | undefined, fallback: number): number => {
  if (text === undefined) return fallback
  if (!/^\d+$/.test(text)) throw new UsageError(`invalid number: '${text}'`)
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

const skipFields = (line: string, count: number): string => {
  let at = 0
  for (let field = 0; field < count && at < line.length; field += 1) {
    while (line[at] === " " || line[at] === "\t") at += 1
    while (at < line.length && line[at] !== " " && line[at] !== "\t") at += 1
  }
  return line.slice(at)
}

const uniq = program("uniq", async (args, context) => {
  const { method, words } = methodOf(args)
  const options = readOptions(words, UNIQ)
  const [name = "-", output] = options.operands
  const fields = countOf(options.value("f"), 0)
  const skipped = countOf(options.value("s"), 0)
  const width = countOf(options.value("w"), Number.MAX_SAFE_INTEGER)
  const keyOf = (line: string): string => {
    const key = skipFields(line, fields).slice(skipped, skipped + width)
    return options.has("i") ? key.toLowerCase() : key
  }
  const end = options.has("z") ? "\0" : "\n"
  let text: string
  try {
    text = await readInput(context, name)
  } catch (error) {
    return bytes("", `uniq: ${name}: ${why(error)}\n`, 1)
  }
  const groups: Array<{ readonly key: string; readonly lines: Array<string> }> = []
  for (const line of linesOf(text, end)) {
    const key = keyOf(line)
    const last = groups.at(-1)
    if (last?.key === key) last.lines.push(line)
    else groups.push({ key, lines: [line] })
  }
  const all = groups.map(({ lines }) => lines)
  const repeated = options.has("all")
  const arranged = repeated || options.has("group")
  const shown = arranged
    ? spaced(repeated ? all.filter(({ length }) => length > 1) : all, method)
    : groups.flatMap(({ lines: [first = "", ...more] }) => {
        const count = more.length + 1
        if (options.has("D")) return count > 1 ? [first, ...more] : []
        if (options.has("d") && count === 1) return []
        if (options.has("u") && count > 1) return []
        return [options.has("c") ? `${String(count).padStart(7)} ${first}` : first]
      })
  const result = shown.map((line) => line + end).join("")
  if (output === undefined || output === "-") return bytes(result)
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, output), Buffer.from(result, "latin1"))
  return bytes("")
})

const WC = {
  flags: "lwcmL",
  long: { lines: "l", words: "w", bytes: "c", chars: "m", "max-line-length": "L" },
}

interface Counted {
  readonly counts: ReadonlyArray<number>
  readonly name: string | null
}

const measure = (text: string, wanted: string): ReadonlyArray<number> => {
  const counts: Array<number> = []
  if (wanted.includes("l")) counts.push(text.split("\n").length - 1)
  if (wanted.includes("w")) counts.push(text.split(/[ \t\n\r\v\f]+/).filter((word) => word !== "").length)
  const decoded = /[mL]/.test(wanted) ? Buffer.from(text, "latin1").toString("utf8") : ""
  if (wanted.includes("m")) counts.push(Array.from(decoded).length)
  if (wanted.includes("c")) counts.push(text.length)
  if (wanted.includes("L"))
    counts.push(linesOf(decoded).reduce((longest, line) => Math.max(longest, Array.from(line).length), 0))
  return counts
}

const wc = program("wc", async (args, context) => {
  const options = readOptions(args, WC)
  const asked = options.given.map(([name]) => name).join("")
  const wanted = asked === "" ? "lwc" : asked
  const names = options.operands
  const rows: Array<Counted> = []
  let stderr = ""
  let bytesSeen = 0
  let plain = true
  for (const name of names.length === 0 ? ["-"] : names) {
    try {
      const text = await readInput(context, name)
      bytesSeen += text.length
      if (name === "-") plain = false
      rows.push({ counts: measure(text, wanted), name: names.length === 0 ? null : name })
    } catch (error) {
      const reason = why(error)
      stderr += `wc: ${name}: ${reason}\n`
      if (reason === "Is a directory") rows.push({ counts: measure("", wanted), name })
      plain = plain && reason !== "Is a directory"
    }
  }
  if (names.length > 1) {
    const [first] = rows
    const sums = (first?.counts ?? []).map((_, at) => rows.reduce((sum, row) => sum + (row.counts[at] ?? 0), 0))
    // The longest line, which is the last count, is not a sum.
    if (wanted.includes("L")) sums.splice(-1, 1, Math.max(...rows.map(({ counts }) => counts.at(-1) ?? 0)))
    rows.push({ counts: sums, name: "total" })
  }
  // A single number of a single input has no padding; otherwise the width is that of the total bytes, at least 7 for a pipe.
  const single = rows.length === 1 && rows[0]?.counts.length === 1
  const width = single ? 1 : Math.max(String(bytesSeen).length, plain ? 1 : 7)
  const line = ({ counts, name }: Counted): string =>
    counts.map((count) => String(count).padStart(width)).join(" ") + (name === null ? "" : ` ${name}`)
  return bytes(rows.map((row) => `${line(row)}\n`).join(""), stderr, stderr === "" ? 0 : 1)
})

const CMP = {
  flags: "sl",
  values: "ni",
  long: { silent: "s", quiet: "s", verbose: "l", bytes: "n=", "ignore-initial": "i=" },
}

const cmp = program(
  "cmp",
  async (args, context) => {
    const options = readOptions(args, CMP)
    const [left, right = "-"] = options.operands
    if (left === undefined) throw new UsageError("missing operand")
    const limit = countOf(options.value("n"), Number.MAX_SAFE_INTEGER)
    const [skip = "0", skipRight = skip] = options.value("i")?.split(":") ?? []
    const skipped = [countOf(skip, 0), countOf(skipRight, 0)]
    const texts: Array<string> = []
    for (const [at, name] of [left, right].entries()) {
      try {
        texts.push((await readInput(context, name)).slice(skipped[at]).slice(0, limit))
      } catch (error) {
        return bytes("", options.has("s") ? "" : `cmp: ${name}: ${why(error)}\n`, 2)
      }
    }
    const [a = "", b = ""] = texts
    if (a === b) return bytes("")
    if (options.has("s")) return bytes("", "", 1)
    const shorter = Math.min(a.length, b.length)
    let at = 0
    while (at < shorter && a[at] === b[at]) at += 1
    const line = a.slice(0, at).split("\n").length
    if (at < shorter && !options.has("l"))
      return bytes(`${left} ${right} differ: byte ${at + 1}, line ${line}\n`, "", 1)
    let listed = ""
    for (; at < shorter && options.has("l"); at += 1)
      if (a[at] !== b[at]) listed += `${at + 1} ${octal(a, at)} ${octal(b, at)}\n`
    const short = a.length < b.length ? left : right
    const ended = a[shorter - 1] === "\n" ? `line ${line - 1}` : `in line ${line}`
    const eof = a.length === b.length ? "" : `cmp: EOF on ${short} after byte ${shorter}, ${ended}\n`
    return bytes(listed, eof, 1)
  },
  2,
)

const octal = (text: string, at: number): string => text.charCodeAt(at).toString(8).padStart(3)

/** In this shell, a pipe's reader can't stop its writer, so printing more lines is an error unless the reader's limit is known. */
const YES_LINES = 100_000

/** More than a pipe holds, so that `yes` ends as a program that its reader has stopped. */
const UNREAD = 80_000

/** The first argument that a rewritten script passes to `yes` when `head -n` reads its output. */
export const YES_FOR = "--perch-lines="

const yes = program("yes", async (args, context) => {
  const asked = args[0]?.startsWith(YES_FOR) === true ? Number(args[0].slice(YES_FOR.length)) : null
  const words = asked === null ? args : args.slice(1)
  const line = `${words.length === 0 ? "y" : words.join(" ")}\n`
  const most = Math.floor(context.limits.maxStringLength / line.length)
  const count = Math.min(asked === null ? YES_LINES : asked + Math.ceil(UNREAD / line.length), most)
  if (asked !== null && count > asked) return bytes(line.repeat(count))
  return bytes(line.repeat(count), `yes: stopped after ${count} lines: a reader can't stop it in this shell\n`, 1)
})

const SIZES: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, KB: 1e3, MB: 1e6 }

const truncate = program("truncate", async (args, context) => {
  const { value, operands, has } = readOptions(args, {
    flags: "c",
    values: "sr",
    long: { size: "s=", "no-create": "c" },
  })
  const [, sign = "", count = "", unit = ""] = /^([-+]?)(\d+)(K|M|G|KB|MB|)$/.exec(value("s") ?? "") ?? []
  if (count === "") throw new UsageError("you must specify a size with '--size'")
  const amount = Number(count) * (SIZES[unit] ?? 1)
  for (const name of operands) {
    const path = context.fs.resolvePath(context.cwd, name)
    const exists = await context.fs.exists(path)
    if (!exists && has("c")) continue
    const before = exists ? await context.fs.readFileBuffer(path) : new Uint8Array(0)
    const size = sign === "+" ? before.length + amount : sign === "-" ? Math.max(0, before.length - amount) : amount
    if (size > context.limits.maxStringLength) return bytes("", `truncate: ${name}: File too large\n`, 1)
    const after = new Uint8Array(size)
    after.set(before.subarray(0, size))
    await context.fs.writeFile(path, after)
  }
  return bytes("")
})

export const TEXT_PROGRAMS: ReadonlyArray<Command> = [uniq, wc, cmp, yes, truncate]

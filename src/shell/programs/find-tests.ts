// The tests and formats of find for one file: names, kinds, sizes, modes, times, `-printf`.
// Receives the name of a predicate and a function that reads its argument; returns the test, or null for any other predicate.
// Invariant: a test only reads the found entry; an invalid argument is a usage error.
import { RE2JS } from "re2js"
import { compile, extendedOf, globMatcher } from "../syntax/patterns.ts"
import { formatTime } from "./jq/times.ts"
import { dateOf } from "./making-programs.ts"
import { type Context, UsageError, why } from "./program.ts"

export interface Found {
  /** The printed path: the starting point as given, and the path below it. */
  readonly shown: string
  readonly path: string
  readonly depth: number
  readonly start: string
  readonly kind: "f" | "d" | "l"
  readonly mode: number
  readonly size: number
  readonly mtime: number
}

export type Test = (found: Found) => boolean | Promise<boolean>

const BLOCKS: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, "": 512, k: 1024, M: 1 << 20, G: 1 << 30 }

export const baseOf = (shown: string): string => {
  const trimmed = shown.length > 1 ? shown.replace(/\/+$/, "") : shown
  return trimmed.slice(trimmed.lastIndexOf("/") + 1) || "/"
}

/** Parses an amount: `+n` is more than n, `-n` less than n, `n` exactly n. */
const amountTest = (name: string, text: string): ((value: number) => boolean) => {
  const [, sign = "", digits] = /^([-+]?)(\d+)$/.exec(text) ?? []
  if (digits === undefined) throw new UsageError(`invalid argument '${text}' to '${name}'`)
  const amount = Number(digits)
  return (value) => (sign === "+" ? value > amount : sign === "-" ? value < amount : value === amount)
}

const WHO: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: 0o777 }
const WHAT: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 }

const modeBits = (text: string): number => {
  if (/^[0-7]+$/.test(text)) return Number.parseInt(text, 8)
  let bits = 0
  for (const part of text.split(",")) {
    const [, who = "", what] = /^([ugoa]*)[+=]([rwx]+)$/.exec(part) ?? []
    if (what === undefined) throw new UsageError(`invalid mode '${text}'`)
    const mask = Array.from(who === "" ? "a" : who).reduce((all, letter) => all | (WHO[letter] ?? 0), 0)
    bits |= mask & Array.from(what).reduce((all, letter) => all | (WHAT[letter] ?? 0), 0)
  }
  return bits
}

const permTest = (text: string): Test => {
  const [, sign = "", rest = ""] = /^([-/]?)([\s\S]*)$/.exec(text) ?? []
  const bits = modeBits(rest)
  if (sign === "-") return ({ mode }) => (mode & bits) === bits
  if (sign === "/") return ({ mode }) => bits === 0 || (mode & bits) !== 0
  return ({ mode }) => (mode & 0o7777) === bits
}

/** The only user of the workspace, with the same name as in `whoami` and `stat`. */
const OWNER = { name: "user", id: "1000" }

const ownerTest = (option: string, text: string): Test => {
  if (!/^(?:\d+|user|root)$/.test(text)) throw new UsageError(`'${text}' is not the name of a known ${option.slice(1)}`)
  const owns = text === OWNER.name || text === OWNER.id
  return () => owns
}

/** Tests of the name, or of what a link names; null for any other predicate. `extended`: `-regex` has an extended expression. */
export const nameTest = (name: string, argument: () => string, extended: boolean, { fs }: Context): Test | null => {
  switch (name) {
    case "-name":
    case "-iname": {
      const matches = globMatcher(argument(), name === "-iname")
      return ({ shown }) => matches(baseOf(shown))
    }
    case "-path":
    case "-wholename":
    case "-ipath": {
      const matches = globMatcher(argument(), name === "-ipath")
      return ({ shown }) => matches(shown)
    }
    case "-regex":
    case "-iregex": {
      const text = argument()
      // In the default dialect, that of Emacs, + and ? are operators and \| \( \) are escaped.
      const source = extended ? text : extendedOf(text.replace(/(^|[^\\])([+?])/g, "$1\\$2"))
      const pattern = compile(source, name === "-iregex" ? RE2JS.CASE_INSENSITIVE : 0)
      return ({ shown }) => pattern.matches(shown)
    }
    case "-lname":
    case "-ilname": {
      const matches = globMatcher(argument(), name === "-ilname")
      return async ({ kind, path }) => kind === "l" && matches(await fs.readlink(path))
    }
    default:
      return null
  }
}

/** Tests of the kind, the size, the permissions and the owner. */
export const fileTest = (name: string, argument: () => string, { fs }: Context): Test | null => {
  switch (name) {
    case "-type":
    case "-xtype": {
      const kinds = argument().split(",")
      if (!kinds.every((kind) => /^[fdlbcps]$/.test(kind)))
        throw new UsageError(`Unknown argument to ${name}: ${kinds.join(",")}`)
      if (name === "-type") return ({ kind }) => kinds.includes(kind)
      // Tests what a link refers to; a broken link is a link.
      return async ({ kind, path }) => {
        const target = kind === "l" ? await fs.stat(path).catch(() => null) : null
        return kinds.includes(target === null ? kind : target.isDirectory ? "d" : "f")
      }
    }
    case "-size": {
      const [, amount = "", unit = ""] = /^([-+]?\d+)([cwbkMG]?)$/.exec(argument()) ?? []
      const test = amountTest(name, amount)
      return ({ kind, size }) => test(Math.ceil((kind === "d" ? 4096 : size) / (BLOCKS[unit] ?? 512)))
    }
    case "-empty":
      return async ({ kind, size, path }) =>
        kind === "f" ? size === 0 : kind === "d" && (await fs.readdir(path)).length === 0
    case "-perm":
      return permTest(argument())
    case "-executable":
      return ({ mode }) => (mode & 0o111) !== 0
    case "-user":
    case "-group":
    case "-uid":
    case "-gid":
      return ownerTest(name, argument())
    case "-nouser":
    case "-nogroup":
    case "-false":
      return () => false
    case "-readable":
    case "-writable":
    case "-true":
      return () => true
    case "-links": {
      const test = amountTest(name, argument())
      return ({ kind }) => test(kind === "d" ? 2 : 1)
    }
    default:
      return null
  }
}

/** Tests of the time of the last change. */
export const timeTest = async (name: string, argument: () => string, context: Context): Promise<Test | null> => {
  const { fs } = context
  switch (name) {
    case "-mtime":
    case "-ctime":
    case "-mmin":
    case "-cmin": {
      const test = amountTest(name, argument())
      const now = Date.now()
      return ({ mtime }) => test(Math.floor((now - mtime) / (name.endsWith("min") ? 60_000 : 86_400_000)))
    }
    case "-newer":
    case "-cnewer":
    case "-newermm":
    case "-newercm": {
      const file = argument()
      const reference = await fs.stat(fs.resolvePath(context.cwd, file)).catch((error: unknown) => {
        throw new UsageError(`'${file}': ${why(error)}`)
      })
      const time = reference.mtime.getTime()
      return ({ mtime }) => mtime > time
    }
    case "-newermt":
    case "-newerct": {
      const time = (await dateOf(argument(), context)).getTime()
      return ({ mtime }) => mtime > time
    }
    default:
      return null
  }
}

const modeText = ({ kind, mode }: Found): string =>
  (kind === "f" ? "-" : kind) +
  Array.from("rwxrwxrwx", (letter, at) => (kind === "l" || (mode >> (8 - at)) & 1 ? letter : "-")).join("")

const DIRECTIVE = /\\([abfnrtv\\]|[0-7]{1,3})|%(%|[-+ 0#]*\d*(?:\.\d+)?(?:[ABCT][\s\S]|[\s\S]))/g

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
}

/** The workspace only stores the time of the last change, which is used for all kinds of times. */
const timeText = (mtime: number, letter: string): string => {
  const seconds = Math.floor(mtime / 1000)
  const fraction = `${String(mtime - seconds * 1000).padStart(3, "0")}0000000`
  if (letter === "@") return `${seconds}.${fraction}`
  if (letter === "+") return `${formatTime(seconds, "%Y-%m-%d+%H:%M:%S")}.${fraction}`
  if (letter === "S" || letter === "T") return `${formatTime(seconds, `%${letter}`)}.${fraction}`
  if (letter === "c" || letter === "t")
    return `${formatTime(seconds, "%a %b %e %H:%M:%S")}.${fraction} ${formatTime(seconds, "%Y")}`
  return formatTime(seconds, `%${letter}`)
}

const sizeOf = ({ kind, size }: Found, target: string): number =>
  kind === "l" ? target.length : kind === "d" ? 4096 : size

const directiveOf = (letters: string, found: Found, target: string, followed: string): string | undefined => {
  const [letter = "", time] = letters
  if (time !== undefined) return timeText(found.mtime, time)
  const slash = found.shown.lastIndexOf("/")
  const kilobytes = found.kind === "l" ? 0 : Math.ceil(sizeOf(found, target) / 4096) * 4
  const parts: Readonly<Record<string, string>> = {
    f: baseOf(found.shown),
    p: found.shown,
    P: found.shown.slice(found.start.length).replace(/^\//, ""),
    h: slash === -1 ? "." : found.shown.slice(0, slash),
    H: found.start,
    s: String(sizeOf(found, target)),
    m: (found.mode & 0o7777).toString(8),
    M: modeText(found),
    y: found.kind,
    Y: followed,
    d: String(found.depth),
    l: target,
    a: timeText(found.mtime, "t"),
    c: timeText(found.mtime, "t"),
    t: timeText(found.mtime, "t"),
    b: String(kilobytes * 2),
    k: String(kilobytes),
    u: OWNER.name,
    g: OWNER.name,
    U: OWNER.id,
    G: OWNER.id,
    n: found.kind === "d" ? "2" : "1",
    i: "0",
  }
  return Object.hasOwn(parts, letter) ? parts[letter] : undefined
}

const HALF_A_YEAR_MS = 15_778_476_000

/** The format of a line of `-ls`, which has the year instead of the time for old entries. */
export const lineFormat = ({ mtime }: Found, now: number): string => {
  const time = now - mtime > HALF_A_YEAR_MS || now < mtime ? " %TY" : "%TH:%TM"
  return `%9i %6k %M %3n %-8u %-8g %8s %Tb %Te ${time} %p\\n`
}

/** A format with an unknown directive prints nothing. */
export const checkedFormat = (format: string): string => {
  for (const [, , directive] of format.matchAll(DIRECTIVE)) {
    const letters = /(?:[ABCT][\s\S]|[\s\S])$/.exec(directive ?? "%")?.[0] ?? ""
    if (!/^(?:[%fpPhHsmMyYdlactbkuUgGni]|[ACT][@+tcaAbBdDeFHIjkmMprRSTuwXxyYZ])$/.test(letters))
      throw new UsageError(`unrecognized format directive '%${letters}'`)
  }
  return format
}

export const formatted = async (format: string, found: Found, context: Context): Promise<string> => {
  const target = found.kind === "l" ? await context.fs.readlink(found.path) : ""
  const behind = found.kind === "l" ? await context.fs.stat(found.path).catch(() => null) : null
  const followed = found.kind !== "l" ? found.kind : behind === null ? "N" : behind.isDirectory ? "d" : "f"
  return format.replace(DIRECTIVE, (_all, escape, directive) => {
    if (typeof escape === "string") return ESCAPES[escape] ?? String.fromCharCode(Number.parseInt(escape, 8))
    const [, flags = "", digits = "", letters = ""] =
      /^([-+ 0#]*)(\d*)(?:\.\d+)?([\s\S]+)$/.exec(String(directive)) ?? []
    if (letters === "%") return "%"
    const text = directiveOf(letters, found, target, followed) ?? ""
    const count = Math.min(Number(digits), 1000)
    if (flags.includes("-")) return text.padEnd(count)
    return text.padStart(count, flags.includes("0") ? "0" : " ")
  })
}

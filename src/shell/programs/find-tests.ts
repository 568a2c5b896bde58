// The tests and formats of find for one file: amounts, modes, `-printf`.
// Invariant: a test only reads the found entry; an invalid argument is a usage error.
import { type Context, UsageError } from "./program.ts"

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

export const BLOCKS: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, "": 512, k: 1024, M: 1 << 20, G: 1 << 30 }

export const baseOf = (shown: string): string => {
  const trimmed = shown.length > 1 ? shown.replace(/\/+$/, "") : shown
  return trimmed.slice(trimmed.lastIndexOf("/") + 1) || "/"
}

/** Parses an amount: `+n` is more than n, `-n` less than n, `n` exactly n. */
export const amountTest = (name: string, text: string): ((value: number) => boolean) => {
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

export const permTest = (text: string): Test => {
  const [, sign = "", rest = ""] = /^([-/]?)([\s\S]*)$/.exec(text) ?? []
  const bits = modeBits(rest)
  if (sign === "-") return ({ mode }) => (mode & bits) === bits
  if (sign === "/") return ({ mode }) => bits === 0 || (mode & bits) !== 0
  return ({ mode }) => (mode & 0o7777) === bits
}

const DIRECTIVE = /\\([nt0\\])|%(%|[-\d]*[fpPhHsmMydlT](?:@)?)/g

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "0": "\0", "\\": "\\" }

export const formatted = async (format: string, found: Found, context: Context): Promise<string> => {
  const target = found.kind === "l" ? await context.fs.readlink(found.path) : ""
  const slash = found.shown.lastIndexOf("/")
  const inner = found.shown.slice(found.start.length).replace(/^\//, "")
  const parts: Readonly<Record<string, string>> = {
    f: baseOf(found.shown),
    p: found.shown,
    P: inner,
    h: slash === -1 ? "." : found.shown.slice(0, slash),
    H: found.start,
    s: String(found.kind === "l" ? target.length : found.kind === "d" ? 4096 : found.size),
    m: (found.mode & 0o7777).toString(8),
    y: found.kind,
    d: String(found.depth),
    l: target,
    "T@": `${Math.floor(found.mtime / 1000)}.0000000000`,
  }
  return format.replace(DIRECTIVE, (_all, escape, directive) => {
    if (typeof escape === "string") return ESCAPES[escape] ?? escape
    const name = String(directive)
    if (name === "%") return "%"
    const [, width = "", letter = ""] = /^([-\d]*)([\s\S]+)$/.exec(name) ?? []
    const text = parts[letter] ?? ""
    const count = Math.min(Math.abs(Number(width === "" || width === "-" ? 0 : width)), 1000)
    return width.startsWith("-") ? text.padEnd(count) : text.padStart(count)
  })
}

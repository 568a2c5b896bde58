// Receives the text of a sed script; returns its commands with their addresses, as GNU sed reads them.
// Invariant: unsupported syntax is an error with its position, never ignored.
import { RE2JS } from "re2js"
import { extendedOf } from "../../syntax/patterns.ts"
import { translated } from "../grep-pattern.ts"
import { UsageError } from "../program.ts"

/** Null is the empty pattern, which means the last one that was used. */
export type Pattern = RE2JS | null

export type Address =
  | { readonly kind: "line"; readonly line: number }
  | { readonly kind: "step"; readonly first: number; readonly step: number }
  | { readonly kind: "last" }
  | { readonly kind: "match"; readonly pattern: Pattern }
  | { readonly kind: "more"; readonly lines: number }
  | { readonly kind: "multiple"; readonly of: number }

/** A part of a replacement: text, the number of a group, or a change of case from here on. */
export type Part = string | number | { readonly to: string }

export interface SedCommand {
  readonly name: string
  readonly from: Address | undefined
  readonly to: Address | undefined
  readonly not: boolean
  /** The argument of the command: a text, a label, a file name, or the data of `y` and `s`. */
  readonly text: string
  readonly code: number
  readonly pattern: Pattern
  readonly parts: ReadonlyArray<Part>
  readonly second: string
  readonly flags: { readonly all: boolean; readonly print: boolean; readonly nth: number; readonly file: string }
  /** The index at which a block ends. */
  end: number
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\u0007" }

/** Matches a backslash with what it escapes; a character may be written as a number (`\x27`, `\o47`, `\d39`). */
const ESCAPED = /\\(x[\da-fA-F]{1,2}|o[0-7]{1,3}|d\d{1,3}|[\s\S]|$)/g

/** The text that an escape means in a text, as far as it is not special there. */
const unescaped = (escaped: string): string => {
  const base = { x: 16, o: 8, d: 10 }[escaped.charAt(0)]
  if (base === undefined || escaped.length === 1) return ESCAPES[escaped] ?? escaped
  return String.fromCharCode(Number.parseInt(escaped.slice(1), base) & 0xff)
}

const NONE = { all: false, print: false, nth: 1, file: "" }

export class SedParser {
  readonly commands: Array<SedCommand> = []
  #at = 0
  readonly #source: string
  readonly #extended: boolean
  readonly #open: Array<number> = []

  constructor(source: string, extended: boolean) {
    this.#source = source
    this.#extended = extended
  }

  read(): ReadonlyArray<SedCommand> {
    for (;;) {
      this.#skip(/[\s;]/)
      if (this.#at >= this.#source.length) break
      this.#command()
    }
    if (this.#open.length > 0) this.#fail("unmatched `{'")
    return this.commands
  }

  #fail(reason: string): never {
    throw new UsageError(`-e expression #1, char ${this.#at}: ${reason}`)
  }

  get #letter(): string {
    return this.#source.charAt(this.#at)
  }

  #skip(what: RegExp): void {
    while (this.#letter !== "" && what.test(this.#letter)) this.#at += 1
  }

  #take(what: RegExp): string {
    const [found = ""] = what.exec(this.#source.slice(this.#at)) ?? []
    this.#at += found.length
    return found
  }

  #line(): string {
    this.#skip(/[ \t]/)
    return this.#take(/^[^\n]*/)
  }

  /** Reads up to the delimiter; escaped delimiters lose their backslash, and `\n` becomes a line end. */
  #until(delimiter: string, isPattern: boolean, what: string): string {
    let text = ""
    for (;;) {
      const letter = this.#letter
      if (letter === "" || (letter === "\n" && isPattern)) this.#fail(`unterminated ${what}`)
      this.#at += 1
      if (letter === delimiter) return text
      if (letter === "\\") {
        const next = this.#letter
        this.#at += 1
        // An escaped delimiter is a literal character.
        const bare = isPattern ? (this.#extended ? /[.*+?|(){}[\]^$]/ : /[.*[\]^$]/).test(next) === false : true
        text += next === delimiter && bare ? next : `\\${next}`
      } else if (letter === "[" && isPattern) {
        const set = /^\^?\]?(?:\[[:.=][\s\S]*?[:.=]\]|[^\]\n])*\]/.exec(this.#source.slice(this.#at))?.[0] ?? ""
        this.#at += set.length
        text += letter + set
      } else text += letter
    }
  }

  #pattern(text: string, flags: string): Pattern {
    if (text === "") return null
    const sets = text.replace(/\[\^?\]?(?:\[[:.=][\s\S]*?[:.=]\]|[^\]])*\]|\\[\s\S]/g, (part) =>
      part.startsWith("[")
        ? part.replace(/\\([ntrfv]|x[\da-fA-F]{2})/g, (_, escaped: string) => unescaped(escaped))
        : part,
    )
    const source = translated(this.#extended ? sets : extendedOf(sets)).replace(/\\[\s\S]/g, (part) =>
      part === "\\`" ? "\\A" : part === "\\'" ? "\\z" : part,
    )
    const bits = (/i/i.test(flags) ? RE2JS.CASE_INSENSITIVE : 0) | (/m/i.test(flags) ? RE2JS.MULTILINE : 0)
    try {
      return RE2JS.compile(source, bits | RE2JS.LONGEST_MATCH | (/m/i.test(flags) ? 0 : RE2JS.DOTALL))
    } catch {
      return this.#fail(`invalid regular expression: '${text}'${/\\[1-9]/.test(text) ? " (no back references)" : ""}`)
    }
  }

  #address(): Address | undefined {
    const letter = this.#letter
    if (letter === "$") {
      this.#at += 1
      return { kind: "last" }
    }
    const [, line = "0", step] = /^(\d+)(?:~(\d+))?$/.exec(this.#take(/^\d+(?:~\d+)?/)) ?? []
    if (/\d/.test(letter)) {
      if (step === undefined) return { kind: "line", line: Number(line) }
      return { kind: "step", first: Number(line), step: Number(step) }
    }
    const [sign = "", ...digits] = this.#take(/^[+~]\d+/)
    if (sign === "+") return { kind: "more", lines: Number(digits.join("")) }
    if (sign === "~") return { kind: "multiple", of: Number(digits.join("")) }
    if (letter !== "/" && letter !== "\\") return undefined
    this.#at += letter === "\\" ? 2 : 1
    const text = this.#until(this.#source.charAt(this.#at - 1), true, "address regex")
    return { kind: "match", pattern: this.#pattern(text, this.#take(/^[IM]*/)) }
  }

  /** Reads the text of `a`, `i` and `c`, on the line of the command or on the next one. */
  #text(): string {
    this.#take(/^[ \t]*(?:\\[ \t]*\n|\\)?/)
    const raw = this.#take(/^(?:\\[\s\S]|[^\n\\])*\\?/)
    return raw.replace(ESCAPED, (_, escaped: string) => unescaped(escaped))
  }

  #parts(text: string): ReadonlyArray<Part> {
    return Array.from(text.matchAll(new RegExp(`${ESCAPED.source}|&|[^\\\\&]+`, "g")), ([all, escaped = ""]): Part => {
      if (all === "&") return 0
      if (escaped === "") return all
      if (/^\d/.test(escaped)) return Number(escaped)
      return /^[ULEul]/.test(escaped) ? { to: escaped } : unescaped(escaped)
    })
  }

  #substitute(): Partial<SedCommand> {
    const delimiter = this.#letter
    this.#at += 1
    const text = this.#until(delimiter, true, "`s' command")
    const replacement = this.#until(delimiter, false, "`s' command")
    const given = this.#take(/^(?:[gpiImM]|\d+)*/)
    if (this.#letter === "e") this.#fail("the flag e is not supported")
    const file = this.#take(/^w/) === "" ? "" : this.#line()
    const nth = Number(/\d+/.exec(given)?.[0] ?? 1)
    if (nth === 0) this.#fail("number option to `s' command may not be zero")
    const pattern = this.#pattern(text, given)
    const parts = this.#parts(replacement)
    const most = Math.max(0, ...parts.map((part) => (typeof part === "number" ? part : 0)))
    if (pattern !== null && most > pattern.groupCount()) this.#fail(`invalid reference \\${most} on \`s' command's RHS`)
    return { pattern, parts, flags: { all: given.includes("g"), print: given.includes("p"), nth, file } }
  }

  #transliterate(): Partial<SedCommand> {
    const delimiter = this.#letter
    this.#at += 1
    const [text = "", second = ""] = [0, 1].map(() =>
      this.#until(delimiter, false, "`y' command").replace(ESCAPED, (_, escaped: string) => unescaped(escaped)),
    )
    if (Array.from(text).length !== Array.from(second).length)
      this.#fail("strings for `y' command are different lengths")
    return { text, second }
  }

  #command(): void {
    const from = this.#address()
    this.#skip(/[ \t]/)
    let to: Address | undefined
    if (from !== undefined && this.#letter === ",") {
      this.#at += 1
      this.#skip(/[ \t]/)
      to = this.#address()
      if (to === undefined) this.#fail("unexpected `,'")
    }
    if (from?.kind === "line" && from.line === 0 && to?.kind !== "match") this.#fail("invalid usage of line address 0")
    const not = this.#take(/^[ \t]*(?:![ \t]*)*/).includes("!")
    const name = this.#letter
    this.#at += 1
    const command = {
      name,
      from,
      to,
      not,
      text: "",
      code: 0,
      pattern: null,
      parts: [],
      second: "",
      flags: NONE,
      end: 0,
    }
    if (name === "}") {
      const open = this.#open.pop()
      if (open === undefined) this.#fail("unexpected `}'")
      else (this.commands[open] ?? command).end = this.commands.length
      return this.#ended()
    }
    if (name === "#") {
      this.#line()
      return
    }
    if (name === "{") this.#open.push(this.commands.length)
    this.commands.push({ ...command, ...this.#rest(name) })
  }

  #rest(name: string): Partial<SedCommand> {
    if (name === "{") return {}
    if (/^[aic]$/.test(name)) {
      if (/^[ \t]*$/.test(this.#source.slice(this.#at))) this.#fail("expected \\ after `a', `c' or `i'")
      return { text: this.#text() }
    }
    if (/^[rRwW]$/.test(name)) {
      const text = this.#line()
      return text === "" ? this.#fail("missing filename in r/R/w/W commands") : { text }
    }
    if (/^[:btT]$/.test(name)) {
      this.#skip(/[ \t]/)
      const text = this.#take(name === ":" ? /^[^\s;]+/ : /^[^\s;}]*/)
      return name === ":" && text === "" ? this.#fail('":" lacks a label') : { text }
    }
    const read = name === "s" ? this.#substitute() : name === "y" ? this.#transliterate() : {}
    if (!/^[sydDpPnNgGhHxqQ=lzF]$/.test(name))
      this.#fail(name === "" ? "missing command" : `unknown command: \`${name}'`)
    const code = /^[qQlL]$/.test(name) ? Number(this.#take(/^[ \t]*\d+/)) : 0
    this.#ended()
    return { ...read, code }
  }

  #ended(): void {
    this.#skip(/[ \t]/)
    if (!/^[\n;}#]?$/.test(this.#letter)) this.#fail("extra characters after command")
  }
}

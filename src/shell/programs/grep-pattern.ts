// Receives the patterns of a grep and their options; returns a function that finds the next match in a line.
// Invariant: patterns match in linear time; so Perl patterns can't have back references, nor lookaround except at their ends.
import { RE2JS } from "re2js"
import { extendedOf } from "../syntax/patterns.ts"
import { searchOf, type SpendReads } from "../syntax/search.ts"
import { UsageError } from "./program.ts"

export interface Meaning {
  readonly dialect: "basic" | "extended" | "fixed" | "perl"
  readonly ignoreCase: boolean
  /** "word" for `-w`, "line" for `-x`. */
  readonly whole: "word" | "line" | null
}

export type Span = readonly [start: number, end: number]

/** Returns the first match at or after `from`; null when there is none. */
export type Find = (line: string, from: number) => Span | null

/** Classes of characters that RE2 limits to ASCII. */
const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  alnum: "\\p{L}\\p{N}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  w: "[\\p{L}\\p{N}_]",
  W: "[^\\p{L}\\p{N}_]",
}

/** Translates POSIX syntax that RE2 lacks: letters beyond ASCII, word boundaries, and a backslash in a bracket expression, which is literal there. */
export const translated = (extended: string): string => {
  let result = ""
  for (let at = 0; at < extended.length; at += 1) {
    const letter = extended.charAt(at)
    if (letter === "\\") {
      const next = extended.charAt((at += 1))
      if (next === "") throw new UsageError("Trailing backslash")
      const known = /[sSbBntrfva]/.test(next) || /^x[0-9a-fA-F]{2}/.test(extended.slice(at))
      if (next === "<" || next === ">") result += "\\b"
      else if (/[wW]/.test(next)) result += CLASSES[next] ?? ""
      else result += known || !/[A-Za-z]/.test(next) ? `\\${next}` : next
    } else if (letter === "[") {
      const [set = ""] = /^\[\^?\]?(?:\[[:.=][\s\S]*?[:.=]\]|[^\]])*\]/.exec(extended.slice(at)) ?? []
      if (set === "") throw new UsageError("Unmatched [, [^, [:, [., or [=")
      result += set
        .replace(/\\/g, "\\\\")
        .replace(/^(\[\^?)\]/, "$1\\]")
        .replace(/(?!^)\[(?![:.=])/g, "\\[")
        .replace(/\[:(alpha|alnum|upper|lower):\]/g, (_, name: string) => CLASSES[name] ?? "")
      at += set.length - 1
    } else result += letter
  }
  return result.replace(/^\^?\*/, (start) => start.replace("*", "\\*"))
}

/** Name of the group that is the match proper in a pattern with `\K`, or with lookaround at its ends. */
const KEPT = "kept"
const kept = (pattern: string): string => {
  const [, before = "", body = pattern] =
    /^((?:\\[^K]|[^\\])*)\\K([\s\S]*)$/.exec(pattern) ?? /^\(\?<=((?:\\.|[^()\\])*)\)([\s\S]*)$/.exec(pattern) ?? []
  const [, inner = body, behind = ""] = /^([\s\S]*)\(\?=((?:\\.|[^()\\])*)\)$/.exec(body) ?? []
  return inner === pattern ? pattern : `(?:${before})(?P<${KEPT}>${inner})(?:${behind})`
}

/** Matches what GNU grep reads as one unit; a letter with a meaningless backslash (`\d`, `\t`) is the group. */
const STRAY = /\[\^?\]?(?:\[[:.=][\s\S]*?[:.=]\]|[^\]])*\]|\\(?:([AC-RT-VX-Zac-rt-vx-z])|[\s\S])/g

const sourceOf = (given: string, dialect: Meaning["dialect"]): string => {
  if (dialect === "fixed") return RE2JS.quote(given)
  if (dialect === "perl") return kept(given)
  const pattern = given.replace(STRAY, (all, letter) => letter ?? all)
  return translated(dialect === "basic" ? extendedOf(pattern) : pattern)
}

const WORD = /[\p{L}\p{N}_]/u

const isWord = (line: string, [start, end]: Span): boolean =>
  !WORD.test(line.charAt(start - 1)) && !WORD.test(line.charAt(end))

const compiledOf = (source: string, flags: number, given: string): RE2JS => {
  try {
    return RE2JS.compile(source, flags)
  } catch {
    const limit = /\\[1-9]|\(\?<?[=!]/.test(given)
      ? " (this grep has no back references, and lookaround only at the ends)"
      : ""
    throw new UsageError(`invalid regular expression: '${given}'${limit}`)
  }
}

export const finderOf = (
  patterns: ReadonlyArray<string>,
  { dialect, ignoreCase, whole }: Meaning,
  spend: SpendReads,
): Find => {
  if (patterns.length === 0) return () => null
  const [only = ""] = patterns
  const plain = patterns.length === 1 && (dialect === "fixed" || /^[\w ,;:/'"<>=@#%&!~-]*$/.test(only))
  if (plain && !ignoreCase && whole === null)
    return (line, from) => {
      const at = line.indexOf(only, from)
      return at === -1 ? null : [at, at + only.length]
    }
  const joined = patterns.map((pattern) => `(?:${sourceOf(pattern, dialect)})`).join("|")
  const flags = (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (dialect === "perl" ? 0 : RE2JS.LONGEST_MATCH)
  const compiled = compiledOf(whole === "line" ? `^(?:${joined})$` : joined, flags, patterns.join("\\n"))
  const group = joined.includes(`(?P<${KEPT}>`) ? KEPT : 0
  let [text, matcher] = ["", searchOf(compiled, "", spend)]
  return (line, from) => {
    if (line !== text) [text, matcher] = [line, searchOf(compiled, line, spend)]
    for (let at = from; at <= line.length; at += 1) {
      if (!matcher.find(at)) return null
      const span: Span = [matcher.start(group), matcher.end(group)]
      if (whole !== "word" || isWord(line, span)) return span
      // The next candidate starts after the rest of this word.
      for (at = span[0]; WORD.test(line.charAt(at));) at += 1
    }
    return null
  }
}

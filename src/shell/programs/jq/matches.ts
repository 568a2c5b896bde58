// The regular expressions of jq, for `match`, `test`, `split/2`, `sub` and `gsub`.
// Invariant: no pattern is matched by backtracking, and offsets are counted in code points.
import { RE2JS } from "re2js"
import { searchOf, type SpendReads } from "../../syntax/search.ts"
import { type Json, shownType } from "./json.ts"
import { raise } from "./paths.ts"

export interface Match {
  readonly start: number
  readonly end: number
  /** The match as the object that jq's `match` returns. */
  readonly shown: Json
  /** The texts of the named groups. */
  readonly captures: ReadonlyMap<string, Json>
}

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  s: RE2JS.DOTALL,
  p: RE2JS.DOTALL,
  n: 0,
  l: 0,
  g: 0,
}

const compiled = (pattern: string, flags: string): RE2JS => {
  let bits = 0
  for (const flag of flags) {
    if (flag === "x") continue
    if (!Object.hasOwn(FLAGS, flag)) return raise(`${flags} is not a valid modifier string`)
    bits |= FLAGS[flag] ?? 0
  }
  const source = flags.includes("x")
    ? pattern.replace(/\\[\s\S]|\s+|#[^\n]*/g, (part) => (part.startsWith("\\") ? part : ""))
    : pattern
  try {
    return RE2JS.compile(source, bits)
  } catch {
    return raise(`${pattern} (at offset 0) is not a valid regex`)
  }
}

/** The first match or, with the flag `g`, all of them. The flag `n` skips empty matches. */
export const matchesOf = (value: Json, given: Json, flags: Json, spend: SpendReads): ReadonlyArray<Match> => {
  if (typeof value !== "string") return raise(`${shownType(value)} cannot be matched, as it is not a string`)
  if (typeof given !== "string") return raise(`${shownType(given)} cannot be matched, as it is not a string`)
  if (flags !== null && typeof flags !== "string") return raise(`${shownType(flags)} is not a string`)
  const pattern = compiled(given, flags ?? "")
  const matcher = searchOf(pattern, value, spend)
  const names = new Map(Object.entries(pattern.namedGroups()).map(([name, at]) => [at, name]))
  const found: Array<Match> = []
  let [unit, letter] = [0, 0]
  /** Converts an index to code points. Indexes increase, so each section of the text is counted only once. */
  const place = (to: number): number => {
    if (to < unit) return Array.from(value.slice(0, to)).length
    letter += Array.from(value.slice(unit, to)).length
    unit = to
    return letter
  }
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    if (start === end && flags?.includes("n") === true) continue
    const offset = place(start)
    const captures = new Map<string, Json>()
    const groups = Array.from({ length: pattern.groupCount() }, (_, index): Json => {
      const string = matcher.group(index + 1) ?? null
      const name = names.get(index + 1) ?? null
      if (name !== null) captures.set(name, string)
      const at = string === null ? -1 : offset + Array.from(value.slice(start, matcher.start(index + 1))).length
      return new Map<string, Json>([
        ["offset", at],
        ["length", string === null ? 0 : Array.from(string).length],
        ["string", string],
        ["name", name],
      ])
    })
    const string = value.slice(start, end)
    const shown = new Map<string, Json>([
      ["offset", offset],
      ["length", Array.from(string).length],
      ["string", string],
      ["captures", groups],
    ])
    found.push({ start, end, shown, captures })
    if (flags?.includes("g") !== true) break
  }
  return found
}

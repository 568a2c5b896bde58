// The functions of awk that compute a value from values.
import { UsageError } from "../program.ts"
import { formatTime } from "../jq/times.ts"
import { searchOf, type SpendReads } from "../../syntax/search.ts"
import { formatted, limited, numberOf, patternOf, textOf, type Value } from "./values.ts"

const WIDE = /[\ud800-\udfff]/

export const lengthOf = (text: string): number => (WIDE.test(text) ? Array.from(text).length : text.length)

const part = (text: string, from: number, count: number): string => {
  const first = Math.round(from)
  const end = Number.isFinite(count) ? first + Math.round(count) : count
  const start = Math.max(first, 1) - 1
  const stop = Math.max(start, end - 1)
  return WIDE.test(text) ? Array.from(text).slice(start, stop).join("") : text.slice(start, stop)
}

/** The text of a replacement for a match, with `\\&`, `&` and `\\N` resolved. */
const replacement = (text: string, groups: (index: number) => string, numbered: boolean): string =>
  text.replace(/\\\\|\\&|\\(\d)|&/g, (all, digit?: string) => {
    if (all === "&") return groups(0)
    if (all === "\\&") return "&"
    if (digit === undefined) return "\\"
    return numbered ? groups(Number(digit)) : all
  })

const MAX_MATCHES = 250_000

export interface Substituted {
  readonly text: string
  readonly count: number
}

interface Substitution {
  /** The source of the pattern. */
  readonly source: string
  readonly by: string
  readonly text: string
  /** True if `\\N` in the replacement is the text of a group, as in `gensub`. */
  readonly numbered?: boolean
}

/** Replaces matches in a text. `which` is the number of the match to replace, or "all". */
export const substituted = (
  { source, by, text, numbered = false }: Substitution,
  which: number | "all",
  spend: SpendReads,
): Substituted => {
  const matcher = searchOf(patternOf(source), text, spend)
  let result = ""
  let from = 0
  let seen = 0
  let count = 0
  let lastEnd = -1
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    // An empty match directly after a match does not count.
    if (start === end && start === lastEnd) continue
    lastEnd = end
    seen += 1
    if (seen > MAX_MATCHES) throw new UsageError(`maximum iterations exceeded (${MAX_MATCHES} matches)`)
    if (which !== "all" && seen !== which) continue
    result += text.slice(from, start) + replacement(by, (index) => matcher.group(index) ?? "", numbered)
    limited(result)
    from = end
    count += 1
    if (which !== "all") break
  }
  return { text: result + text.slice(from), count }
}

const hex = (text: string): number => (/^\s*0[xX][0-9a-fA-F]+/.test(text) ? Number.parseInt(text, 16) : numberOf(text))

const bits = (of: (left: number, right: number) => number) => (left: Value, right: Value) =>
  of(numberOf(left), numberOf(right)) >>> 0

const fieldsOfTime = (text: string): ReadonlyArray<string> => text.trim().split(/[ \t\n]+/)

type Plain = (args: ReadonlyArray<Value>, format: string) => Value

const math =
  (of: (value: number) => number): Plain =>
  ([value]) =>
    of(numberOf(value))

/** Functions that need only the values of their arguments. */
export const FUNCTIONS: Readonly<Record<string, Plain>> = {
  substr: ([text, from, count], format) =>
    part(textOf(text, format), numberOf(from), count === undefined ? Number.POSITIVE_INFINITY : numberOf(count)),
  index: ([text, found], format) => {
    const whole = textOf(text, format)
    const at = whole.indexOf(textOf(found, format))
    return at === -1 ? 0 : lengthOf(whole.slice(0, at)) + 1
  },
  sprintf: ([format, ...args]) => formatted(textOf(format), args),
  tolower: ([text]) => textOf(text).toLowerCase(),
  toupper: ([text]) => textOf(text).toUpperCase(),
  int: math((value) => Math.trunc(value) + 0),
  sqrt: math(Math.sqrt),
  exp: math(Math.exp),
  log: math(Math.log),
  sin: math(Math.sin),
  cos: math(Math.cos),
  atan2: ([y, x]) => Math.atan2(numberOf(y), numberOf(x)),
  and: ([left, right]) => bits((a, b) => a & b)(left, right),
  or: ([left, right]) => bits((a, b) => a | b)(left, right),
  xor: ([left, right]) => bits((a, b) => a ^ b)(left, right),
  lshift: ([left, right]) => numberOf(left) * 2 ** numberOf(right),
  rshift: ([left, right]) => Math.floor(numberOf(left) / 2 ** numberOf(right)),
  compl: ([value]) => ~numberOf(value) >>> 0,
  strtonum: ([text]) => hex(textOf(text)),
  systime: () => Math.floor(Date.now() / 1000),
  strftime: ([format, seconds]) =>
    formatTime(
      seconds === undefined ? Math.floor(Date.now() / 1000) : numberOf(seconds),
      format === undefined ? "%a %b %e %H:%M:%S UTC %Y" : textOf(format),
    ),
  mktime: ([text]) => {
    const [year = 0, month = 1, day = 1, hours = 0, minutes = 0, seconds = 0] = fieldsOfTime(textOf(text)).map(Number)
    return Date.UTC(year, month - 1, day, hours, minutes, seconds) / 1000
  },
  fflush: () => 0,
}

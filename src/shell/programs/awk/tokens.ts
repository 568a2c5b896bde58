// Splits an awk program into tokens.
// Invariant: a slash after a value is a division; anywhere else it starts a pattern.
import { UsageError } from "../program.ts"

export interface Token {
  readonly type:
    | "number"
    | "text"
    | "pattern"
    | "name"
    | "call"
    | "keyword"
    | "builtin"
    | "operator"
    | "newline"
    | "end"
  readonly text: string
  /** Whether white space precedes the token: only without it, a bracket after a name is a call or a subscript. */
  readonly spaced: boolean
}

const KEYWORDS: ReadonlySet<string> = new Set(
  "BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf".split(
    " ",
  ),
)

const BUILTINS: ReadonlySet<string> = new Set(
  (
    "length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper system close " +
    "fflush gensub systime strftime mktime asort asorti and or xor lshift rshift compl strtonum"
  ).split(" "),
)

const MAX_PROGRAM = 256 << 10
const BLANK = /(?:[ \t\r]|\\\r?\n|#[^\n]*)+/y
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y
const NAME = /[A-Za-z_]\w*/y
const OPERATOR = /\*\*=|\*\*|\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|<=|>=|!=|!~|&&|\|\||>>|\|&|[-+*/%^!<>|?:~$=(){}[\];,]/y

/** True for tokens after which a slash is a division. */
const endsValue = (token: Token | undefined): boolean =>
  token !== undefined &&
  (["number", "text", "pattern", "name", "builtin"].includes(token.type) || /^(?:\)|\]|\$|\+\+|--)$/.test(token.text))

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  '"': '"',
  "/": "/",
  "\\": "\\",
}

/** Resolves the escapes of a string. Unknown escapes stay unchanged, for patterns. */
export const unescaped = (text: string): string =>
  text.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|\r?(\n)|([\s\S]))/g,
    (all, octal?: string, hex?: string, line?: string, letter?: string) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      if (line !== undefined) return ""
      return Object.hasOwn(ESCAPES, letter ?? "") ? (ESCAPES[letter ?? ""] ?? all) : all
    },
  )

export const tokensOf = (source: string): ReadonlyArray<Token> => {
  if (source.length > MAX_PROGRAM) throw new UsageError("the program is too long")
  const tokens: Array<Token> = []
  let at = 0
  let line = 1
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const [found] = pattern.exec(source) ?? []
    if (found === undefined) return null
    at += found.length
    return found
  }
  const fail = (what: string): never => {
    throw new UsageError(`line ${line}: ${what}`)
  }
  /** Reads up to an unescaped `end`; in a pattern, a character class may contain it. */
  const until = (end: string): string => {
    const from = at
    let inSet = false
    for (; at < source.length; at += 1) {
      const letter = source.charAt(at)
      if (letter === "\n") fail(end === "/" ? "a regular expression does not end" : "a string does not end")
      if (letter === "\\") at += 1
      else if (end === "/" && letter === "[" && !inSet) {
        inSet = source.indexOf("]", at + 2) !== -1
        at += /^\[\^?\]/.exec(source.slice(at, at + 3))?.[0].length ?? 1
        at -= 1
      } else if (letter === "]") inSet = false
      else if (letter === end && !inSet) {
        at += 1
        return source.slice(from, at - 1)
      }
    }
    return fail(end === "/" ? "a regular expression does not end" : "a string does not end")
  }
  for (;;) {
    const spaced = match(BLANK) !== null
    const add = (type: Token["type"], text: string) => void tokens.push({ type, text, spaced })
    if (at >= source.length)
      return [...tokens, { type: "newline", text: "\n", spaced }, { type: "end", text: "", spaced }]
    const letter = source.charAt(at)
    if (letter === "\n") {
      at += 1
      line += 1
      add("newline", "\n")
    } else if (letter === '"') {
      at += 1
      add("text", unescaped(until('"')))
    } else if (letter === "/" && !endsValue(tokens.at(-1))) {
      at += 1
      add("pattern", until("/").replaceAll("\\/", "/"))
    } else {
      const number = match(NUMBER)
      const name = number === null ? match(NAME) : null
      if (number !== null) add("number", number)
      else if (name !== null) {
        const type = KEYWORDS.has(name)
          ? "keyword"
          : BUILTINS.has(name)
            ? "builtin"
            : source.charAt(at) === "("
              ? "call"
              : "name"
        add(type, name)
      } else add("operator", match(OPERATOR) ?? fail(`unexpected '${letter}'`))
    }
  }
}

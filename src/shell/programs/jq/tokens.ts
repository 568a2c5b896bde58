// Receives the text of a jq filter; returns its tokens. A string token contains the tokens of its interpolations.
// Invariant: every character of the filter belongs to a token, a blank or a comment.

export class FilterError extends Error {}

export interface Token {
  readonly type: "number" | "text" | "format" | "field" | "variable" | "name" | "operator" | "end"
  readonly text: string
  /** The parts of a string: texts, and the tokens between `\(` and `)`. */
  readonly parts?: ReadonlyArray<string | ReadonlyArray<Token>>
}

const MAX_FILTER = 64 << 10
const BLANK = /(?:\s|#[^\n]*)+/y
const PLAIN: ReadonlyArray<readonly [Token["type"], RegExp]> = [
  ["number", /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y],
  ["format", /@\w+/y],
  ["field", /\.[A-Za-z_]\w*/y],
  ["variable", /\$(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*/y],
  ["name", /(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*/y],
  ["operator", /\?\/\/|\/\/=|\|=|[-+*/%]=|==|!=|<=|>=|\/\/|\.\.|[-+*/%=<>|,.:;()[\]{}?]/y],
]

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "/": "/",
  "\\": "\\",
}

class Lexer {
  #at = 0
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  /** Reads all tokens or, in a string, those up to the parenthesis that closes the interpolation. */
  tokens(inText: boolean): ReadonlyArray<Token> {
    const found: Array<Token> = []
    let depth = 0
    for (;;) {
      this.#match(BLANK)
      if (this.#at >= this.#source.length) {
        if (inText) throw new FilterError("syntax error: a string does not end")
        return [...found, { type: "end", text: "" }]
      }
      const token = this.#source.charAt(this.#at) === '"' ? this.#text() : this.#plain()
      if (token.type === "operator" && token.text === "(") depth += 1
      if (token.type === "operator" && token.text === ")") depth -= 1
      if (inText && depth < 0) return [...found, { type: "end", text: "" }]
      found.push(token)
    }
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#source) ?? []
    if (found === undefined) return null
    this.#at += found.length
    return found
  }

  #plain(): Token {
    for (const [type, pattern] of PLAIN) {
      const text = this.#match(pattern)
      if (text !== null) return { type, text }
    }
    throw new FilterError(`syntax error, unexpected '${this.#source.charAt(this.#at)}'`)
  }

  #text(): Token {
    const parts: Array<string | ReadonlyArray<Token>> = []
    let text = ""
    this.#at += 1
    for (;;) {
      const letter = this.#source.charAt(this.#at)
      if (letter === "") throw new FilterError("syntax error: a string does not end")
      this.#at += 1
      if (letter === '"') return { type: "text", text: "", parts: [...parts, text] }
      if (letter !== "\\") text += letter
      else if (this.#source.charAt(this.#at) === "(") {
        this.#at += 1
        parts.push(text, this.tokens(true))
        text = ""
      } else text += this.#escape()
    }
  }

  #escape(): string {
    const code = this.#match(/u([0-9a-fA-F]{4})/y)
    if (code !== null) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const letter = this.#source.charAt(this.#at)
    const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (meant === undefined) throw new FilterError(`syntax error: invalid escape '\\${letter}'`)
    this.#at += 1
    return meant
  }
}

export const tokensOf = (filter: string): ReadonlyArray<Token> => {
  if (filter.length > MAX_FILTER) throw new FilterError("the filter is too long")
  return new Lexer(filter).tokens(false)
}

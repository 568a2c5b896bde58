// Receives the text of an arithmetic expression; returns its 64-bit value if it consists only of constants.
// Invariant: returns null for everything that is not supported here: names, octal numbers, comparisons, errors.

const TOKEN = /0[xX][\da-fA-F]+|\d+|\*\*|<<|>>|[-+*/%()&|^~]/g
/** Each character can match in only one way, so a text that does not match is rejected after one pass. */
const CONSTANT = /^(?:(?<!\w)0[xX][\da-fA-F]{1,16}(?!\w)|[-+*/%()&|^~\s\d]|<<|>>)+$/

const LEVELS: Readonly<Record<string, number>> = {
  "|": 1,
  "^": 2,
  "&": 3,
  "<<": 4,
  ">>": 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
  "%": 6,
  "**": 8,
}
/** A sign belongs to its number before a power is computed: `-2**2` is 4. */
const UNARY = 8

class NotPlain extends Error {}

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)

const applied = (operator: string, a: bigint, b: bigint): bigint => {
  if ((operator === "/" || operator === "%") && b === 0n) throw new NotPlain()
  if (operator === "**" && (b < 0n || b > 64n)) throw new NotPlain()
  switch (operator) {
    case "|":
      return a | b
    case "^":
      return a ^ b
    case "&":
      return a & b
    case "<<":
      return a << (b & 63n)
    case ">>":
      return a >> (b & 63n)
    case "+":
      return a + b
    case "-":
      return a - b
    case "*":
      return a * b
    case "/":
      return a / b
    case "%":
      return a % b
    default:
      return a ** b
  }
}

class Constants {
  readonly #tokens: ReadonlyArray<string>
  #at = 0

  constructor(text: string) {
    this.#tokens = text.match(TOKEN) ?? []
  }

  whole(): bigint {
    const value = this.#above(0)
    if (this.#at < this.#tokens.length) throw new NotPlain()
    return value
  }

  #above(level: number): bigint {
    let left = this.#one()
    for (;;) {
      const operator = this.#tokens[this.#at] ?? ""
      const own = LEVELS[operator] ?? 0
      if (own <= level) return left
      this.#at += 1
      left = wrap(applied(operator, left, this.#above(operator === "**" ? own - 1 : own)))
    }
  }

  #one(): bigint {
    const token = this.#tokens[this.#at] ?? ""
    this.#at += 1
    if (token === "-") return wrap(-this.#above(UNARY))
    if (token === "+") return this.#above(UNARY)
    if (token === "~") return ~this.#above(UNARY)
    if (token === "(") {
      const value = this.#above(0)
      if (this.#tokens[this.#at] !== ")") throw new NotPlain()
      this.#at += 1
      return value
    }
    if (!/^(?:0|0[xX][\da-fA-F]+|[1-9]\d{0,29})$/.test(token)) throw new NotPlain()
    return wrap(BigInt(token))
  }
}

const MAX_LENGTH = 200

export const constantOf = (text: string): string | null => {
  if (text.length > MAX_LENGTH || !CONSTANT.test(text) || /--|\+\+/.test(text)) return null
  try {
    return String(new Constants(text).whole())
  } catch (error) {
    if (error instanceof NotPlain) return null
    throw error
  }
}

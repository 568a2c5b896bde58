// 64-bit arithmetic: the interpreter's numbers have 53 bits, and 32 in `&`, `|`, `^`, `~`, `<<` and `>>`.
// Receives the text of an expression of constants, or the syntax tree of one without assignments; returns its value.
// Invariant: returns null for everything that is not supported here: elements of arrays, octal numbers, errors.
import { nodeAt } from "../../syntax/node-fields.ts"
import type { Node } from "../../syntax/nodes.ts"

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
    case "==":
      return BigInt(a === b)
    case "!=":
      return BigInt(a !== b)
    case "<":
      return BigInt(a < b)
    case "<=":
      return BigInt(a <= b)
    case ">":
      return BigInt(a > b)
    case ">=":
      return BigInt(a >= b)
    case "**":
      return a ** b
    default:
      throw new NotPlain()
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

/** Matches the value of a variable that is a decimal or hexadecimal number. */
const INTEGER = /^(?:-?(?:0|[1-9]\d{0,29})|0[xX][\da-fA-F]{1,16})$/

/** The digits of a constant that the interpreter has replaced with the largest number that it has. */
const DIGITS = "digits"
const LONG = /\b(?:0[xX][\da-fA-F]{14,}|[1-9]\d{15,})\b/g

/** Gives the constants of an expression their digits, which are in its text only. */
export const keepDigits = (expression: Node): void => {
  const long = String(expression["originalText"]).match(LONG) ?? []
  let at = 0
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    if ("value" in node && node.value === Number.MAX_SAFE_INTEGER) Object.assign(node, { [DIGITS]: long[at++] })
    Object.values(node).forEach(visit)
  }
  if (long.length > 0) visit(expression)
}

type Get = (name: string) => string | undefined

const valueIn = (node: Node, get: Get): bigint => {
  const { type, value, operator } = node
  const at = (key: string): bigint => valueIn(nodeAt(node, key) ?? {}, get)
  if (type === "ArithNumber") return wrap(BigInt(String(node[DIGITS] ?? value)))
  if (type === "ArithGroup" || type === "ArithNested") return at("expression")
  if (type === "ArithTernary") return at(at("condition") === 0n ? "alternate" : "consequent")
  if (type === "ArithVariable") {
    const text = get(String(node["name"]))?.trim() ?? ""
    if (INTEGER.test(text)) return wrap(BigInt(text))
  } else if (type === "ArithUnary") {
    if (operator === "-") return wrap(-at("operand"))
    if (operator === "+") return at("operand")
    if (operator === "~") return ~at("operand")
    if (operator === "!") return BigInt(at("operand") === 0n)
  } else if (type === "ArithBinary") {
    const left = at("left")
    if (operator === "&&" || operator === "||")
      return BigInt((left === 0n) === (operator === "&&") ? left !== 0n : at("right") !== 0n)
    return wrap(applied(String(operator), left, at("right")))
  }
  throw new NotPlain()
}

/** An expression that the interpreter evaluates as a number of 64 bits, whenever it is evaluated. */
export const withExactValue = (node: Node, get: Get): Node => {
  let value: bigint | number | null
  const exactType = (): unknown => {
    try {
      const exact = valueIn(node, get)
      value = exact === BigInt.asIntN(53, exact) ? Number(exact) : exact
      return "ArithNumber"
    } catch (error) {
      if (error instanceof NotPlain) return node["type"]
      throw error
    }
  }
  return Object.defineProperties<Node>(
    {},
    {
      ...Object.getOwnPropertyDescriptors(node),
      type: { enumerable: true, get: exactType },
      value: { enumerable: true, get: () => value },
    },
  )
}

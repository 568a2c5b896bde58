// bc: sums, powers, roots and comparisons of decimal numbers of any length, with variables, `scale`, `ibase` and `obase`.
// Invariant: numbers are exact up to `scale`, as POSIX requires; no number has more than MAX_DIGITS digits.
import type { ExecResult } from "just-bash/browser"
import { ownValue } from "../../schemas/own-value.ts"
import {
  add,
  type Decimal,
  divide,
  limited,
  MAX_DIGITS,
  multiply,
  power,
  remainder,
  root,
  scaled,
  ten,
} from "./decimal.ts"
import { bytes, type Context, program, readInput, readOptions, UsageError } from "./program.ts"

const MAX_SOURCE = 64 << 10
const MAX_DEPTH = 100
const LINE = 69
const LIBRARY_SCALE = 20

const COMPARE: Readonly<Record<string, (left: bigint, right: bigint) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
}

const TOKEN = /[\n;]|"[^"]*"|[0-9A-F]*\.[0-9A-F]+|[0-9A-F]+\.?|[a-z_][a-z0-9_]*|[-+*/%^]=|[<>=!]=|[-+*/%^<>=()]/y
const ASSIGN = /^[-+*/%^]?=$/
const SPACE = /[^\S\n]+|\/\*[\s\S]*?\*\/|#[^\n]*|\\\n/y

const tokensOf = (source: string): ReadonlyArray<string> => {
  const tokens: Array<string> = []
  let at = 0
  while (at < source.length) {
    SPACE.lastIndex = at
    TOKEN.lastIndex = at
    const [space] = SPACE.exec(source) ?? []
    const [token] = TOKEN.exec(source) ?? []
    if (space === undefined && token === undefined) throw new UsageError(`illegal character: ${source.charAt(at)}`)
    if (space === undefined && token !== undefined) tokens.push(token)
    at += (space ?? token ?? "").length
  }
  return tokens
}

class Calculator {
  readonly #variables = new Map<string, Decimal>()
  #tokens: ReadonlyArray<string> = []
  #at = 0
  #depth = 0
  output = ""

  constructor(scale: number) {
    this.#variables.set("scale", limited(BigInt(scale), 0))
    this.#variables.set("ibase", { value: 10n, scale: 0 })
    this.#variables.set("obase", { value: 10n, scale: 0 })
  }

  /** Executes a source text; returns false at `quit`. */
  run(source: string): boolean {
    this.#tokens = tokensOf(source)
    this.#at = 0
    while (this.#at < this.#tokens.length) {
      const token = this.#peek()
      if (token === "\n" || token === ";") this.#at += 1
      else if (token === "quit") return false
      else this.#statement(token)
    }
    return true
  }

  #statement(token: string): void {
    if (token.startsWith('"')) {
      this.output += token.slice(1, -1)
      this.#at += 1
    } else {
      const assigns = /^[a-z]/.test(token) && ASSIGN.test(this.#tokens[this.#at + 1] ?? "")
      const value = this.#expression()
      if (!assigns) this.output += `${folded(this.#shown(value))}\n`
    }
    const after = this.#peek()
    if (after !== "" && after !== "\n" && after !== ";") throw new UsageError(`syntax error at ${after}`)
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? ""
  }

  #number(name: string): number {
    return Number(scaled(this.#variables.get(name) ?? { value: 0n, scale: 0 }, 0))
  }

  #expression(): Decimal {
    if ((this.#depth += 1) > MAX_DEPTH) throw new UsageError("too deeply nested")
    const name = this.#peek()
    const operator = this.#tokens[this.#at + 1] ?? ""
    let value: Decimal
    if (/^[a-z]/.test(name) && ASSIGN.test(operator)) {
      this.#at += 2
      const right = this.#expression()
      const before = this.#variables.get(name) ?? { value: 0n, scale: 0 }
      value = operator === "=" ? right : this.#apply(operator.charAt(0), before, right)
      this.#assign(name, value)
    } else value = this.#comparison()
    this.#depth -= 1
    return value
  }

  #assign(name: string, value: Decimal): void {
    const whole = Number(scaled(value, 0))
    const [least, most] =
      name === "scale" ? [0, MAX_DIGITS / 2] : name === "ibase" || name === "obase" ? [2, 16] : [-Infinity, Infinity]
    if (whole < least || whole > most) throw new UsageError(`${name} must be from ${least} to ${most}`)
    this.#variables.set(name, value)
  }

  #comparison(): Decimal {
    let left = this.#sum()
    for (let compare = this.#comparator(); compare !== undefined; compare = this.#comparator()) {
      this.#at += 1
      const right = this.#sum()
      const scale = Math.max(left.scale, right.scale)
      left = { value: compare(scaled(left, scale), scaled(right, scale)) ? 1n : 0n, scale: 0 }
    }
    return left
  }

  #comparator() {
    return ownValue(COMPARE, this.#peek())
  }

  #sum(): Decimal {
    let left = this.#product()
    for (let sign = this.#peek(); sign === "+" || sign === "-"; sign = this.#peek()) {
      this.#at += 1
      left = this.#apply(sign, left, this.#product())
    }
    return left
  }

  #product(): Decimal {
    let left = this.#power()
    for (let sign = this.#peek(); /^[*/%]$/.test(sign); sign = this.#peek()) {
      this.#at += 1
      left = this.#apply(sign, left, this.#power())
    }
    return left
  }

  #power(): Decimal {
    const base = this.#unary()
    if (this.#peek() !== "^") return base
    this.#at += 1
    if ((this.#depth += 1) > MAX_DEPTH) throw new UsageError("too deeply nested")
    const raised = this.#apply("^", base, this.#power())
    this.#depth -= 1
    return raised
  }

  #apply(sign: string, left: Decimal, right: Decimal): Decimal {
    const scale = this.#number("scale")
    if (sign === "+" || sign === "-") return add(left, right, sign === "+" ? 1n : -1n)
    if (sign === "*") return multiply(left, right, scale)
    if (sign === "/") return divide(left, right, scale)
    return sign === "%" ? remainder(left, right, scale) : power(left, right, scale)
  }

  #unary(): Decimal {
    const token = this.#peek()
    this.#at += 1
    if (token === "-") {
      if ((this.#depth += 1) > MAX_DEPTH) throw new UsageError("too deeply nested")
      const { value, scale } = this.#unary()
      this.#depth -= 1
      return { value: -value, scale }
    }
    if (token === "(") return this.#closed()
    if (/^[0-9A-F.]/.test(token)) return this.#literal(token)
    if (!/^[a-z]/.test(token))
      throw new UsageError(`syntax error at ${token === "" || token === "\n" ? "the end" : token}`)
    if (this.#peek() !== "(") return this.#variables.get(token) ?? { value: 0n, scale: 0 }
    this.#at += 1
    const value = this.#closed()
    if (token === "sqrt") return root(value, this.#number("scale"))
    if (token === "length") return { value: BigInt(value.value.toString().replace("-", "").length), scale: 0 }
    if (token === "scale") return { value: BigInt(value.scale), scale: 0 }
    throw new UsageError(`${token}(): not available here`)
  }

  #closed(): Decimal {
    const value = this.#expression()
    if (this.#peek() !== ")") throw new UsageError("syntax error: a parenthesis is open")
    this.#at += 1
    return value
  }

  #literal(token: string): Decimal {
    const base = BigInt(this.#number("ibase"))
    const [whole = "", part = ""] = token.split(".")
    const digits = whole + part
    if (digits.length > MAX_DIGITS) throw new UsageError("number too large")
    const value = Array.from(digits).reduce((sum, digit) => sum * base + BigInt(Number.parseInt(digit, 16)), 0n)
    return base === 10n
      ? limited(value, part.length)
      : limited((value * ten(part.length)) / base ** BigInt(part.length), part.length)
  }

  #shown({ value, scale }: Decimal): string {
    const sign = value < 0n ? "-" : ""
    const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0")
    const whole = digits.slice(0, digits.length - scale)
    const base = this.#number("obase")
    if (base !== 10) return sign + BigInt(whole).toString(base).toUpperCase()
    if (value === 0n) return "0"
    return `${sign}${whole === "0" && scale > 0 ? "" : whole}${scale > 0 ? `.${digits.slice(digits.length - scale)}` : ""}`
  }
}

const folded = (text: string): string => {
  if (text.length <= LINE + 1) return text
  return Array.from({ length: Math.ceil(text.length / LINE) }, (_, at) => text.slice(at * LINE, (at + 1) * LINE)).join(
    "\\\n",
  )
}

const bc = async (args: ReadonlyArray<string>, context: Context): Promise<ExecResult> => {
  const options = readOptions(args, { flags: "lqsi", long: { mathlib: "l", quiet: "q", standard: "s" } })
  const calculator = new Calculator(options.has("l") ? LIBRARY_SCALE : 0)
  let stderr = ""
  for (const name of [...options.operands, "-"]) {
    const source = await readInput(context, name)
    if (source.length > MAX_SOURCE) throw new UsageError("the input is too long")
    try {
      if (!calculator.run(source)) break
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      stderr += `(standard_in) 1: ${error.message}\n`
    }
  }
  return bytes(calculator.output, stderr)
}

export const bcProgram = program("bc", bc)

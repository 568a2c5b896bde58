// Parses the expressions of an awk program, from assignments to fields.
// Invariant: the meaning of `>` and `in` depends on their context: in `print a > b`, `>` writes to a file.
import { UsageError } from "../program.ts"
import type { Expression, Place } from "./program-tree.ts"
import type { Token } from "./tokens.ts"

const MAX_DEPTH = 200
const ASSIGNMENTS: ReadonlySet<string> = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^=", "**="])
const COMPARISONS: ReadonlySet<string> = new Set(["<", "<=", "==", "!=", ">", ">="])

const isPlace = (node: Expression): node is Place =>
  node.type === "variable" || node.type === "field" || node.type === "element"

export class ExpressionParser {
  readonly #tokens: ReadonlyArray<Token>
  at = 0
  #depth = 0
  /** True in the arguments of a print without parentheses, where `>` is not a comparison. */
  #prints = false
  readonly #end: Token = { type: "end", text: "", spaced: false }

  constructor(tokens: ReadonlyArray<Token>) {
    this.#tokens = tokens
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.at + ahead] ?? this.#end
  }

  next(): Token {
    this.at += 1
    return this.#tokens[this.at - 1] ?? this.#end
  }

  fail(): never {
    const line = this.#tokens.slice(0, this.at).filter(({ type }) => type === "newline").length + 1
    const { type, text } = this.peek()
    const found = type === "end" ? "end of the program" : type === "newline" ? "newline" : text
    throw new UsageError(`line ${line}: syntax error at or near ${found}`)
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return (token.type === "operator" || token.type === "keyword") && token.text === text
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false
    this.at += 1
    return true
  }

  expect(text: string): void {
    if (!this.accept(text)) this.fail()
  }

  name(): string {
    if (this.peek().type !== "name") this.fail()
    return this.next().text
  }

  newlines(): void {
    while (this.peek().type === "newline") this.at += 1
  }

  /** Skips newlines and semicolons. */
  ends(): void {
    while (this.peek().type === "newline" || this.is(";")) this.at += 1
  }

  endsHere(): boolean {
    return this.peek().type === "newline" || this.peek().type === "end" || this.is(";") || this.is("}")
  }

  deeper<A>(read: () => A): A {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new UsageError("the program is nested too deeply")
    const node = read()
    this.#depth -= 1
    return node
  }

  expression(): Expression {
    return this.deeper(() => this.#assignment())
  }

  list(close: string): ReadonlyArray<Expression> {
    const items: Array<Expression> = []
    const prints = this.#prints
    this.#prints = false
    this.newlines()
    while (!this.accept(close)) {
      if (items.length > 0) this.expect(",")
      this.newlines()
      items.push(this.expression())
      this.newlines()
    }
    this.#prints = prints
    return items
  }

  /** Parses the arguments of print: in parentheses, or up to a redirection. */
  printed(): ReadonlyArray<Expression> {
    if (this.endsHere() || this.is(">") || this.is(">>") || this.is("|")) return []
    const back = this.at
    if (this.accept("(")) {
      const args = this.list(")")
      if (this.endsHere() || this.is(">") || this.is(">>") || this.is("|")) return args
      this.at = back
    }
    this.#prints = true
    const args = [this.expression()]
    while (this.accept(",")) {
      this.newlines()
      args.push(this.expression())
    }
    this.#prints = false
    return args
  }

  /** Parses the name of a redirection's target: concatenated values without comparisons. */
  joined(): Expression {
    this.#prints = true
    const name = this.#choice()
    this.#prints = false
    return name
  }

  #assignment(): Expression {
    const left = this.#choice()
    const { type, text } = this.peek()
    if (type !== "operator" || !ASSIGNMENTS.has(text) || !isPlace(left)) return left
    this.at += 1
    this.newlines()
    const value = this.deeper(() => this.#assignment())
    return { type: "assign", operator: text === "**=" ? "^=" : text, place: left, value }
  }

  #choice(): Expression {
    const condition = this.#or()
    if (!this.accept("?")) return condition
    this.newlines()
    const yes = this.deeper(() => this.#assignment())
    this.newlines()
    this.expect(":")
    this.newlines()
    return { type: "choice", condition, yes, no: this.deeper(() => this.#assignment()) }
  }

  #or(): Expression {
    let left = this.#and()
    while (this.accept("||")) {
      this.newlines()
      left = { type: "binary", operator: "||", left, right: this.#and() }
    }
    return left
  }

  #and(): Expression {
    let left = this.#in()
    while (this.accept("&&")) {
      this.newlines()
      left = { type: "binary", operator: "&&", left, right: this.#in() }
    }
    return left
  }

  #in(): Expression {
    let left = this.#match()
    while (this.accept("in")) left = { type: "in", keys: [left], array: this.name() }
    return left
  }

  #match(): Expression {
    let left = this.#comparison()
    while (this.is("~") || this.is("!~"))
      left = { type: "binary", operator: this.next().text, left, right: this.#comparison() }
    return left
  }

  #comparison(): Expression {
    let left = this.#concatenation()
    for (;;) {
      const { type, text } = this.peek()
      if (type !== "operator" || !COMPARISONS.has(text) || (this.#prints && text === ">")) break
      this.at += 1
      left = { type: "binary", operator: text, left, right: this.#concatenation() }
    }
    // `"command" | getline` binds less tightly than concatenation, and may be an operand of a comparison.
    while (!this.#prints && this.is("|") && this.is("getline", 1)) {
      this.at += 2
      left = { type: "getline", from: "command", source: left, place: this.#optionalPlace() }
      const { type, text } = this.peek()
      if (type === "operator" && COMPARISONS.has(text)) {
        this.at += 1
        left = { type: "binary", operator: text, left, right: this.#concatenation() }
      }
    }
    return left
  }

  #beginsValue(): boolean {
    const { type, text } = this.peek()
    if (["number", "text", "pattern", "name", "call", "builtin"].includes(type)) return true
    return type === "operator" && ["$", "!", "(", "-", "+", "++", "--"].includes(text)
  }

  #concatenation(): Expression {
    let left = this.#sum()
    // A sign after a value is an operator, so it does not start a concatenated value.
    while (this.#beginsValue() && !this.is("+") && !this.is("-") && this.peek().text !== "in") {
      const right = this.#sum()
      left = { type: "binary", operator: " ", left, right }
    }
    return left
  }

  #sum(): Expression {
    let left = this.#product()
    while (this.is("+") || this.is("-"))
      left = { type: "binary", operator: this.next().text, left, right: this.#product() }
    return left
  }

  #product(): Expression {
    let left = this.#unary()
    while (this.is("*") || this.is("/") || this.is("%"))
      left = { type: "binary", operator: this.next().text, left, right: this.#unary() }
    return left
  }

  #unary(): Expression {
    for (const operator of ["!", "-", "+"] as const)
      if (this.accept(operator)) return { type: "unary", operator, body: this.deeper(() => this.#unary()) }
    return this.#power()
  }

  #power(): Expression {
    const left = this.#postfix()
    if (!this.accept("^") && !this.accept("**")) return left
    const sign = this.accept("-") ? "-" : this.accept("+") ? "+" : null
    const right = this.deeper(() => this.#power())
    return {
      type: "binary",
      operator: "^",
      left,
      right: sign === null ? right : { type: "unary", operator: sign, body: right },
    }
  }

  #postfix(): Expression {
    const node = this.#primary()
    if (!isPlace(node)) return node
    if (this.accept("++")) return { type: "step", place: node, by: 1, before: false }
    if (this.accept("--")) return { type: "step", place: node, by: -1, before: false }
    return node
  }

  #place(): Place {
    const node = this.#primary()
    return isPlace(node) ? node : this.fail()
  }

  #optionalPlace(): Place | null {
    return this.is("$") || this.peek().type === "name" ? this.#place() : null
  }

  #primary(): Expression {
    const { type, text } = this.peek()
    if (type === "number") {
      this.at += 1
      return { type: "number", value: Number(text) }
    }
    if (type === "text") {
      this.at += 1
      return { type: "text", value: text }
    }
    if (type === "pattern") {
      this.at += 1
      return { type: "pattern", source: text }
    }
    if (type === "name") return this.#named()
    if (type === "call") return this.#call()
    if (type === "builtin") return this.#builtin()
    if (this.accept("$")) return { type: "field", index: this.deeper(() => this.#fieldIndex()) }
    if (this.accept("++")) return { type: "step", place: this.#place(), by: 1, before: true }
    if (this.accept("--")) return { type: "step", place: this.#place(), by: -1, before: true }
    if (this.accept("-")) return { type: "unary", operator: "-", body: this.#unary() }
    if (this.accept("getline")) return this.#getline()
    if (this.accept("(")) return this.#group()
    return this.fail()
  }

  /** Parses the index of a field: `$i++` increments the field, but in `$++i` and `$-1` the sign belongs to the index. */
  #fieldIndex(): Expression {
    if (this.accept("-")) return { type: "unary", operator: "-", body: this.#fieldIndex() }
    return this.#primary()
  }

  #named(): Expression {
    const name = this.next().text
    if (!this.accept("[")) return { type: "variable", name }
    return { type: "element", array: name, keys: this.list("]") }
  }

  #call(): Expression {
    const name = this.next().text
    this.expect("(")
    return { type: "call", name, args: this.list(")") }
  }

  #builtin(): Expression {
    const name = this.next().text
    if (this.is("(")) {
      this.at += 1
      return { type: "builtin", name, args: this.list(")") }
    }
    if (name !== "length") this.fail()
    return { type: "builtin", name, args: [] }
  }

  #getline(): Expression {
    const place = this.#optionalPlace()
    if (!this.accept("<")) return { type: "getline", from: "main", source: null, place }
    return { type: "getline", from: "file", source: this.#postfix(), place }
  }

  #group(): Expression {
    const items = this.list(")")
    const [only] = items
    if (items.length === 1 && only !== undefined) return { type: "group", body: only }
    this.expect("in")
    return { type: "in", keys: items, array: this.name() }
  }
}

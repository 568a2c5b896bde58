// Receives the text of a jq filter; returns its syntax tree. Precedence is that of jq: `|`, then `,`, `//`, assignments, `or`,
// `and`, comparisons, sums and products.
// Invariant: unsupported syntax is an error; it is never interpreted as something else.
import type { Node, Pattern } from "./filter.ts"
import { FilterError, type Token, tokensOf } from "./tokens.ts"

const KEYWORDS: ReadonlySet<string> = new Set(
  "def if then elif else end as reduce foreach try catch label and or import include __loc__".split(" "),
)
const ASSIGNMENTS: ReadonlySet<string> = new Set(["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="])
const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="])
const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }
const MAX_DEPTH = 200

const IDENTITY: Node = { type: "identity" }
const text = (value: string): Node => ({ type: "literal", value })

class Parser {
  readonly #tokens: ReadonlyArray<Token>
  #at = 0
  #depth = 0

  constructor(tokens: ReadonlyArray<Token>) {
    this.#tokens = tokens
  }

  whole(): Node {
    const node = this.#peek().type === "end" ? IDENTITY : this.#pipe()
    if (this.#peek().type !== "end") this.#fail()
    return node
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? { type: "end", text: "" }
  }

  #fail(): never {
    const { type, text: found } = this.#peek()
    throw new FilterError(`syntax error, unexpected ${type === "end" ? "end of the filter" : `'${found}'`}`)
  }

  #is(value: string, ahead = 0): boolean {
    const { type, text: found } = this.#peek(ahead)
    return (type === "operator" || type === "name") && found === value
  }

  #accept(value: string): boolean {
    if (!this.#is(value)) return false
    this.#at += 1
    return true
  }

  #expect(value: string): void {
    if (!this.#accept(value)) this.#fail()
  }

  #take(type: Token["type"]): string {
    const token = this.#peek()
    if (token.type !== type) this.#fail()
    this.#at += 1
    return token.text
  }

  #pipe(comma = true): Node {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new FilterError("the filter is nested too deeply")
    const node = this.#piped(comma)
    this.#depth -= 1
    return node
  }

  #piped(comma: boolean): Node {
    if (this.#is("def")) return this.#definition(comma)
    if (this.#accept("label")) {
      const name = this.#take("variable")
      this.#expect("|")
      return { type: "label", name, body: this.#pipe(comma) }
    }
    const left = comma ? this.#comma() : this.#alternative()
    return this.#accept("|") ? { type: "pipe", left, right: this.#pipe(comma) } : left
  }

  #definition(comma: boolean): Node {
    this.#expect("def")
    const name = this.#take("name")
    const params: Array<string> = []
    if (this.#accept("(")) {
      do params.push(this.#peek().type === "variable" ? this.#take("variable") : this.#take("name"))
      while (this.#accept(";"))
      this.#expect(")")
    }
    this.#expect(":")
    const body = this.#pipe()
    this.#expect(";")
    return { type: "define", name, params, body, rest: this.#peek().type === "end" ? IDENTITY : this.#pipe(comma) }
  }

  #comma(): Node {
    let left = this.#alternative()
    while (this.#accept(",")) left = { type: "comma", left, right: this.#alternative() }
    return left
  }

  #alternative(): Node {
    const left = this.#assignment()
    if (this.#accept("?//"))
      return { type: "alternative", left: { type: "try", body: left, handler: null }, right: this.#alternative() }
    return this.#accept("//") ? { type: "alternative", left, right: this.#alternative() } : left
  }

  #assignment(): Node {
    const left = this.#or()
    const operator = this.#peek().text
    if (this.#peek().type !== "operator" || !ASSIGNMENTS.has(operator)) return left
    this.#at += 1
    return { type: "assign", operator, left, right: this.#alternative() }
  }

  #or(): Node {
    let left = this.#and()
    while (this.#accept("or")) left = { type: "or", left, right: this.#and() }
    return left
  }

  #and(): Node {
    let left = this.#comparison()
    while (this.#accept("and")) left = { type: "and", left, right: this.#comparison() }
    return left
  }

  #comparison(): Node {
    const left = this.#sum()
    const operator = this.#peek().text
    if (this.#peek().type !== "operator" || !COMPARISONS.has(operator)) return left
    this.#at += 1
    return { type: "compute", operator, left, right: this.#sum() }
  }

  #sum(): Node {
    let left = this.#product()
    while (this.#is("+") || this.#is("-"))
      left = { type: "compute", operator: this.#take("operator"), left, right: this.#product() }
    return left
  }

  #product(): Node {
    let left = this.#bound()
    while (this.#is("*") || this.#is("/") || this.#is("%"))
      left = { type: "compute", operator: this.#take("operator"), left, right: this.#bound() }
    return left
  }

  /** Parses a term, with `as $x | …` if that follows. */
  #bound(): Node {
    if (this.#accept("-")) return { type: "negate", body: this.#bound() }
    const source = this.#postfix()
    if (!this.#accept("as")) return source
    const patterns = this.#patterns()
    this.#expect("|")
    return { type: "bind", source, patterns, body: this.#pipe() }
  }

  #patterns(): ReadonlyArray<Pattern> {
    const patterns = [this.#pattern()]
    while (this.#accept("?//")) patterns.push(this.#pattern())
    return patterns
  }

  #pattern(): Pattern {
    if (this.#peek().type === "variable") return { type: "name", name: this.#take("variable") }
    if (this.#accept("[")) {
      const items: Array<Pattern> = []
      do items.push(this.#pattern())
      while (this.#accept(","))
      this.#expect("]")
      return { type: "items", items }
    }
    this.#expect("{")
    const fields: Array<{ key: Node; name: string | null; value: Pattern | null }> = []
    do {
      const name = this.#peek().type === "variable" ? this.#take("variable") : null
      const key = name === null ? this.#key() : text(name.slice(1))
      const value = this.#accept(":") ? this.#pattern() : null
      if (name === null && value === null) this.#fail()
      fields.push({ key, name, value })
    } while (this.#accept(","))
    this.#expect("}")
    return { type: "fields", fields }
  }

  /** Parses the key of a field: a name, a string, or a filter in parentheses. */
  #key(): Node {
    const { type } = this.#peek()
    if (type === "name") return text(this.#take("name"))
    if (type === "text" || type === "format") return this.#string()
    this.#expect("(")
    const key = this.#pipe()
    this.#expect(")")
    return key
  }

  #string(): Node {
    const format = this.#peek().type === "format" ? this.#take("format") : null
    const { parts } = this.#peek()
    if (this.#peek().type !== "text" || parts === undefined) {
      if (format === null) this.#fail()
      return { type: "format", name: format }
    }
    this.#at += 1
    const nodes = parts.map((part) => (typeof part === "string" ? part : new Parser(part).whole()))
    const [only] = nodes
    return nodes.length === 1 && typeof only === "string" ? text(only) : { type: "text", format, parts: nodes }
  }

  #postfix(): Node {
    let node = this.#term()
    for (;;) {
      if (this.#peek().type === "field") node = { type: "index", target: node, key: text(this.#take("field").slice(1)) }
      else if (this.#is(".") && this.#peek(1).type === "text") {
        this.#at += 1
        node = { type: "index", target: node, key: this.#string() }
      } else if (this.#is(".") && this.#is("[", 1)) this.#at += 1
      else if (this.#accept("[")) node = this.#bracket(node)
      else if (this.#accept("?")) node = { type: "try", body: node, handler: null }
      else return node
    }
  }

  #bracket(target: Node): Node {
    if (this.#accept("]")) return { type: "each", target }
    if (this.#accept(":")) {
      const to = this.#pipe()
      this.#expect("]")
      return { type: "slice", target, from: null, to }
    }
    const from = this.#pipe()
    if (this.#accept("]")) return { type: "index", target, key: from }
    this.#expect(":")
    if (this.#accept("]")) return { type: "slice", target, from, to: null }
    const to = this.#pipe()
    this.#expect("]")
    return { type: "slice", target, from, to }
  }

  #term(): Node {
    const { type, text: word } = this.#peek()
    if (type === "number") return { type: "literal", value: Number(this.#take("number")) }
    if (type === "text" || type === "format") return this.#string()
    if (type === "field") return { type: "index", target: IDENTITY, key: text(this.#take("field").slice(1)) }
    if (type === "variable") return { type: "variable", name: this.#take("variable") }
    if (type === "name" && (!KEYWORDS.has(word) || word === "__loc__")) return this.#call()
    if (this.#accept("..")) return { type: "call", name: "recurse", args: [] }
    if (this.#is(".")) {
      this.#at += 1
      return this.#peek().type === "text" ? { type: "index", target: IDENTITY, key: this.#string() } : IDENTITY
    }
    if (this.#accept("(")) {
      const node = this.#pipe()
      this.#expect(")")
      return node
    }
    if (this.#accept("[")) {
      const body = this.#is("]") ? null : this.#pipe()
      this.#expect("]")
      return { type: "array", body }
    }
    if (this.#accept("{")) return this.#object()
    if (this.#accept("if")) return this.#condition()
    if (this.#accept("try")) {
      const body = this.#postfix()
      return { type: "try", body, handler: this.#accept("catch") ? this.#postfix() : null }
    }
    if (this.#is("reduce") || this.#is("foreach")) return this.#fold()
    return this.#fail()
  }

  #call(): Node {
    const name = this.#take("name")
    if (Object.hasOwn(CONSTANTS, name)) return { type: "literal", value: CONSTANTS[name] ?? null }
    if (name === "break") return { type: "break", name: this.#take("variable") }
    const args: Array<Node> = []
    if (this.#accept("(")) {
      do args.push(this.#pipe())
      while (this.#accept(";"))
      this.#expect(")")
    }
    return { type: "call", name, args }
  }

  #condition(): Node {
    const condition = this.#pipe()
    this.#expect("then")
    const yes = this.#pipe()
    if (this.#accept("elif")) return { type: "if", condition, yes, otherwise: this.#condition() }
    const otherwise = this.#accept("else") ? this.#pipe() : null
    this.#expect("end")
    return { type: "if", condition, yes, otherwise }
  }

  #fold(): Node {
    const reduces = this.#take("name") === "reduce"
    const source = this.#postfix()
    this.#expect("as")
    const patterns = this.#patterns()
    this.#expect("(")
    const start = this.#pipe()
    this.#expect(";")
    const update = this.#pipe()
    const extract = !reduces && this.#accept(";") ? this.#pipe() : null
    this.#expect(")")
    if (reduces) return { type: "reduce", source, patterns, start, update }
    return { type: "foreach", source, patterns, start, update, extract }
  }

  #object(): Node {
    const fields: Array<readonly [Node, Node]> = []
    while (!this.#accept("}")) {
      fields.push(this.#field())
      if (!this.#is("}")) this.#expect(",")
    }
    return { type: "object", fields }
  }

  #field(): readonly [Node, Node] {
    if (this.#peek().type === "variable") {
      const name = this.#take("variable")
      const key = text(name === "$__loc__" ? "__loc__" : name.slice(1))
      return [key, this.#accept(":") ? this.#pipe(false) : { type: "variable", name }]
    }
    const number = this.#peek().type === "number"
    const key = number ? text(this.#take("number")) : this.#key()
    if (this.#accept(":")) return [key, this.#pipe(false)]
    return [key, { type: "index", target: IDENTITY, key }]
  }
}

export const parseFilter = (source: string): Node => new Parser(tokensOf(source)).whole()

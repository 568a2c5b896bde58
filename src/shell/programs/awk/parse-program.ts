// Receives the text of an awk program; returns its syntax tree. Precedence is that of POSIX awk, from `?:` to `$`.
// Invariant: unsupported syntax is an error; it is never interpreted as something else.
import { UsageError } from "../program.ts"
import type { AwkProgram, Definition, Expression, Output, Rule, Statement } from "./program-tree.ts"
import { ExpressionParser } from "./parse-expression.ts"
import { tokensOf } from "./tokens.ts"

class Parser extends ExpressionParser {
  program(): AwkProgram {
    const begin: Array<Statement> = []
    const end: Array<Statement> = []
    const rules: Array<Rule> = []
    const functions = new Map<string, Definition>()
    this.ends()
    while (this.peek().type !== "end") {
      if (this.accept("BEGIN")) begin.push(this.#block())
      else if (this.accept("END")) end.push(this.#block())
      else if (this.accept("function") || this.accept("func")) functions.set(...this.#definition())
      else rules.push(this.#rule())
      this.ends()
    }
    return { begin, rules, end, functions }
  }

  #definition(): readonly [string, Definition] {
    const { type, text: name } = this.next()
    if (type !== "name" && type !== "call") this.fail()
    this.expect("(")
    const params: Array<string> = []
    while (!this.accept(")")) {
      if (params.length > 0) this.expect(",")
      this.newlines()
      params.push(this.name())
    }
    this.newlines()
    return [name, { params, body: this.#block() }]
  }

  #rule(): Rule {
    const patterns: Array<Expression> = []
    if (!this.is("{")) {
      patterns.push(this.expression())
      if (this.accept(",")) {
        this.newlines()
        patterns.push(this.expression())
      }
    }
    return { patterns, action: this.is("{") ? this.#block() : null }
  }

  #block(): Statement {
    this.expect("{")
    const body: Array<Statement> = []
    this.ends()
    while (!this.accept("}")) {
      body.push(this.#statement())
      this.ends()
    }
    return { type: "block", body }
  }

  /** Parses the body of a loop or a branch, which may be on the next line or empty. */
  #body(): Statement {
    this.newlines()
    if (this.accept(";")) return { type: "block", body: [] }
    return this.#statement()
  }

  #statement(): Statement {
    return this.deeper(() => {
      if (this.is("{")) return this.#block()
      if (this.accept("if")) return this.#if()
      if (this.accept("while")) return { type: "while", condition: this.#condition(), body: this.#body(), after: false }
      if (this.accept("do")) return this.#do()
      if (this.accept("for")) return this.#for()
      const simple = this.#simple()
      if (!this.is("}") && !this.accept(";") && this.peek().type !== "newline" && this.peek().type !== "end")
        this.fail()
      return simple
    })
  }

  #condition(): Expression {
    this.expect("(")
    const condition = this.expression()
    this.expect(")")
    return condition
  }

  #if(): Statement {
    const condition = this.#condition()
    const yes = this.#body()
    const back = this.at
    this.ends()
    if (this.accept("else")) return { type: "if", condition, yes, no: this.#body() }
    this.at = back
    return { type: "if", condition, yes, no: null }
  }

  #do(): Statement {
    const body = this.#body()
    this.ends()
    this.expect("while")
    return { type: "while", condition: this.#condition(), body, after: true }
  }

  #for(): Statement {
    this.expect("(")
    const [name, word, array, close] = [0, 1, 2, 3].map((ahead) => this.peek(ahead))
    if (name?.type === "name" && word?.text === "in" && array?.type === "name" && close?.text === ")") {
      this.at += 4
      return { type: "each", name: name.text, array: array.text, body: this.#body() }
    }
    const start = this.is(";") ? null : this.#simple()
    this.expect(";")
    this.newlines()
    const condition = this.is(";") ? null : this.expression()
    this.expect(";")
    this.newlines()
    const step = this.is(")") ? null : this.#simple()
    this.expect(")")
    return { type: "for", start, condition, step, body: this.#body() }
  }

  #simple(): Statement {
    if (this.accept("print")) return this.#print(false)
    if (this.accept("printf")) return this.#print(true)
    if (this.accept("delete")) return this.#delete()
    for (const type of ["break", "continue", "next", "nextfile"] as const) if (this.accept(type)) return { type }
    for (const type of ["exit", "return"] as const)
      if (this.accept(type)) return { type, value: this.endsHere() ? null : this.expression() }
    return { type: "expression", body: this.expression() }
  }

  #delete(): Statement {
    const array = this.name()
    if (!this.accept("[")) return { type: "delete", array, keys: null }
    const keys = this.list("]")
    return { type: "delete", array, keys }
  }

  #print(formatted: boolean): Statement {
    const args = this.printed()
    return { type: "print", formatted, args, output: this.#output() }
  }

  #output(): Output | null {
    for (const to of [">>", ">", "|"] as const) if (this.accept(to)) return { to, name: this.joined() }
    return null
  }
}

export const parseAwk = (source: string): AwkProgram => {
  const parser = new Parser(tokensOf(source))
  try {
    return parser.program()
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError("the program is nested too deeply")
    throw error
  }
}

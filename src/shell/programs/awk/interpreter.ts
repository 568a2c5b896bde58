// Runs the statements and expressions of an awk program. Asynchronous work (a file, a command) is requested from the caller.
// Invariant: every program ends: its steps, the depth of its calls and the sizes of its values are limited.
import { UsageError } from "../program.ts"
import { ProgramSteps } from "../../program-steps.ts"
import { usesAsArray } from "./array-params.ts"
import { builtin } from "./builtins.ts"
import type { Cell, Memory } from "./machine.ts"
import type { AwkProgram, Definition, Expression, Output, Place, Statement } from "./program-tree.ts"
import { RecordReader } from "./records.ts"
import {
  arithmetic,
  compare,
  formatted,
  given,
  isTrue,
  limited,
  numberOf,
  patternOf,
  textOf,
  type Value,
} from "./values.ts"

/** A request that the program waits for: the text of a file or command, a record, or an exit code. The answer may be null. */
export interface Request {
  readonly type: "file" | "command" | "record" | "system" | "close"
  readonly name: string
}

export type Waiting<A> = Generator<Request, A, string | null>

/** Receives the text that the program prints to a file or command, or to standard output if `name` is null. */
export type Print = (text: string, name: string | null, to: Output["to"]) => void

export type End =
  | { readonly type: "break" | "continue" | "next" | "nextfile" }
  | { readonly type: "exit" | "return"; readonly value: Value }

const MAX_CALLS = 200

export class Interpreter {
  readonly memory: Memory
  readonly #functions: ReadonlyMap<string, Definition>
  readonly #print: Print
  readonly steps: ProgramSteps
  readonly #readers = new Map<string, RecordReader>()
  #seed = 0
  #random = 1
  readonly #written = new Set<string>()

  constructor({ functions }: AwkProgram, memory: Memory, print: Print, tick: () => void) {
    this.memory = memory
    this.#functions = functions
    this.#print = print
    this.steps = new ProgramSteps(tick, (most) => new UsageError(`maximum iterations exceeded (${most})`))
    memory.spendsReads(this.steps.reads)
  }

  text(value: Value): string {
    return typeof value === "number" ? textOf(value, this.memory.text("CONVFMT")) : textOf(value)
  }

  *run(statement: Statement): Waiting<End | null> {
    this.steps.text(this.memory.takeWork())
    this.steps.take()
    switch (statement.type) {
      case "expression":
        yield* this.value(statement.body)
        return null
      case "print":
        return yield* this.#printed(statement)
      case "block":
        for (const inner of statement.body) {
          const end = yield* this.run(inner)
          if (end !== null) return end
        }
        return null
      case "if":
        if (isTrue(yield* this.value(statement.condition))) return yield* this.run(statement.yes)
        return statement.no === null ? null : yield* this.run(statement.no)
      case "while":
        for (let first = statement.after; first || isTrue(yield* this.value(statement.condition)); first = false) {
          const end = yield* this.run(statement.body)
          if (end?.type === "break") break
          if (end !== null && end.type !== "continue") return end
        }
        return null
      case "for":
        return yield* this.#for(statement)
      case "each":
        for (const key of Array.from(this.memory.array(statement.array).keys())) {
          this.memory.set(statement.name, given(key))
          const end = yield* this.run(statement.body)
          if (end?.type === "break") break
          if (end !== null && end.type !== "continue") return end
        }
        return null
      case "delete":
        if (statement.keys === null) this.memory.array(statement.array).clear()
        else this.memory.array(statement.array).delete(yield* this.#key(statement.keys))
        return null
      case "exit":
      case "return":
        return {
          type: statement.type,
          value: statement.value === null ? undefined : yield* this.value(statement.value),
        }
      default:
        return { type: statement.type }
    }
  }

  *#for({ start, condition, step, body }: Extract<Statement, { type: "for" }>): Waiting<End | null> {
    if (start !== null) yield* this.run(start)
    while (condition === null || isTrue(yield* this.value(condition))) {
      const end = yield* this.run(body)
      if (end?.type === "break") break
      if (end !== null && end.type !== "continue") return end
      if (step !== null) yield* this.run(step)
    }
    return null
  }

  *#printed({ formatted: hasFormat, args, output }: Extract<Statement, { type: "print" }>): Waiting<null> {
    const values: Array<Value> = []
    for (const arg of args) values.push(yield* this.value(arg))
    const { memory } = this
    const shown = (value: Value) => textOf(value, memory.text("OFMT"))
    const text = hasFormat
      ? formatted(this.text(values[0]), values.slice(1))
      : (args.length === 0 ? textOf(memory.field(0)) : values.map(shown).join(memory.text("OFS"))) + memory.text("ORS")
    if (output === null) this.#print(text, null, ">")
    else {
      const name = this.text(yield* this.value(output.name))
      // `>` empties a file at the first write only.
      this.#print(text, name, output.to === ">" && this.#written.has(name) ? ">>" : output.to)
      this.#written.add(name)
    }
    return null
  }

  *#key(keys: ReadonlyArray<Expression>): Waiting<string> {
    const parts: Array<string> = []
    for (const key of keys) parts.push(this.text(yield* this.value(key)))
    return parts.length === 1 ? (parts[0] ?? "") : parts.join(this.memory.text("SUBSEP"))
  }

  *value(node: Expression): Waiting<Value> {
    switch (node.type) {
      case "number":
      case "text":
        return node.value
      case "pattern":
        return patternOf(node.source)
          .matcher(textOf(this.memory.field(0)))
          .find()
          ? 1
          : 0
      case "variable":
        return this.memory.get(node.name)
      case "field":
        return this.memory.field(Math.trunc(numberOf(yield* this.value(node.index))))
      case "element": {
        const key = yield* this.#key(node.keys)
        const array = this.memory.array(node.array)
        // Reading an element creates it.
        if (!array.has(key)) array.set(key, undefined)
        return array.get(key)
      }
      case "group":
        return yield* this.value(node.body)
      case "assign":
        return yield* this.#assign(node)
      case "step": {
        const old = numberOf(yield* this.value(node.place))
        yield* this.set(node.place, old + node.by)
        return node.before ? old + node.by : old
      }
      case "unary": {
        const value = yield* this.value(node.body)
        return node.operator === "!"
          ? isTrue(value)
            ? 0
            : 1
          : node.operator === "-"
            ? -numberOf(value)
            : numberOf(value)
      }
      case "binary":
        return yield* this.#binary(node)
      case "choice":
        return yield* this.value(isTrue(yield* this.value(node.condition)) ? node.yes : node.no)
      case "in":
        return this.memory.array(node.array).has(yield* this.#key(node.keys)) ? 1 : 0
      case "call":
        return yield* this.#call(node.name, node.args)
      case "builtin":
        return yield* builtin(this, node.name, node.args)
      case "getline":
        return yield* this.#getline(node)
    }
  }

  *set(place: Place, value: Value): Waiting<void> {
    if (place.type === "variable") this.memory.set(place.name, value)
    else if (place.type === "field")
      this.memory.setField(
        Math.trunc(numberOf(yield* this.value(place.index))),
        typeof value === "number" ? this.text(value) : value,
      )
    else this.memory.array(place.array).set(yield* this.#key(place.keys), value)
  }

  *#assign({ operator, place, value: node }: Extract<Expression, { type: "assign" }>): Waiting<Value> {
    let value = yield* this.value(node)
    if (operator !== "=") value = arithmetic(operator.slice(0, -1), numberOf(yield* this.value(place)), numberOf(value))
    yield* this.set(place, value)
    return value
  }

  *#matches(pattern: Expression, text: string): Waiting<boolean> {
    return patternOf(yield* this.source(pattern))
      .matcher(text)
      .find()
  }

  /** The source of a pattern: a pattern literal, or the value of an expression. */
  *source(node: Expression): Waiting<string> {
    return node.type === "pattern" ? node.source : this.text(yield* this.value(node))
  }

  *#binary({ operator, left: first, right: second }: Extract<Expression, { type: "binary" }>): Waiting<Value> {
    const left = yield* this.value(first)
    if (operator === "&&") return isTrue(left) && isTrue(yield* this.value(second)) ? 1 : 0
    if (operator === "||") return isTrue(left) || isTrue(yield* this.value(second)) ? 1 : 0
    if (operator === "~" || operator === "!~")
      return (yield* this.#matches(second, this.text(left))) === (operator === "~") ? 1 : 0
    const right = yield* this.value(second)
    if (operator === " ") return this.#joined(this.text(left), this.text(right))
    if (!/[<>=]/.test(operator)) return arithmetic(operator, numberOf(left), numberOf(right))
    const order = compare(left, right, this.memory.text("CONVFMT"))
    const holds =
      operator === "=="
        ? order === 0
        : operator === "!="
          ? order !== 0
          : operator === "<"
            ? order < 0
            : operator === "<="
              ? order <= 0
              : operator === ">"
                ? order > 0
                : order >= 0
    return holds ? 1 : 0
  }

  /** Concatenates two texts. Counts the shorter one: only that is copied. */
  #joined(left: string, right: string): string {
    this.steps.text(Math.min(left.length, right.length))
    return limited(left + right)
  }

  *#call(name: string, args: ReadonlyArray<Expression>): Waiting<Value> {
    const definition = this.#functions.get(name)
    if (definition === undefined) throw new UsageError(`function ${name} never defined`)
    if (args.length > definition.params.length)
      throw new UsageError(`function ${name} is called with more arguments than it has`)
    if (this.memory.depth >= MAX_CALLS) throw new UsageError(`recursion depth exceeded (${MAX_CALLS})`)
    const frame = new Map<string, Cell>()
    for (const [at, param] of definition.params.entries()) {
      const arg = args[at]
      // Arrays are passed by reference, and so are variables that may become arrays.
      const cell = arg?.type === "variable" ? this.memory.cell(arg.name) : null
      if (
        cell !== null &&
        (cell.value instanceof Map ||
          (cell.value === undefined && usesAsArray(definition.body, param, this.#functions)))
      )
        frame.set(param, cell)
      else frame.set(param, { value: arg === undefined ? undefined : yield* this.value(arg) })
    }
    this.memory.enter(frame)
    let end: End | null
    try {
      end = yield* this.run(definition.body)
    } finally {
      this.memory.leave()
    }
    if (end?.type === "return") return end.value
    if (end !== null && end.type !== "break" && end.type !== "continue") throw new Ended(end)
    return undefined
  }

  *#getline({ from, source, place }: Extract<Expression, { type: "getline" }>): Waiting<Value> {
    let record: string | null
    if (from === "main") record = yield { type: "record", name: "" }
    else {
      const name = source === null ? "" : this.text(yield* this.value(source))
      const key = `${from}:${name}`
      if (!this.#readers.has(key)) {
        const text = yield { type: from, name }
        if (text === null) return -1
        this.#readers.set(key, new RecordReader(text, this.steps.reads))
      }
      record = this.#readers.get(key)?.next(this.memory.text("RS")) ?? null
    }
    if (record === null) return 0
    if (from !== "file") this.counted(from === "main")
    if (place === null) this.memory.setRecord(record)
    else yield* this.set(place, given(record))
    return 1
  }

  /** Closes a file or command by its name; returns false if it was not open. */
  closes(name: string): boolean {
    const reads = ["file", "command"].filter((from) => this.#readers.delete(`${from}:${name}`))
    return this.#written.delete(name) || reads.length > 0
  }

  /** Sets the seed of the random numbers; returns the previous seed. */
  seeded(seed: number): number {
    const before = this.#seed
    this.#seed = seed
    this.#random = Math.trunc(seed) >>> 0 || 1
    return before
  }

  random(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
    return this.#random / 2 ** 32
  }

  /** Counts a record in NR and, if `ofFile` is true, in FNR. */
  counted(ofFile: boolean): void {
    this.memory.set("NR", numberOf(this.memory.get("NR")) + 1)
    if (ofFile) this.memory.set("FNR", numberOf(this.memory.get("FNR")) + 1)
  }
}

/** Thrown for an `exit` or `next` inside a function. */
export class Ended extends Error {
  readonly end: End

  constructor(end: End) {
    super(end.type)
    this.end = end
  }
}

// The functions of awk that change variables, arrays or the state of the run, or take patterns.
// Invariant: an argument that is a place is evaluated when it is read, and again when it is set.
import { UsageError } from "../program.ts"
import { FUNCTIONS, lengthOf, substituted } from "./functions.ts"
import type { Interpreter, Waiting } from "./interpreter.ts"
import type { AwkArray } from "./machine.ts"
import type { Expression, Place } from "./program-tree.ts"
import { splitBy } from "./records.ts"
import { compare, given, numberOf, patternOf, textOf, type Value } from "./values.ts"

const filled = (array: AwkArray, values: ReadonlyArray<Value>): number => {
  array.clear()
  values.forEach((value, at) => array.set(String(at + 1), typeof value === "string" ? given(value) : value))
  return values.length
}

const isPlace = (node: Expression): node is Place =>
  node.type === "variable" || node.type === "field" || node.type === "element"

/** The text of an argument; long texts are counted as work. */
function* counted(machine: Interpreter, node: Expression): Waiting<string> {
  const text = machine.text(yield* machine.value(node))
  machine.steps.text(text.length)
  return text
}

export function* builtin(machine: Interpreter, name: string, args: ReadonlyArray<Expression>): Waiting<Value> {
  const [first, second, third, fourth] = args
  switch (name) {
    case "length": {
      if (first === undefined) return lengthOf(textOf(machine.memory.field(0)))
      if (first.type === "variable" && machine.memory.cell(first.name).value instanceof Map)
        return machine.memory.array(first.name).size
      return lengthOf(machine.text(yield* machine.value(first)))
    }
    case "split": {
      if (first === undefined || second?.type !== "variable") throw new UsageError("split needs a string and an array")
      const text = yield* counted(machine, first)
      const separator = third === undefined ? machine.memory.text("FS") : yield* machine.source(third)
      return filled(machine.memory.array(second.name), splitBy(text, separator, machine.steps.reads))
    }
    case "sub":
    case "gsub": {
      if (first === undefined || second === undefined) throw new UsageError(`${name} needs a pattern and a replacement`)
      const place: Place =
        third !== undefined && isPlace(third) ? third : { type: "field", index: { type: "number", value: 0 } }
      const source = yield* machine.source(first)
      const by = machine.text(yield* machine.value(second))
      const old =
        third === undefined || isPlace(third) ? yield* counted(machine, place) : yield* counted(machine, third)
      const { text, count } = substituted(source, by, old, name === "gsub" ? "all" : 1, machine.steps.reads)
      if (count > 0 && (third === undefined || isPlace(third))) yield* machine.set(place, text)
      return count
    }
    case "gensub": {
      if (first === undefined || second === undefined || third === undefined)
        throw new UsageError("gensub needs three arguments")
      const source = yield* machine.source(first)
      const by = machine.text(yield* machine.value(second))
      const which = machine.text(yield* machine.value(third))
      const text = fourth === undefined ? textOf(machine.memory.field(0)) : machine.text(yield* machine.value(fourth))
      const at = /^[gG]/.test(which) ? "all" : Math.max(1, numberOf(which))
      return substituted(source, by, text, at, machine.steps.reads, true).text
    }
    case "match": {
      if (first === undefined || second === undefined) throw new UsageError("match needs a string and a pattern")
      const text = yield* counted(machine, first)
      const matcher = patternOf(yield* machine.source(second)).matcher(text)
      const found = matcher.find()
      const start = found ? lengthOf(text.slice(0, matcher.start())) + 1 : 0
      machine.memory.set("RSTART", start)
      machine.memory.set("RLENGTH", found ? lengthOf(matcher.group() ?? "") : -1)
      if (third?.type === "variable") {
        const array = machine.memory.array(third.name)
        array.clear()
        if (found)
          for (let at = 0; at <= matcher.groupCount(); at += 1) array.set(String(at), given(matcher.group(at) ?? ""))
      }
      return start
    }
    case "srand": {
      return machine.seeded(first === undefined ? Math.floor(Date.now() / 1000) : numberOf(yield* machine.value(first)))
    }
    case "rand":
      return machine.random()
    case "close": {
      if (first === undefined) return -1
      const closed = machine.text(yield* machine.value(first))
      const code = yield { type: "close", name: closed }
      return machine.closes(closed) ? Number(code ?? 0) : -1
    }
    case "asort":
    case "asorti": {
      if (first?.type !== "variable") throw new UsageError(`${name} needs an array`)
      const array = machine.memory.array(first.name)
      const values = name === "asort" ? Array.from(array.values()) : Array.from(array.keys())
      values.sort((left, right) => compare(left, right, "%.6g"))
      return filled(second?.type === "variable" ? machine.memory.array(second.name) : array, values)
    }
    case "system":
      return Number((yield { type: "system", name: first === undefined ? "" : yield* counted(machine, first) }) ?? 0)
    default: {
      const values: Array<Value> = []
      for (const arg of args) values.push(yield* machine.value(arg))
      for (const value of values) if (typeof value === "string") machine.steps.text(value.length)
      const plain = FUNCTIONS[name]
      if (plain === undefined) throw new UsageError(`function ${name} is not supported`)
      return plain(values, machine.memory.text("CONVFMT"))
    }
  }
}

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

type Builtin = (machine: Interpreter, args: ReadonlyArray<Expression>, name: string) => Waiting<Value>

function* length(machine: Interpreter, [first]: ReadonlyArray<Expression>): Waiting<Value> {
  if (first === undefined) return lengthOf(textOf(machine.memory.field(0)))
  if (first.type === "variable" && machine.memory.cell(first.name).value instanceof Map)
    return machine.memory.array(first.name).size
  return lengthOf(machine.text(yield* machine.value(first)))
}

function* split(machine: Interpreter, [first, second, third]: ReadonlyArray<Expression>): Waiting<Value> {
  if (first === undefined || second?.type !== "variable") throw new UsageError("split needs a string and an array")
  const text = yield* counted(machine, first)
  const separator = third === undefined ? machine.memory.text("FS") : yield* machine.source(third)
  return filled(machine.memory.array(second.name), splitBy(text, separator, machine.steps.reads))
}

/** `sub` and `gsub`. A third argument that is no place is only searched. */
function* substitute(machine: Interpreter, args: ReadonlyArray<Expression>, name: string): Waiting<Value> {
  const [first, second, third] = args
  if (first === undefined || second === undefined) throw new UsageError(`${name} needs a pattern and a replacement`)
  const target = third ?? WHOLE_RECORD
  const source = yield* machine.source(first)
  const by = machine.text(yield* machine.value(second))
  const old = yield* counted(machine, target)
  const { text, count } = substituted({ source, by, text: old }, name === "gsub" ? "all" : 1, machine.steps.reads)
  if (count > 0 && isPlace(target)) yield* machine.set(target, text)
  return count
}

const WHOLE_RECORD: Place = { type: "field", index: { type: "number", value: 0 } }

function* gensub(machine: Interpreter, [first, second, third, fourth]: ReadonlyArray<Expression>): Waiting<Value> {
  if (first === undefined || second === undefined || third === undefined)
    throw new UsageError("gensub needs three arguments")
  const source = yield* machine.source(first)
  const by = machine.text(yield* machine.value(second))
  const which = machine.text(yield* machine.value(third))
  const text = fourth === undefined ? textOf(machine.memory.field(0)) : machine.text(yield* machine.value(fourth))
  const at = /^[gG]/.test(which) ? "all" : Math.max(1, numberOf(which))
  return substituted({ source, by, text, numbered: true }, at, machine.steps.reads).text
}

function* match(machine: Interpreter, [first, second, third]: ReadonlyArray<Expression>): Waiting<Value> {
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

function* srand(machine: Interpreter, [first]: ReadonlyArray<Expression>): Waiting<Value> {
  return machine.seeded(first === undefined ? Math.floor(Date.now() / 1000) : numberOf(yield* machine.value(first)))
}

function* close(machine: Interpreter, [first]: ReadonlyArray<Expression>): Waiting<Value> {
  if (first === undefined) return -1
  const name = machine.text(yield* machine.value(first))
  const code = yield { type: "close", name }
  return machine.closes(name) ? Number(code ?? 0) : -1
}

/** `asort` and `asorti`, which sort the values or the keys of an array into it, or into another one. */
const sorted = (machine: Interpreter, args: ReadonlyArray<Expression>, name: string): Value => {
  const [first, second] = args
  if (first?.type !== "variable") throw new UsageError(`${name} needs an array`)
  const array = machine.memory.array(first.name)
  const values = name === "asort" ? Array.from(array.values()) : Array.from(array.keys())
  values.sort((left, right) => compare(left, right, "%.6g"))
  return filled(second?.type === "variable" ? machine.memory.array(second.name) : array, values)
}

function* system(machine: Interpreter, [first]: ReadonlyArray<Expression>): Waiting<Value> {
  return Number((yield { type: "system", name: first === undefined ? "" : yield* counted(machine, first) }) ?? 0)
}

/** The functions that need only the values of their arguments. */
function* plain(machine: Interpreter, args: ReadonlyArray<Expression>, name: string): Waiting<Value> {
  const values: Array<Value> = []
  for (const arg of args) values.push(yield* machine.value(arg))
  for (const value of values) if (typeof value === "string") machine.steps.text(value.length)
  const compute = FUNCTIONS[name]
  if (compute === undefined) throw new UsageError(`function ${name} is not supported`)
  return compute(values, machine.memory.text("CONVFMT"))
}

const OWN: Readonly<Record<string, Builtin | undefined>> = {
  length,
  split,
  sub: substitute,
  gsub: substitute,
  gensub,
  match,
  srand,
  close,
  system,
}

/** Calls one of the functions that `BUILTINS` names. */
export function* builtin(machine: Interpreter, name: string, args: ReadonlyArray<Expression>): Waiting<Value> {
  if (name === "rand") return machine.random()
  if (name === "asort" || name === "asorti") return sorted(machine, args, name)
  return yield* (OWN[name] ?? plain)(machine, args, name)
}

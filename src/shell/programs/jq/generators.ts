// The functions of jq that take filters, or depend on the run: paths, limits, inputs, matches.
// Invariant: every repetition is counted, so that it ends.
import { FORMATS } from "./formats.ts"
import { byKey, FUNCTIONS } from "./functions.ts"
import { compareJson, isArray, isObject, type Json, writeJson } from "./json.ts"
import { type Match, matchesOf } from "./matches.ts"
import { getPath, LimitError, limitedText, MAX_ELEMENTS, raise, RaisedError, sizeOf } from "./paths.ts"
import { computed, isTrue, type Item, type Items } from "./item.ts"
import type { Argument, BuiltIn, Machine } from "./run.ts"

/** The facilities of the program that runs a filter. */
export interface Host {
  readonly inputs: Iterator<Json>
  readonly filename: () => string | null
  readonly env: Json
  readonly seconds: () => number
  /** Receives the output of `debug` and `stderr`. */
  readonly print: (text: string) => void
}

/** Thrown to end the program. */
export class Halted extends Error {
  readonly exitCode: number
  readonly value: Json | undefined

  constructor(exitCode: number, value?: Json) {
    super("halted")
    this.exitCode = exitCode
    this.value = value
  }
}

function* valuesOf(argument: Argument | undefined, { value }: Item): Generator<Json> {
  if (argument === undefined) return yield null
  for (const item of argument({ value, path: null })) yield item.value
}

/** Every combination of the values of the arguments; the first argument varies slowest. */
function* combined(args: ReadonlyArray<Argument>, input: Item): Generator<ReadonlyArray<Json>> {
  const [first, ...rest] = args
  if (first === undefined) return yield []
  for (const value of valuesOf(first, input)) for (const others of combined(rest, input)) yield [value, ...others]
}

const numberOf = (value: Json, name: string): number =>
  typeof value === "number" ? value : raise(`${name} must be numeric`)

function* range(machine: Machine, input: Item, args: ReadonlyArray<Argument>): Items {
  for (const [from = null, to = null, by = 1] of combined(args, input)) {
    const [start, end, step] = [from, to, by].map((bound) => numberOf(bound, "Range bounds"))
    if (start === undefined || end === undefined || step === undefined) return
    if (step === 0 && start < end) throw new LimitError("too many iterations: a range without a step")
    for (let at = start; step > 0 ? at < end : at > end; at += step) yield computed(at, input)
  }
  machine.step()
}

function* descended(machine: Machine, item: Item): Items {
  machine.step()
  yield item
  if (isArray(item.value) || isObject(item.value))
    for (const inner of machine.each(item)) yield* descended(machine, inner)
}

function* limited(_: Machine, input: Item, [count, body]: ReadonlyArray<Argument>): Items {
  for (const value of valuesOf(count, input)) {
    let left = numberOf(value, "limit")
    if (left <= 0 || body === undefined) continue
    for (const item of body(input)) {
      yield item
      left -= 1
      if (left <= 0) break
    }
  }
}

function* skipped(_: Machine, input: Item, [count, body]: ReadonlyArray<Argument>): Items {
  for (const value of valuesOf(count, input)) {
    let left = numberOf(value, "skip")
    if (body === undefined) return
    for (const item of body(input)) if (--left < 0) yield item
  }
}

/** The loop of `while`, `until` and `repeat`, depth first: each result is processed to its end before the next one. */
function* repeated(machine: Machine, start: Item, update: Argument): Items {
  const pending = [start]
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    machine.step()
    yield item
    const next = Array.from(update(item))
    if (pending.length + next.length > MAX_ELEMENTS) throw new LimitError("array element limit exceeded")
    pending.push(...next.toReversed())
  }
}

/** As in jq 1.6, the output of `repeat` starts with the first result of the update, not with the input. */
function* repeats(machine: Machine, input: Item, [update]: ReadonlyArray<Argument>): Items {
  if (update !== undefined) for (const first of update(input)) yield* repeated(machine, first, update)
}

function* whiles(machine: Machine, input: Item, [condition, update]: ReadonlyArray<Argument>): Items {
  const go = function* (item: Item): Items {
    for (const holds of valuesOf(condition, item)) if (isTrue(holds)) yield item
  }
  const inner = function* (item: Item): Items {
    if (update !== undefined) for (const next of update(item)) yield* go(next)
  }
  for (const first of go(input)) yield* repeated(machine, first, inner)
}

function* until(machine: Machine, input: Item, [condition, update]: ReadonlyArray<Argument>): Items {
  const holds = (item: Item): boolean => {
    for (const value of valuesOf(condition, item)) return isTrue(value)
    return true
  }
  const inner = function* (item: Item): Items {
    if (update !== undefined && !holds(item)) yield* update(item)
  }
  for (const item of repeated(machine, input, inner)) if (holds(item)) yield item
}

/** The text with each match replaced by the filter's result for its named groups; one text per combination of results. */
function* substituted(machine: Machine, input: Item, [pattern, replace, flags]: ReadonlyArray<Argument>): Items {
  const { value } = input
  for (const [given = null, modifiers = null] of combined(
    [pattern, flags].filter((arg) => arg !== undefined),
    input,
  )) {
    machine.copied(sizeOf(value))
    const matches = matchesOf(value, given, modifiers, machine.reads)
    // `matchesOf` has checked that the value is a string.
    for (const text of replaced(String(value), matches, replace)) yield computed(limitedText(text), input)
  }
}

function* replaced(text: string, matches: ReadonlyArray<Match>, replace: Argument | undefined): Generator<string> {
  let made = [""]
  let end = 0
  for (const match of matches) {
    const between = text.slice(end, match.start)
    const pieces: Array<string> = []
    if (replace !== undefined)
      for (const { value } of replace({ value: match.captures, path: null }))
        pieces.push(typeof value === "string" ? value : raise(`${writeJson(value)} cannot be added to a string`))
    made = pieces.flatMap((piece) => made.map((before) => before + between + piece))
    if (made.length > 10_000) throw new LimitError("array element limit exceeded")
    end = match.end
  }
  for (const before of made) yield before + text.slice(end)
}

const matching = (shown: (match: Match, input: Item) => Json): BuiltIn =>
  function* (machine, input, args) {
    for (const [pattern = null, flags = null] of combined(args, input)) {
      const [given, modifiers = null] = isArray(pattern) ? pattern : [pattern, flags]
      machine.copied(sizeOf(input.value))
      for (const match of matchesOf(input.value, given ?? null, modifiers, machine.reads)) {
        machine.step()
        yield computed(shown(match, input), input)
      }
    }
  }

const each = (of: (input: Json, args: ReadonlyArray<Json>, machine: Machine) => Json): BuiltIn =>
  function* (machine, input, args) {
    for (const given of combined(args, input)) {
      machine.copied(sizeOf(input.value))
      yield computed(of(input.value, given, machine), input)
    }
  }

const splitBy = (value: Json, [pattern = null, flags = null]: ReadonlyArray<Json>, machine: Machine): Json => {
  const matches = matchesOf(value, pattern, `g${typeof flags === "string" ? flags : ""}`, machine.reads)
  const pieces: Array<string> = []
  let end = 0
  for (const match of matches) {
    pieces.push(String(value).slice(end, match.start))
    end = match.end
  }
  return [...pieces, String(value).slice(end)]
}

const grouped = (pairs: Json): Json => {
  const groups: Array<Array<Json>> = []
  let last: Json | undefined
  for (const pair of isArray(pairs) ? pairs : []) {
    const [key = null, item = null] = isArray(pair) ? pair : []
    if (last === undefined || compareJson(last, key) !== 0) groups.push([])
    groups.at(-1)?.push(item)
    last = key
  }
  return groups
}

const KEYED: BuiltIn = function* (_, input, [keyOf]) {
  const key = (item: Json): Json => {
    for (const value of valuesOf(keyOf, { value: item, path: null })) return value
    return null
  }
  yield computed(
    byKey(input.value, key).map(([by, item]) => [by, item]),
    input,
  )
}

export const builtInsFor = ({ inputs, filename, env, seconds, print }: Host): ReadonlyMap<string, BuiltIn> =>
  new Map<string, BuiltIn>([
    ...Array.from(FUNCTIONS, ([name, of]) => [name, each((input, args) => of(input, ...args))] as const),
    ...Object.entries(FORMATS).map(([name, of]) => [name, each((input) => of(input))] as const),
    ["empty/0", function* () {}],
    [
      "error/1",
      each((_, [value = null]) => {
        throw new RaisedError(value)
      }),
    ],
    [
      "path/1",
      function* (machine, input, [body]) {
        if (body !== undefined) for (const path of machine.paths(body, input.value)) yield computed(path, input)
      },
    ],
    [
      "getpath/1",
      function* (_, input, args) {
        for (const [path = null] of combined(args, input)) {
          if (!isArray(path)) return raise("Path must be specified as an array")
          const to = input.path === null ? null : input.path === undefined ? undefined : [...input.path, ...path]
          yield { value: getPath(input.value, path), path: to }
        }
      },
    ],
    ["recurse/0", descended],
    ["range/2", range],
    ["range/3", range],
    ["limit/2", limited],
    ["skip/2", skipped],
    [
      "first/1",
      function* (_, input, [body]) {
        if (body !== undefined) for (const item of body(input)) return yield item
      },
    ],
    ["repeat/1", repeats],
    ["while/2", whiles],
    ["until/2", until],
    ["match/2", matching(({ shown }) => shown)],
    ["capture/2", matching(({ captures }) => captures)],
    [
      "test/2",
      each((value, [pattern = null, flags = null], machine) => {
        const [given, modifiers = flags] = isArray(pattern) ? pattern : [pattern]
        return matchesOf(value, given ?? null, modifiers, machine.reads).length > 0
      }),
    ],
    ["split/2", each(splitBy)],
    ["sub/3", substituted],
    ["_keyed/1", KEYED],
    ["_grouped/0", each(grouped)],
    ["now/0", each(seconds)],
    [
      "input/0",
      each(() => {
        const { done, value } = inputs.next()
        return done === true ? raise("No more inputs") : value
      }),
    ],
    [
      "inputs/0",
      function* (_, input) {
        for (let next = inputs.next(); next.done !== true; next = inputs.next()) yield computed(next.value, input)
      },
    ],
    ["env/0", each(() => env)],
    ["input_filename/0", each(filename)],
    [
      "debug/0",
      function* (_, input) {
        print(`${writeJson(["DEBUG:", input.value])}\n`)
        yield input
      },
    ],
    [
      "stderr/0",
      function* (_, input) {
        print(writeJson(input.value))
        yield input
      },
    ],
    [
      "halt/0",
      each(() => {
        throw new Halted(0)
      }),
    ],
    [
      "halt_error/1",
      each((value, [code = null]) => {
        throw new Halted(numberOf(code, "halt_error/1"), value)
      }),
    ],
  ])

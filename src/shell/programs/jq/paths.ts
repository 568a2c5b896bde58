// Reads, sets and deletes the value at a path of a JSON value, and implements jq's arithmetic on values.
// Invariant: a value that others refer to is never changed in place; missing values read as null, and a write creates them.
import { compareJson, isArray, isObject, type Json, type JsonObject, shownType, typeOf, writeJson } from "./json.ts"

/** An error that the filter may catch; `catch` receives `value`. */
export class RaisedError extends Error {
  readonly value: Json

  constructor(value: Json) {
    super(typeof value === "string" ? value : `${writeJson(value)} (not a string)`)
    this.value = value
  }
}

/** An error that ends the run and that the filter can't catch. */
export class LimitError extends Error {}

export type Path = ReadonlyArray<Json>

export const MAX_ELEMENTS = 500_000
const MAX_TEXT = 32 << 20

export const raise = (message: string): never => {
  throw new RaisedError(message)
}

export const limitedText = (text: string): string => {
  if (text.length > MAX_TEXT) throw new LimitError("string length limit exceeded")
  return text
}

const isSpan = (key: Json): key is JsonObject => isObject(key) && (key.has("start") || key.has("end"))

/** The start and end index of a slice of something with this length. */
const spanOf = (from: Json, to: Json, length: number): readonly [number, number] => {
  if ((from !== null && typeof from !== "number") || (to !== null && typeof to !== "number"))
    return raise("Start and end indices of an array slice must be numbers")
  const place = (at: number) => Math.min(Math.max(at < 0 ? at + length : at, 0), length)
  const start = Math.floor(place(from ?? 0))
  return [start, Math.max(start, Math.ceil(place(to ?? length)))]
}

export const sliceOf = (value: Json, from: Json, to: Json): Json => {
  if (value === null) return null
  if (typeof value === "string") {
    const letters = Array.from(value)
    return letters.slice(...spanOf(from, to, letters.length)).join("")
  }
  return isArray(value)
    ? value.slice(...spanOf(from, to, value.length))
    : raise(`Cannot index ${typeOf(value)} with object`)
}

/** The indexes at which `part` occurs in a list. */
export const placesOf = (value: ReadonlyArray<Json>, part: ReadonlyArray<Json>): ReadonlyArray<number> => {
  if (part.length === 0) return []
  const found: Array<number> = []
  for (let at = 0; at + part.length <= value.length; at += 1)
    if (part.every((item, offset) => compareJson(value[at + offset] ?? null, item) === 0)) found.push(at)
  return found
}

export const valueAt = (value: Json, key: Json): Json => {
  if (isSpan(key)) return sliceOf(value, key.get("start") ?? null, key.get("end") ?? null)
  if (value === null && (typeof key === "string" || typeof key === "number" || key === null)) return null
  if (isObject(value) && typeof key === "string") return value.get(key) ?? null
  if (isArray(value) && typeof key === "number") return value.at(Math.floor(key)) ?? null
  if (isArray(value) && isArray(key)) return placesOf(value, key).slice()
  return raise(`Cannot index ${typeOf(value)} with ${typeof key === "string" ? `"${key}"` : typeOf(key)}`)
}

export const getPath = (value: Json, path: Path): Json => {
  let found = value
  for (const key of path) found = found === null ? null : valueAt(found, key)
  return found
}

/** Containers that one assignment has created and nothing else refers to, so it may change them in place. */
export type Owned = Set<Json>

/** A container that may be changed: the given one if it is owned, otherwise a copy. */
const ownArray = (value: ReadonlyArray<Json>, owned: Owned): Array<Json> => {
  // What is owned was made here.
  if (owned.has(value)) return value as Array<Json>
  const copy = value.slice()
  owned.add(copy)
  return copy
}

const ownObject = (value: JsonObject, owned: Owned): Map<string, Json> => {
  // What is owned was made here.
  if (owned.has(value)) return value as Map<string, Json>
  const copy = new Map(value)
  owned.add(copy)
  return copy
}

const withItem = (value: ReadonlyArray<Json>, key: number, item: Json, owned: Owned): Json => {
  const at = Math.floor(key < 0 ? key + value.length : key)
  if (at < 0) return raise("Out of bounds negative array index")
  if (at >= MAX_ELEMENTS && at >= value.length) throw new LimitError("array element limit exceeded")
  const copy = ownArray(value, owned)
  while (copy.length < at) copy.push(null)
  copy[at] = item
  return copy
}

const withKey = (value: Json, key: Json, item: Json, owned: Owned): Json => {
  if (typeof key === "string" && (value === null || isObject(value)))
    return ownObject(value ?? new Map(), owned).set(key, item)
  if (typeof key === "number" && (value === null || isArray(value))) return withItem(value ?? [], key, item, owned)
  if (isSpan(key) && (value === null || isArray(value))) {
    const whole = value ?? []
    const [start, end] = spanOf(key.get("start") ?? null, key.get("end") ?? null, whole.length)
    if (!isArray(item)) return raise("A slice of an array can only be assigned another array")
    return [...whole.slice(0, start), ...item, ...whole.slice(end)]
  }
  return raise(`Cannot index ${typeOf(value)} with ${typeof key === "string" ? `"${key}"` : typeOf(key)}`)
}

export const setPath = (value: Json, path: Path, item: Json, owned: Owned = new Set(), at = 0): Json => {
  if (at === path.length) return item
  const key = path[at] ?? null
  const inner = value === null ? null : valueAt(value, key)
  return withKey(value, key, setPath(inner, path, item, owned, at + 1), owned)
}

const withoutKey = (value: Json, key: Json, owned: Owned): Json => {
  if (value === null) return null
  if (isObject(value) && typeof key === "string") {
    if (!value.has(key)) return value
    const copy = ownObject(value, owned)
    copy.delete(key)
    return copy
  }
  if (isArray(value) && typeof key === "number") {
    const place = Math.floor(key < 0 ? key + value.length : key)
    if (place < 0 || place >= value.length) return value
    const copy = ownArray(value, owned)
    copy.splice(place, 1)
    return copy
  }
  if (isArray(value) && isSpan(key)) {
    const [start, end] = spanOf(key.get("start") ?? null, key.get("end") ?? null, value.length)
    const copy = ownArray(value, owned)
    copy.splice(start, end - start)
    return copy
  }
  return raise(`Cannot delete field at ${typeof key === "string" ? "object" : "array"} index of ${typeOf(value)}`)
}

const deletePath = (value: Json, path: Path, owned: Owned, at = 0): Json => {
  const key = path[at] ?? null
  if (at === path.length - 1) return withoutKey(value, key, owned)
  const inner = value === null ? null : valueAt(value, key)
  return inner === null ? value : withKey(value, key, deletePath(inner, path, owned, at + 1), owned)
}

/** The work of copying or scanning a value: its items, or the length of a text in units of 64 characters. */
export const sizeOf = (value: Json): number => {
  if (typeof value === "string") return 1 + (value.length >> 6)
  return isArray(value) ? value.length : isObject(value) ? value.size : 1
}

/** Deletes paths, the last ones first, so that the indexes of the others stay valid. */
export const deletePaths = (value: Json, paths: ReadonlyArray<Path>): Json => {
  const owned: Owned = new Set()
  let rest = value
  for (const path of paths.toSorted((left, right) => compareJson(right, left))) {
    if (path.length === 0) return null
    rest = deletePath(rest, path, owned)
  }
  return rest
}

const merged = (left: JsonObject, right: JsonObject): JsonObject => {
  const result = new Map(left)
  for (const [key, value] of right) {
    const own = result.get(key) ?? null
    result.set(key, isObject(own) && isObject(value) ? merged(own, value) : value)
  }
  return result
}

const cannot = (left: Json, right: Json, what: string): never =>
  raise(`${shownType(left)} and ${shownType(right)} cannot be ${what}`)

const add = (left: Json, right: Json): Json => {
  if (left === null) return right
  if (right === null) return left
  if (typeof left === "number" && typeof right === "number") return left + right
  if (typeof left === "string" && typeof right === "string") return limitedText(left + right)
  if (isArray(left) && isArray(right)) {
    if (left.length + right.length > MAX_ELEMENTS * 2) throw new LimitError("array element limit exceeded")
    return [...left, ...right]
  }
  if (isObject(left) && isObject(right)) return new Map([...left, ...right])
  return cannot(left, right, "added")
}

const subtract = (left: Json, right: Json): Json => {
  if (typeof left === "number" && typeof right === "number") return left - right
  if (isArray(left) && isArray(right))
    return left.filter((item) => !right.some((other) => compareJson(item, other) === 0))
  return cannot(left, right, "subtracted")
}

const multiply = (left: Json, right: Json): Json => {
  if (typeof left === "number" && typeof right === "number") return left * right
  if (typeof left === "number" && typeof right === "string") return multiply(right, left)
  if (typeof left === "string" && typeof right === "number") {
    const times = right > 0 ? Math.ceil(right) : 0
    if (times === 0) return null
    if (left.length * times > MAX_TEXT) throw new LimitError("string length limit exceeded")
    return left.repeat(times)
  }
  if (isObject(left) && isObject(right)) return merged(left, right)
  return cannot(left, right, "multiplied")
}

/** Splits a text at a separator; an empty text has no pieces. */
export const splitText = (value: string, by: string): ReadonlyArray<string> =>
  value === "" ? [] : by === "" ? Array.from(value) : value.split(by)

const divide = (left: Json, right: Json): Json => {
  if (typeof left === "string" && typeof right === "string") return splitText(left, right)
  if (typeof left !== "number" || typeof right !== "number") return cannot(left, right, "divided")
  return right === 0 ? cannot(left, right, "divided because the divisor is zero") : left / right
}

const remainder = (left: Json, right: Json): Json => {
  if (typeof left !== "number" || typeof right !== "number") return cannot(left, right, "divided")
  const divisor = Math.abs(Math.trunc(right))
  if (divisor === 0) return cannot(left, right, "divided because the divisor is zero")
  return (Math.trunc(left) % divisor) + 0
}

export const compute = (operator: string, left: Json, right: Json): Json => {
  switch (operator) {
    case "+":
      return add(left, right)
    case "-":
      return subtract(left, right)
    case "*":
      return multiply(left, right)
    case "/":
      return divide(left, right)
    case "%":
      return remainder(left, right)
    default: {
      const order = compareJson(left, right)
      if (operator === "==") return order === 0
      if (operator === "!=") return order !== 0
      return operator === "<" ? order < 0 : operator === "<=" ? order <= 0 : operator === ">" ? order > 0 : order >= 0
    }
  }
}

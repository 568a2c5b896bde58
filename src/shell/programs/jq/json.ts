// JSON as jq reads and writes it: several values in one text, and objects whose keys keep their order.
// Invariant: a value that is read and written again has the same keys in the same order, whatever the keys' names are.

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export type JsonObject = ReadonlyMap<string, Json>

export const isObject = (value: Json): value is JsonObject => value instanceof Map
export const isArray = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

export const typeOf = (value: Json): string =>
  value === null ? "null" : isObject(value) ? "object" : isArray(value) ? "array" : typeof value

export class JsonError extends Error {}

const MAX_DEPTH = 1000
const BLANK = /[\s\ufeff]*/y
const NUMBER = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y
const TEXT = /"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y
const WORD = /true|false|null|nan|NaN/y

const CONSTANTS: Readonly<Record<string, Json>> = { true: true, false: false, null: null, nan: NaN, NaN: NaN }

class Reader {
  #at = 0
  #depth = 0
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#source) ?? []
    if (found === undefined) return null
    this.#at += found.length
    return found
  }

  *values(): Generator<Json> {
    while (this.#more()) yield this.#value()
  }

  #more(): boolean {
    this.#match(BLANK)
    return this.#at < this.#source.length
  }

  #fail(): never {
    const rest = this.#at >= this.#source.length
    const line = this.#source.slice(0, this.#at).split("\n").length
    throw new JsonError(`${rest ? "Unfinished JSON term" : "Invalid literal"} at line ${line}`)
  }

  #value(): Json {
    const letter = this.#source.charAt(this.#at)
    if (letter === "{" || letter === "[") {
      this.#depth += 1
      if (this.#depth > MAX_DEPTH) throw new JsonError("Exceeds depth limit for parsing")
      this.#at += 1
      const value = letter === "[" ? this.#array() : this.#object()
      this.#depth -= 1
      return value
    }
    if (letter === '"') return this.#text()
    const number = this.#match(NUMBER)
    if (number !== null) return Number(number)
    const word = this.#match(WORD)
    return word === null ? this.#fail() : (CONSTANTS[word] ?? null)
  }

  #text(): string {
    const text = this.#match(TEXT)
    if (text === null) return this.#fail()
    return text
      .slice(1, -1)
      .replace(/\\(u([0-9a-fA-F]{4})|[\s\S])/g, (_, escape: string, code?: string) =>
        code === undefined
          ? ({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[escape] ?? escape)
          : String.fromCharCode(Number.parseInt(code, 16)),
      )
  }

  #next(close: string): boolean {
    if (!this.#more()) this.#fail()
    const letter = this.#source.charAt(this.#at)
    if (letter !== "," && letter !== close) this.#fail()
    this.#at += 1
    return letter === ","
  }

  #array(): Json {
    const items: Array<Json> = []
    if (!this.#more()) this.#fail()
    if (this.#source.charAt(this.#at) === "]") {
      this.#at += 1
      return items
    }
    do {
      if (!this.#more()) this.#fail()
      items.push(this.#value())
    } while (this.#next("]"))
    return items
  }

  #object(): Json {
    const fields = new Map<string, Json>()
    if (!this.#more()) this.#fail()
    if (this.#source.charAt(this.#at) === "}") {
      this.#at += 1
      return fields
    }
    do {
      if (!this.#more()) this.#fail()
      const key = this.#text()
      if (!this.#more() || this.#source.charAt(this.#at) !== ":") this.#fail()
      this.#at += 1
      if (!this.#more()) this.#fail()
      fields.set(key, this.#value())
    } while (this.#next("}"))
    return fields
  }
}

/** Yields the values of a text in order; throws a JsonError at the first one that is invalid. */
export const readJson = (source: string): Generator<Json> => new Reader(source).values()

export interface Shape {
  /** The indentation of one level; null writes everything on one line. */
  readonly indent: string | null
  readonly sorted: boolean
  readonly ascii: boolean
}

const COMPACT: Shape = { indent: null, sorted: false, ascii: false }

const numberText = (value: number): string => {
  if (Number.isNaN(value)) return "null"
  if (!Number.isFinite(value)) return value > 0 ? "1.7976931348623157e+308" : "-1.7976931348623157e+308"
  return Object.is(value, -0) ? "-0" : String(value)
}

const quoted = (text: string, ascii: boolean): string => {
  const json = JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f")
  if (!ascii) return json
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** Keys in the order of their code points, as jq sorts them. */
export const sortedKeys = (value: JsonObject): ReadonlyArray<string> => Array.from(value.keys()).sort(compareTexts)

const compareTexts = (left: string, right: string): number => {
  if (left === right) return 0
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

export const writeJson = (value: Json, shape: Shape = COMPACT, margin = "\n"): string => {
  if (typeof value === "string") return quoted(value, shape.ascii)
  if (typeof value === "number") return numberText(value)
  if (value === null || typeof value === "boolean") return String(value)
  const inner = shape.indent === null ? "" : margin + shape.indent
  const outer = shape.indent === null ? "" : margin
  const colon = shape.indent === null ? ":" : ": "
  if (isArray(value)) {
    if (value.length === 0) return "[]"
    return `[${value.map((item) => inner + writeJson(item, shape, inner)).join(",")}${outer}]`
  }
  if (!isObject(value) || value.size === 0) return "{}"
  const keys = shape.sorted ? sortedKeys(value) : Array.from(value.keys())
  const fields = keys.map((key) => {
    const field = writeJson(value.get(key) ?? null, shape, inner)
    return `${inner}${quoted(key, shape.ascii)}${colon}${field}`
  })
  return `{${fields.join(",")}${outer}}`
}

const ORDER = ["null", "false", "true", "number", "string", "array", "object"]
const rank = (value: Json): number => ORDER.indexOf(typeof value === "boolean" ? String(value) : typeOf(value))

/** Compares two values in jq's order: null, false, true, numbers, strings, arrays, objects. */
export const compareJson = (left: Json, right: Json): number => {
  const difference = rank(left) - rank(right)
  if (difference !== 0) return difference
  if (typeof left === "number" && typeof right === "number")
    return left < right || Number.isNaN(left) ? -1 : left === right ? 0 : 1
  if (typeof left === "string" && typeof right === "string") return compareTexts(left, right)
  if (isArray(left) && isArray(right)) {
    for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
      const found = compareJson(left[at] ?? null, right[at] ?? null)
      if (found !== 0) return found
    }
    return left.length - right.length
  }
  if (!isObject(left) || !isObject(right)) return 0
  const keys = sortedKeys(left)
  const found = compareJson(keys, sortedKeys(right))
  if (found !== 0) return found
  for (const key of keys) {
    const field = compareJson(left.get(key) ?? null, right.get(key) ?? null)
    if (field !== 0) return field
  }
  return 0
}

/** The type and the start of a value, for error messages. */
export const shownType = (value: Json): string => {
  const text = writeJson(value)
  return `${typeOf(value)} (${text.length > 11 ? `${text.slice(0, 10)}...` : text})`
}

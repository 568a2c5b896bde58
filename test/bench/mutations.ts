// Receives a JSON value that is valid for its reader; returns a text that is slightly or thoroughly invalid.
// Invariant: the same random numbers produce the same text, and no text is longer than about a million characters.
import { below, pick, type Random } from "./random.ts"

type Container = Record<string, unknown> | Array<unknown>

/** A placeholder for brackets that no serializer could write. */
const DEEP = "@@deep@@"
const DEEP_TEXT = `"${DEEP}"`

const LONG = 100_000

const ODD_TEXTS = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "\u2028\u2029\u0085",
  "\ufeff{}",
  "e\u0301\u202egnirts",
  "👩‍👩‍👧‍👦".repeat(50),
  "\r\n\r\ndata: x\n\n",
  "__proto__",
  "constructor",
  "../../../../etc/passwd",
  "%00%2e%2e/",
  "'; DROP TABLE events; --",
  "(a+)+$",
  "[".repeat(500),
  "-1",
  "NaN",
  "null",
]

const ODD_VALUES: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  Number.MAX_SAFE_INTEGER + 2,
  -Number.MAX_VALUE,
  Number.MIN_VALUE,
  1e308,
  [],
  {},
  [[]],
  [null],
  { "": "" },
  { type: "text" },
  { toString: 1, valueOf: null },
  { length: -1 },
]

const oddValue = (random: Random): unknown =>
  random() < 0.4 ? pick(random, ODD_TEXTS) : structuredClone(pick(random, ODD_VALUES))

/** Every object and array inside a value, itself included. */
const containersOf = (value: unknown, found: Array<Container> = []): Array<Container> => {
  if (typeof value !== "object" || value === null) return found
  found.push(value as Container) // a non-null object is one or the other
  for (const inner of Object.values(value)) containersOf(inner, found)
  return found
}

const keyOf = (random: Random, container: Container): string | undefined => {
  const keys = Object.keys(container)
  return keys.length === 0 ? undefined : pick(random, keys)
}

const put = (container: Container, key: string, value: unknown): void => {
  // A plain assignment to `__proto__` would set no key.
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
}

const lengthen = (random: Random, value: unknown): unknown => {
  if (typeof value === "string") {
    const unit = value === "" ? "x" : value
    return unit.repeat(Math.max(1, Math.floor(pick(random, [300, 5000, LONG]) / unit.length)))
  }
  if (Array.isArray(value)) {
    const unit: ReadonlyArray<unknown> = value.length === 0 ? [null] : value
    const room = LONG / Math.max(1, JSON.stringify(unit).length)
    return Array.from({ length: Math.min(pick(random, [3, 300, 5000]), room) }, () => unit).flat()
  }
  if (typeof value === "number") return value * 10 ** below(random, 300)
  const room = LONG / (JSON.stringify(value) ?? "null").length
  const length = Math.min(pick(random, [60, 2000]), room)
  return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value]))
}

/** Mutates one position of a value in place. */
const CHANGES: ReadonlyArray<(random: Random, container: Container, key: string) => void> = [
  (_random, container, key) => {
    if (Array.isArray(container)) container.splice(Number(key), 1)
    else delete container[key]
  },
  (random, container, key) => put(container, key, oddValue(random)),
  (random, container, key) => put(container, key, oddValue(random)),
  (random, container, key) => {
    const value = Reflect.get(container, key) as unknown
    if (Array.isArray(container)) container.push(...Array.from({ length: below(random, 4) }, () => value))
    else put(container, pick(random, ["copy", key.toUpperCase(), `${key} `, "type", "subtype"]), value)
  },
  (random, container, key) => {
    let value = Reflect.get(container, key) as unknown
    for (let left = pick(random, [1, 2, 50]); left > 0; left -= 1) value = random() < 0.5 ? [value] : { inner: value }
    put(container, key, value)
  },
  (random, container, key) => put(container, key, lengthen(random, Reflect.get(container, key))),
  (random, container) =>
    put(container, pick(random, ["__proto__", "constructor", "hasOwnProperty", "x"]), oddValue(random)),
  (_random, container, key) => put(container, key, DEEP),
]

/** A copy of `value` with one to four positions changed; fewer if it is long. */
export const mutated = (random: Random, value: unknown): unknown => {
  let text = JSON.stringify(value)
  for (let left = 1 + below(random, 4); left > 0 && text.length < LONG; left -= 1) {
    // Parsed again, so that no object occurs in it twice: a change at one position must not appear at another.
    const copy = JSON.parse(text) as unknown
    const container = pick(random, containersOf(copy))
    const key = keyOf(random, container)
    if (key !== undefined) pick(random, CHANGES)(random, container, key)
    text = JSON.stringify(copy)
  }
  return JSON.parse(text)
}

/** The text of a mutated value; writes out its very deep positions. */
export const textOf = (random: Random, value: unknown): string => {
  const depth = pick(random, [100, 3000, 100_000])
  const text = JSON.stringify(value) ?? "null"
  if (!text.includes(DEEP_TEXT)) return text
  const [open, close] = pick(random, [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const)
  return text.replace(DEEP_TEXT, () => `${open.repeat(depth)}0${close.repeat(depth)}`)
}

/** Corruptions of a text, after which it has another meaning, or none. */
const TEXT_CHANGES: ReadonlyArray<(random: Random, text: string) => string> = [
  (random, text) => text.slice(0, below(random, text.length)),
  (random, text) => text.slice(below(random, text.length)),
  (random, text) => {
    const at = below(random, text.length)
    return `${text.slice(0, at)}${pick(random, ODD_TEXTS).replaceAll("\n", " ")}${text.slice(at)}`
  },
  (_random, text) => `${text}${text}`,
  (_random, text) => `[${text}]`,
  (_random, text) => text.replace("{", '{"type":"other","type":"control_request",'),
  (_random, text) => text.replaceAll('"', "'"),
  (_random, text) => text.replace(/:"[^"]{0,100}"/, ":1e999"),
  (_random, text) => text.replace(/:"[^"]{0,100}"/, `:${"9".repeat(500)}`),
  (_random, text) => text.replace(/:"[^"]{0,100}"/, ":NaN"),
  (random) => pick(random, ["null", "[]", "0", '""', "true", "{", "}", "{}", "undefined", "/* */", "\u0000", "{}{}"]),
  (_random, text) => `\ufeff${text}`,
]

export const mutatedText = (random: Random, text: string): string => pick(random, TEXT_CHANGES)(random, text)

// Receives JSON text or a value from outside; returns its value, or the limit that it exceeds. Cuts stored text to a depth.
// Invariant: no string of a value has a lone surrogate (half of a character), which UTF-8 can't encode: storage, databases
// and clients would each turn it into something else. A text is scanned before it is parsed, without recursion and in time
// linear in its length, so that no later walk, clone or write of the value can overflow the stack.
import * as Result from "effect/Result"

/** The most levels of nested objects and arrays. */
export const MAX_JSON_DEPTH = 100
/** The most keys and elements of a value, on all levels together. */
const MAX_JSON_PARTS = 100_000

/** `message` is the end of a sentence that begins with the value's name. */
export interface JsonRefusal {
  readonly fault: "syntax" | "depth" | "parts" | "key" | "repeated"
  readonly message: string
  /** The path, if it is known: of the repeated key, or of the first object or array that is nested too deeply. */
  readonly field?: string
}

/** The value of a JSON text from outside; U+FFFD replaces lone surrogates. */
export const parseJson = (text: string): Result.Result<unknown, JsonRefusal> =>
  HALF.test(text) ? Result.map(parsePiece(text), wellFormed) : parsePiece(text)

/** An escape that may be a lone surrogate. */
const HALF = /\\u[dD][89a-fA-F]/

/** As `parseJson`, but keeps lone surrogates: texts of a stream may be split inside a character, and are joined later. */
export const parsePiece = (text: string): Result.Result<unknown, JsonRefusal> => {
  const refusal = boundsOfJson(text)
  if (refusal !== null) return Result.fail(refusal)
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail(NOT_JSON)
  }
}

/** Replaces lone surrogates. Only for values within the limits, since it recurses. */
export const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}

/** JSON text with U+FFFD for each lone surrogate. `text` must come from `JSON.stringify`, which escapes only lone surrogates. */
export const wellFormedJson = (text: string): string =>
  text.includes("\\ud") ? text.replace(ESCAPED, (escape) => (escape.startsWith("\\ud") ? "\uFFFD" : escape)) : text

/** Matches every escape, so that an escaped backslash is not mistaken for the beginning of another escape. */
const ESCAPED = /\\(?:u[0-9a-f]{4}|.)/g

const NOT_JSON: JsonRefusal = { fault: "syntax", message: "is not valid JSON" }
const TOO_DEEP: JsonRefusal = { fault: "depth", message: `is nested more than ${MAX_JSON_DEPTH} levels deep` }
const TOO_MANY: JsonRefusal = { fault: "parts", message: `has more than ${MAX_JSON_PARTS} keys and elements` }
/** When an object is copied key by key, the value of `__proto__` would become the prototype of the copy. */
const BAD_KEY: JsonRefusal = { fault: "key", message: "has a key __proto__, which is not allowed" }

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** The limit that a JSON text exceeds, or null. Text that is no JSON may pass, since the parser refuses it. */
export const boundsOfJson = (text: string, maxDepth = MAX_JSON_DEPTH): JsonRefusal | null => {
  const keys = text.includes("__proto__") || text.includes("\\u")
  // Each level, and each part, takes two characters, so a short text is within the limits.
  if (text.length <= 2 * maxDepth && !keys) return null
  let depth = 0
  let parts = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      if (keys && isProto(text, at, end)) return BAD_KEY
      at = end
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1
      parts += 1
      if (depth > maxDepth) return TOO_DEEP
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1
    else if (code === COMMA) parts += 1
    if (parts > MAX_JSON_PARTS) return TOO_MANY
  }
  return null
}

/** The index of the quote that ends the string at `start`, or of the text's end. */
export const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}

const isProto = (text: string, start: number, end: number): boolean => {
  const length = end - start - 1
  // `__proto__` has nine characters, each of which may be written as an escape of six.
  if (length < 9 || length > 54) return false
  let next = end + 1
  while (next < text.length && text.charCodeAt(next) <= 32) next += 1
  if (text.charCodeAt(next) !== COLON) return false
  try {
    return JSON.parse(text.slice(start, end + 1)) === "__proto__"
  } catch {
    return false // not a JSON string: the parser refuses the text
  }
}

/** The limit that an already parsed value exceeds, or null. */
export const boundsOfValue = (value: unknown): JsonRefusal | null => {
  const open: Array<readonly [part: unknown, depth: number]> = [[value, 1]]
  let parts = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, depth] = next
    if (typeof part !== "object" || part === null) continue
    if (depth > MAX_JSON_DEPTH) return TOO_DEEP
    if (Object.hasOwn(part, "__proto__")) return BAD_KEY
    const children = Object.values(part)
    parts += children.length
    if (parts > MAX_JSON_PARTS) return TOO_MANY
    for (const child of children) open.push([child, depth + 1])
  }
  return null
}

/** Replaces an object or array that is nested too deeply. */
export const LEFT_OUT = "[left out: nested too deeply]"

/** The text of a JSON value with everything below `depth` levels replaced by `LEFT_OUT`; the same text if it has none. */
export const withoutDeepLevels = (text: string, depth: number): string => {
  if (text.length <= 2 * depth) return text
  let level = 0
  let kept = ""
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      level += 1
      if (level === depth + 1) {
        kept += text.slice(from, at) + JSON.stringify(LEFT_OUT)
        from = text.length
      }
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (level === depth + 1) from = at + 1
      level -= 1
    }
  }
  return from === 0 ? text : kept + text.slice(from)
}

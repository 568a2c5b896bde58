// Receives a JSON text; returns the path of a key that one of its objects has twice, or of what is nested too deeply.
// Invariant: the text is read once, without recursion, in time linear in its length.
import { endOfString } from "../bounded-json.ts"

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** An object or array that is open at a position of the text. */
interface Open {
  /** The keys so far; null for an array. */
  readonly keys: Set<string> | null
  /** The latest key of an object, or index of an array. */
  step: string | number
}

/** The path of the first key that an object has twice, or null. A parser keeps the last value of such a key, and drops the others. */
export const repeatedKey = (text: string): Path | null =>
  // Two keys need a comma between them.
  text.includes(",") ? pathIn(text) : null

/** The path of the first object or array with more than `levels` levels around it, or null. */
export const deepPath = (text: string, levels: number): Path | null => pathIn(text, levels)

type Path = ReadonlyArray<string | number>

const pathIn = (text: string, levels?: number): Path | null => {
  const open: Array<Open> = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const inner = open.at(-1)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      if (inner !== undefined && inner.keys !== null && isKey(text, end)) {
        const key = keyOf(text.slice(at, end + 1))
        inner.step = key
        if (levels === undefined && inner.keys.has(key)) return open.map(({ step }) => step)
        inner.keys.add(key)
      }
      at = end
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (open.length === levels) return open.map(({ step }) => step)
      open.push(code === OPEN_OBJECT ? { keys: new Set(), step: "" } : { keys: null, step: 0 })
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop()
    else if (code === COMMA && typeof inner?.step === "number") inner.step += 1
  }
  return null
}

/** Whether the string that ends at `end` is a key: only a key is followed by a colon. */
const isKey = (text: string, end: number): boolean => {
  let next = end + 1
  while (text.charCodeAt(next) <= 32) next += 1
  return text.charCodeAt(next) === COLON
}

/** The key as its value has it: without escapes, and with U+FFFD for lone surrogates. */
const keyOf = (quoted: string): string => {
  if (!quoted.includes("\\")) return quoted.slice(1, -1).toWellFormed()
  try {
    return (JSON.parse(quoted) as string).toWellFormed() // a string's text is a string
  } catch {
    return quoted.slice(1, -1) // no valid JSON: only text that is nested too deeply has not been parsed before
  }
}

// Receives two values that should be the same; returns where they first differ, in a text for people.
// Invariant: the text is at most 2 KiB of UTF-8, however long the values are.
import { isPlainObject } from "../../schemas/plain-object.ts"
import { isList, type Json } from "../request-hash.ts"

export interface Difference {
  /** The path, such as `messages[3].content[0].text`; empty for the whole value. */
  readonly path: string
  /** Undefined when nothing was recorded at the path. */
  readonly recorded: Json | undefined
  readonly asked: Json | undefined
}

/** The first difference in the order of the recorded value; null when there is none. */
export const firstDifference = (recorded: Json | undefined, asked: Json | undefined, path = ""): Difference | null => {
  if (recorded === asked) return null
  if (recorded === undefined || asked === undefined) return { path, recorded, asked }
  if (isList(recorded) && isList(asked)) {
    for (let at = 0; at < Math.max(recorded.length, asked.length); at += 1) {
      const found = firstDifference(recorded[at], asked[at], `${path}[${at}]`)
      if (found !== null) return found
    }
    return null
  }
  if (isPlainObject(recorded) && isPlainObject(asked)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)])) {
      const found = firstDifference(fieldOf(recorded, key), fieldOf(asked, key), path === "" ? key : `${path}.${key}`)
      if (found !== null) return found
    }
    return null
  }
  return { path, recorded, asked }
}

/** A field of a JSON object. */
const fieldOf = (value: Readonly<Record<string, unknown>>, key: string): Json | undefined =>
  // The fields of JSON are JSON.
  Object.hasOwn(value, key) ? (value[key] as Json) : undefined

/** How many characters (UTF-16 units) of each side are shown; in UTF-8 each takes three bytes at most. */
const SHOWN = 300
/** How many characters before the first differing one are shown. */
const BEFORE = 60
const PATH = 60

/** Text of three lines: the path, what was recorded, and what is asked now. */
export const differenceText = ({ path, recorded, asked }: Difference): string => {
  const [left, right] = [textOf(recorded), textOf(asked)]
  let same = 0
  while (same < Math.min(left.length, right.length) && left[same] === right[same]) same += 1
  const from = Math.max(0, same - BEFORE)
  const place = path.length <= 2 * PATH ? path : `${path.slice(0, PATH)}…${path.slice(-PATH)}`
  return [
    `at ${place === "" ? "the whole" : place}`,
    `recorded: ${cut(left, from)}`,
    `asked: ${cut(right, from)}`,
  ].join("\n")
}

const textOf = (value: Json | undefined): string => (value === undefined ? "nothing" : JSON.stringify(value))

const cut = (text: string, from: number): string => {
  const end = from + SHOWN
  return `${from > 0 ? "…" : ""}${text.slice(from, end).toWellFormed()}${end < text.length ? "…" : ""}`
}

// Receives the body of a row; returns its JSON, shortened to `MAX_BODY_BYTES` of UTF-8.
// Invariant: the result is valid JSON of the same outline. A body that was cut has `truncated: true` and the `seq` of
// the event that has the whole.
import { hasMarks, piecesOf } from "../../schemas/log/media-mark.ts"

/** A row's body may have this many bytes of UTF-8. */
const MAX_BODY_BYTES = 16 * 1024

/** The limits of each try: the longest string (UTF-16 units), and the most items of a list or keys of an object. */
const TRIES = [
  { string: 4096, items: 200 },
  { string: 1024, items: 100 },
  { string: 256, items: 40 },
  { string: 64, items: 20 },
] as const
const MAX_DEPTH = 12

/** The body's JSON; `seq` is that of the event with the whole body. */
export const cutJson = (body: Readonly<Record<string, unknown>>, seq: number): string => {
  const fullJson = JSON.stringify(body)
  // A mark replaces media, which are longer than any row.
  const fits = fullJson.length <= MAX_BODY_BYTES && !hasMarks(fullJson)
  if (fits && (fullJson.length * 3 <= MAX_BODY_BYTES || Buffer.byteLength(fullJson) <= MAX_BODY_BYTES)) return fullJson
  for (const limits of TRIES) {
    // `shorten` returns an object for an object.
    const json = JSON.stringify({ ...(shorten(body, limits, 0) as Record<string, unknown>), truncated: true, seq })
    if (json.length <= MAX_BODY_BYTES && Buffer.byteLength(json) <= MAX_BODY_BYTES) return json
  }
  const names = Object.entries(body).filter(
    ([, value]) => typeof value === "number" || (typeof value === "string" && value.length <= 64),
  )
  return JSON.stringify({ ...Object.fromEntries(names.slice(0, 20)), truncated: true, seq })
}

const shorten = (value: unknown, limits: (typeof TRIES)[number], depth: number): unknown => {
  if (typeof value === "string") {
    if (hasMarks(value)) return `${beforeMedia(value).slice(0, limits.string).toWellFormed()}…`
    return value.length > limits.string ? `${value.slice(0, limits.string).toWellFormed()}…` : value
  }
  if (typeof value !== "object" || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.slice(0, limits.items).map((item) => shorten(item, limits, depth + 1))
  const entries = Object.entries(value).slice(0, limits.items)
  return Object.fromEntries(
    entries.map(([key, item]) => [key.slice(0, limits.string).toWellFormed(), shorten(item, limits, depth + 1)]),
  )
}

/** The part of a text before its media. */
const beforeMedia = (text: string): string => {
  const [first] = piecesOf(text)
  return typeof first === "string" ? first : ""
}

// Receives media that a client sends in base64; returns whether the Messages API accepts the text, and where it does not.
// Invariants: each text is read once, and nothing is decoded; no expression repeats over the whole text, because V8 keeps a
// place of its stack for each repetition once a process has compiled many expressions, and has none left after some 5 MB.
import * as Schema from "effect/Schema"
import { isPlainObject } from "./plain-object.ts"

const OTHER = /[^A-Za-z0-9+/]/

/** True for base64 with its padding and without line breaks or a `data:` prefix; false for an empty text. */
export const isBase64 = (data: string): boolean => {
  if (data === "" || data.length % 4 !== 0) return false
  const end = data.search(OTHER)
  return end === -1 || data.slice(end) === "=" || data.slice(end) === "=="
}

export const NOT_BASE64 =
  "is not valid base64. Send the bytes in base64 with padding, without line breaks or a data: prefix"

/** The bytes of an image or a document. It has no pattern: a client that checks with it could overflow on a large text. */
export const Base64 = Schema.String.check(
  Schema.makeFilter((data: string) => data === "" || isBase64(data) || NOT_BASE64),
  Schema.isMinLength(1),
)

type Path = ReadonlyArray<string | number>

/** The path of the first source of an image or a document that is not base64, also within a document's content. */
export const invalidMedia = (blocks: unknown, path: Path = []): Path | undefined => {
  if (!Array.isArray(blocks)) return undefined
  for (const [index, block] of blocks.entries()) {
    const source: unknown = isPlainObject(block) ? block["source"] : undefined
    if (!isPlainObject(source)) continue
    const { type, data, content } = source
    if (type === "base64" && !(typeof data === "string" && isBase64(data))) return [...path, index, "source", "data"]
    const within = invalidMedia(content, [...path, index, "source", "content"])
    if (within !== undefined) return within
  }
  return undefined
}

/** A check of a prompt's blocks. */
export const validMedia = Schema.makeFilter((blocks: unknown) => {
  const path = invalidMedia(blocks)
  return path === undefined ? undefined : { path, issue: NOT_BASE64 }
})

// Receives a long Markdown text; returns the document of its beginning, which is shown at first.
// Invariants: the beginning ends at the end of a line or a word where there is one; code is in it completely or not at all,
// because it has a button that copies it.
import type { Token, Tokens } from "marked"
import { type Document, readDocument, withNewlines } from "./blocks.ts"

/** Where a beginning of about `length` characters ends. A text that is not much longer is not cut. */
const endNear = (text: string, length: number): number => {
  if (text.length <= length * 1.5) return text.length
  const line = text.lastIndexOf("\n", length)
  if (line >= length / 2) return line + 1
  const word = text.lastIndexOf(" ", length)
  if (word >= length / 2) return word + 1
  // Between the halves of a surrogate pair, a text can't be cut.
  return /[\uD800-\uDBFF]/.test(text[length - 1] ?? "") ? length - 1 : length
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const NOT_INDENTED = /^(?! {4}|\t|[ \t]*$)/m

/** The end of the code that begins at `start`; the end of the text if it is not closed. */
const endOfCode = (text: string, start: number): number => {
  const fence = FENCE.exec(text.slice(start, start + 200))?.[1]
  const from = text.indexOf("\n", start) + 1
  if (from === 0) return text.length
  const end = fence === undefined ? NOT_INDENTED : new RegExp(`^ {0,3}${fence}${fence[0] ?? ""}*[ \\t]*(?:\\n|$)`, "m")
  const found = end.exec(text.slice(from))
  return found === null ? text.length : from + found.index + found[0].length
}

const isCode = (block: Token | undefined): block is Tokens.Code => block?.type === "code"

/** Parses about `length` characters of a text. `previous` is the result for a shorter beginning, or for an earlier text. */
export const readBeginning = (source: string, length: number, previous: Document | null = null): Document => {
  const text = withNewlines(source)
  const end = endNear(text, length)
  const document = readDocument(text.slice(0, end), previous)
  const last = document.blocks.at(-1)
  if (end === text.length || !isCode(last)) return document
  return readDocument(text.slice(0, endOfCode(text, end - last.raw.length)), document)
}

// Receives a Markdown text while it streams; returns its blocks.
// Invariant: an update parses only the block at the end, and that one is divided when it is long: what follows becomes blocks of
// its own, so that the cost of an update does not grow with the text. Call `readBeginning` for the complete text.
import type { MarkedToken, Token } from "marked"
import { type Document, readDocument, withNewlines } from "./blocks.ts"

export interface Growing {
  /** The text, whose line breaks are all "\n". */
  readonly text: string
  readonly blocks: ReadonlyArray<Token>
  /** The blocks before `start`, which are not parsed again. */
  readonly past: ReadonlyArray<Token>
  readonly start: number
  /** The text from `start` on. */
  readonly open: Document
}

/** How many characters an update parses again at most: that takes about 4 ms, and on a slow phone as long as one frame (16 ms). */
const MAX_PARSED = 8000

/** Parses a text. `previous` is the result for an earlier, shorter version of it. */
export const readGrowing = (source: string, previous: Growing | null = null, most = MAX_PARSED): Growing => {
  const text = withNewlines(source)
  if (previous === null || !text.startsWith(previous.text)) return readGrowing(text, growingOf("", [], 0, null), most)
  if (text === previous.text) return previous
  // Text that arrives in large pieces is divided too.
  const step = previous.text.length + most
  if (text.length > step) return readGrowing(text, readGrowing(text.slice(0, step), previous, most), most)
  const { past, start, open } = previous
  const end = isDivisible(open.blocks) ? divisionOf(text, previous.text.length, open.parsedAgain / most) : null
  if (end === null) return growingOf(text, past, start, open)
  const divided = readDocument(textFrom(text.slice(0, end), start), open)
  return growingOf(text, [...past, ...divided.blocks], end, null)
}

const growingOf = (text: string, past: ReadonlyArray<Token>, start: number, previous: Document | null): Growing => {
  const open = readDocument(textFrom(text, start), previous)
  return { text, blocks: [...past, ...open.blocks], past, start, open }
}

/** Where the new text, from `from` on, ends a line, or a word of a very long line. `excess` is above 1 when it should. */
const divisionOf = (text: string, from: number, excess: number): number | null => {
  if (excess <= 1) return null
  const line = text.indexOf("\n", from)
  if (line !== -1) return line + 1
  const word = excess > 2 ? text.indexOf(" ", from) : -1
  return word === -1 ? null : word + 1
}

/** Whether the text after these blocks can be shown without them: code, tables and HTML are not divided. */
const isDivisible = (blocks: ReadonlyArray<Token>): boolean => {
  // Only extensions of the lexer produce other types of tokens, and it has none.
  const last = blocks.findLast(({ type }) => type !== "space") as MarkedToken | undefined
  if (last === undefined || ["code", "table", "html"].includes(last.type)) return false
  if (last.type === "list") return isDivisible(last.items.at(-1)?.tokens ?? [])
  return last.type !== "blockquote" || isDivisible(last.tokens)
}

/** The text from `start` on. Inside a list, the lines up to its end lose the indent of the first one: it would make them code. */
const textFrom = (text: string, start: number): string => {
  if (start === 0) return text
  const rest = text.slice(start)
  const indent = /^(?: *\n)*( *)/.exec(rest)?.[1] ?? ""
  if (indent === "") return rest
  const lines = rest.split("\n")
  const end = lines.findIndex((line) => line.trim() !== "" && !line.startsWith(indent))
  const inside = end === -1 ? lines.length : end
  return lines.map((line, index) => (index < inside ? line.slice(indent.length) : line)).join("\n")
}

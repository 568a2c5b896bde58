// Splits text into records and records into fields, by RS and FS.
// Invariant: no separator is matched by backtracking.
import type { Matcher } from "re2js"
import { searchOf, type SpendReads } from "../../syntax/search.ts"
import { given, patternOf, type Value } from "./values.ts"

/** A text that is read record by record. */
export class RecordReader {
  readonly #text: string
  readonly #spend: SpendReads
  #at = 0
  #search: { readonly separator: string; readonly matcher: Matcher } | null = null

  constructor(text: string, spend: SpendReads) {
    this.#text = text
    this.#spend = spend
  }

  /** The next record; null at the end. */
  next(separator: string): string | null {
    if (separator === "") return this.#paragraph()
    if (this.#at >= this.#text.length) return null
    if (separator.length === 1) return this.#upTo(this.#text.indexOf(separator, this.#at), 1)
    const matcher = this.#matcherOf(separator)
    if (!matcher.find(this.#at) || matcher.end() === matcher.start()) return this.#upTo(-1, 0)
    return this.#upTo(matcher.start(), matcher.end() - matcher.start())
  }

  #matcherOf(separator: string): Matcher {
    if (this.#search?.separator !== separator)
      this.#search = { separator, matcher: searchOf(patternOf(separator), this.#text, this.#spend) }
    return this.#search.matcher
  }

  #upTo(end: number, length: number): string {
    const to = end === -1 ? this.#text.length : end
    const record = this.#text.slice(this.#at, to)
    this.#at = to + length
    // With a custom separator, a line break at the end of the text belongs to the last record.
    return record
  }

  #paragraph(): string | null {
    while (this.#text[this.#at] === "\n") this.#at += 1
    if (this.#at >= this.#text.length) return null
    const end = this.#text.indexOf("\n\n", this.#at)
    const record = this.#upTo(end, 2)
    return end === -1 ? record.replace(/\n$/, "") : record
  }
}

export const splitBy = (
  text: string,
  separator: string,
  spend: SpendReads,
  paragraphs = false,
): ReadonlyArray<string> => {
  if (text === "") return []
  if (separator === " ") return text.trim() === "" ? [] : text.replace(/^[ \t\n]+|[ \t\n]+$/g, "").split(/[ \t\n]+/)
  if (separator === "") return Array.from(text)
  const pieces =
    separator.length === 1 && separator !== "\\" ? text.split(separator) : byPattern(text, separator, spend)
  return paragraphs && separator !== "\n" ? pieces.flatMap((piece) => piece.split("\n")) : pieces
}

const byPattern = (text: string, separator: string, spend: SpendReads): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  const matcher = searchOf(patternOf(separator === "\\" ? "\\\\" : separator), text, spend)
  let from = 0
  while (matcher.find()) {
    if (matcher.end() === matcher.start()) continue
    pieces.push(text.slice(from, matcher.start()))
    from = matcher.end()
  }
  return [...pieces, text.slice(from)]
}

export const fieldsOf = (record: string, separator: string, spend: SpendReads, paragraphs: boolean): Array<Value> =>
  splitBy(record, separator, spend, paragraphs).map(given)

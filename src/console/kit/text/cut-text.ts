// Receives a text; returns as much of its beginning or end as is shown at first.
// Invariant: no character is cut in two, so what is cut is stored and sent as it is shown.

export interface CutLimits {
  readonly maxLength?: number
  readonly maxLines?: number
}

export interface CutText {
  readonly text: string
  readonly isWhole: boolean
  /** Lines of the whole text. */
  readonly lines: number
  /** Bytes of the whole text in UTF-8; of a text that is shown whole they are not counted. */
  readonly size: number | null
}

const MAX_LENGTH = 4000
const MAX_LINES = 30

export const cutText = (
  text: string,
  { maxLength = MAX_LENGTH, maxLines = MAX_LINES }: CutLimits = {},
  end = false,
): CutText => {
  const all = text.split("\n")
  const lines = text.endsWith("\n") ? all.length - 1 : all.length
  if (text.length <= maxLength && lines <= maxLines) return { text, isWhole: true, lines, size: null }
  const some = lines <= maxLines ? text : (end ? all.slice(-maxLines) : all.slice(0, maxLines)).join("\n")
  const short = end ? lastOf(some, maxLength) : firstOf(some, maxLength)
  return { text: short, isWhole: false, lines, size: new TextEncoder().encode(text).length }
}

/** A text of so many letters at most: a longer one ends with an ellipsis. */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${firstOf(text, most - 1)}…` : text

const firstOf = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")

const lastOf = (text: string, length: number): string => text.slice(-length).replace(/^[\uDC00-\uDFFF]/, "")

// Receives a text; returns the part of its beginning or end that is shown at first.
// Invariant: no surrogate pair is split, so a shortened text is stored and sent exactly as it is shown.

export interface CutLimits {
  readonly maxLength?: number
  readonly maxLines?: number
}

export interface CutText {
  readonly text: string
  readonly isWhole: boolean
  /** Number of lines in the whole text. */
  readonly lines: number
  /** Size of the whole text in UTF-8 bytes; null if the text is not cut. */
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

/** Shortens a text to at most `most` UTF-16 code units; a shortened text ends with an ellipsis. */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${firstOf(text, most - 1)}…` : text

const firstOf = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")

const lastOf = (text: string, length: number): string => text.slice(-length).replace(/^[\uDC00-\uDFFF]/, "")

// Receives a text; returns as much of its beginning or end as is shown at first.

export interface CutLimits {
  readonly maxLength?: number
  readonly maxLines?: number
}

export interface CutText {
  readonly text: string
  readonly isWhole: boolean
  /** Lines of the whole text. */
  readonly lines: number
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
  if (text.length <= maxLength && lines <= maxLines) return { text, isWhole: true, lines }
  const some = lines <= maxLines ? text : (end ? all.slice(-maxLines) : all.slice(0, maxLines)).join("\n")
  const short = end ? some.slice(-maxLength) : some.slice(0, maxLength)
  return { text: short.toWellFormed(), isWhole: false, lines }
}

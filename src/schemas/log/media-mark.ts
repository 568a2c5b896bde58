// Media in payloads as this process holds it: in the place of a long base64 text there is a mark with the hash of its bytes
// and its length. JSON is written, copied and parsed with marks; the base64 is put back where it is sent out.
// Invariant: no text from outside can pass for a mark. A process makes its marks with a secret of its own, and stored text
// begins them with a character that JSON text never has.

/** Base64 of that many characters, and the hash of the bytes that it encodes. */
export interface MediaMark {
  readonly hash: string
  readonly length: number
}

/** What begins a mark in a stored text: JSON escapes it in all others. */
const STORED_OPENING = "\u0001"
const CLOSING = "}}"

let opening: string | undefined

/** Made at the first use: the platform gives no random numbers before. */
const markOpening = (): string => (opening ??= `{{${crypto.randomUUID().replaceAll("-", "")}:`)

export const textOfMark = ({ hash, length }: MediaMark): string => `${markOpening()}${hash}:${length}${CLOSING}`

export const hasMarks = (text: string): boolean => text.includes(markOpening())

/** The same of a text in its stored form. */
export const hasStoredMarks = (text: string): boolean => text.includes(STORED_OPENING)

/** The text before, between and behind its marks, and the marks. */
export function* piecesOf(text: string): Generator<string | MediaMark> {
  const open = markOpening()
  let from = 0
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, from)) {
    if (at > from) yield text.slice(from, at)
    const end = text.indexOf(CLOSING, at + open.length)
    const [hash = "", length = "0"] = text.slice(at + open.length, end).split(":")
    yield { hash, length: Number(length) }
    from = end + CLOSING.length
  }
  if (from < text.length) yield text.slice(from)
}

/** The mark that a text is, if it is one and nothing else. */
export const markOf = (text: string): MediaMark | undefined => {
  if (!text.startsWith(markOpening())) return undefined
  const [first, ...rest] = piecesOf(text)
  return typeof first === "object" && rest.length === 0 ? first : undefined
}

/** Characters of a text when its base64 is put back. */
export const wholeLength = (text: string): number => {
  if (!hasMarks(text)) return text.length
  let sum = 0
  for (const piece of piecesOf(text)) sum += piece.length
  return sum
}

/** Bytes of UTF-8 of a text when its base64 is put back. */
export const wholeBytes = (text: string): number => {
  if (!hasMarks(text)) return Buffer.byteLength(text)
  let sum = 0
  for (const piece of piecesOf(text)) sum += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length
  return sum
}

/** A text with marks as it is stored, and as it travels to another process; and back. */
export const toStoredText = (text: string): string => text.replaceAll(markOpening(), STORED_OPENING)
export const fromStoredText = (text: string): string => text.replaceAll(STORED_OPENING, markOpening())

/** A JSON text with marks, stored or not, as JSON that any process reads the same; its marks are no marks any more. */
export const toNamedMedia = (json: string): string =>
  hasMarks(json) || hasStoredMarks(json) ? toStoredText(json).replaceAll(STORED_OPENING, "{{media:") : json

/** The hashes of a stored text's marks, each once. */
export const hashesOf = (text: string): ReadonlyArray<string> => [
  ...new Set([...piecesOf(fromStoredText(text))].flatMap((piece) => (typeof piece === "string" ? [] : [piece.hash]))),
]

// Media in payloads in this process: a mark with the hash of the bytes and the length replaces each long base64 text. JSON is
// written, copied and parsed with marks; the base64 is restored where it is sent out.
// Invariant: no text from outside can be mistaken for a mark. In memory, marks contain a random secret of the process; in
// stored text, they begin with a character that JSON text never contains.

/** `length` is that of the base64 in characters, `hash` that of the bytes which it encodes. */
export interface MediaMark {
  readonly hash: string
  readonly length: number
}

/** The beginning of a mark in stored text: everywhere else, JSON escapes this character. */
const STORED_OPENING = "\u0001"
const CLOSING = "}}"

let opening: string | undefined

/** The beginning of a mark, made on first use, because the platform provides no random numbers while a Worker starts. */
const markOpening = (): string => (opening ??= `{{${crypto.randomUUID().replaceAll("-", "")}:`)

/** A mark in the form that texts of this process contain. */
export const textOfMark = ({ hash, length }: MediaMark): string => `${markOpening()}${hash}:${length}${CLOSING}`

/** True when a text of this process contains marks. */
export const hasMarks = (text: string): boolean => text.includes(markOpening())

/** `hasMarks` for a text in its stored form. */
export const hasStoredMarks = (text: string): boolean => text.includes(STORED_OPENING)

/** The pieces of a text in order: its marks, and the texts before, between and after them. */
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

/** The mark of a text that consists of exactly one mark; undefined for any other text. */
export const markOf = (text: string): MediaMark | undefined => {
  if (!text.startsWith(markOpening())) return undefined
  const [first, ...rest] = piecesOf(text)
  return typeof first === "object" && rest.length === 0 ? first : undefined
}

/** The length of a text in characters once its base64 is restored. */
export const wholeLength = (text: string): number => {
  if (!hasMarks(text)) return text.length
  let sum = 0
  for (const piece of piecesOf(text)) sum += piece.length
  return sum
}

/** The length of a text in bytes of UTF-8 once its base64 is restored. */
export const wholeBytes = (text: string): number => {
  if (!hasMarks(text)) return Buffer.byteLength(text)
  let sum = 0
  for (const piece of piecesOf(text)) sum += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length
  return sum
}

/** Converts a text with marks to the form in which it is stored and sent to other processes; and back. */
export const toStoredText = (text: string): string => text.replaceAll(markOpening(), STORED_OPENING)
export const fromStoredText = (text: string): string => text.replaceAll(STORED_OPENING, markOpening())

/** Converts a JSON text with marks, stored or not, to JSON that is the same in every process; its marks become plain text. */
export const toNamedMedia = (json: string): string =>
  hasMarks(json) || hasStoredMarks(json) ? toStoredText(json).replaceAll(STORED_OPENING, "{{media:") : json

/** The hashes of a stored text's marks, each once. */
export const hashesOf = (text: string): ReadonlyArray<string> => [
  ...new Set([...piecesOf(fromStoredText(text))].flatMap((piece) => (typeof piece === "string" ? [] : [piece.hash]))),
]

// Receives the bytes of a file; returns its text as tools show it, and encodes a new text in the encoding of the file.
// Invariant: the encoding is UTF-8, or UTF-16 when the file begins with the byte-order mark of UTF-16; the mark is kept.

import { isUtf8 } from "node:buffer"

/** A file's encoding, by the byte-order mark at its beginning; UTF-8 without one. */
type Encoding = "utf-8" | "utf-16le" | "utf-16be"

const MARK = "\uFEFF"

const encodingOf = (bytes: Uint8Array): Encoding => {
  // FF FE 00 00 is the mark of UTF-32, which is not supported.
  if (bytes[0] === 0xff && bytes[1] === 0xfe && (bytes[2] !== 0 || bytes[3] !== 0)) return "utf-16le"
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8"
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })
const encoder = new TextEncoder()

/** The text including its mark. An odd last byte and a lone surrogate become U+FFFD. */
const decodeUtf16 = (bytes: Uint8Array, encoding: Encoding): string => {
  const copy = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  const text = (encoding === "utf-16be" ? copy.swap16() : copy).toString("utf16le").toWellFormed()
  return bytes.length % 2 === 0 ? text : `${text}\uFFFD`
}

/** The whole text, with its byte-order mark; bytes that can't be decoded become U+FFFD. */
export const textOf = (bytes: Uint8Array): string => {
  const encoding = encodingOf(bytes)
  return encoding === "utf-8" ? lenient.decode(bytes) : decodeUtf16(bytes, encoding)
}

/** True when writing a file's text back would not change its bytes. */
export const isText = (bytes: Uint8Array): boolean => {
  const encoding = encodingOf(bytes)
  if (encoding === "utf-8") return isUtf8(bytes)
  return Buffer.from(bytes).equals(encodeText(decodeUtf16(bytes, encoding), bytes))
}

const NUL_WITHIN = 8192

/** True for bytes with a NUL near their beginning: most binary files, and every text in UTF-16. */
export const beginsWithNul = (bytes: Uint8Array): boolean => bytes.subarray(0, NUL_WITHIN).includes(0)

/** True for a file whose beginning has NUL characters; in UTF-16 with a mark they have two bytes. */
export const hasNul = (bytes: Uint8Array): boolean => encodingOf(bytes) === "utf-8" && beginsWithNul(bytes)

/** The text as UTF-8 without a byte-order mark; a view of the same bytes when they are UTF-8 already. */
export const utf8Of = (bytes: Uint8Array): Uint8Array => {
  const encoding = encodingOf(bytes)
  if (encoding !== "utf-8") return encoder.encode(decodeUtf16(bytes, encoding).slice(MARK.length))
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** A text in the encoding of the file that it replaces. */
export const encodeText = (text: string, before: Uint8Array): Uint8Array => {
  const encoding = encodingOf(before)
  if (encoding === "utf-8") return encoder.encode(text)
  const bytes = Buffer.from(text, "utf16le")
  return new Uint8Array(encoding === "utf-16be" ? bytes.swap16() : bytes)
}

/** The text with a byte-order mark if the file that it replaces has one. */
export const markedAs = (text: string, before: Uint8Array): string =>
  textOf(before.subarray(0, 4)).startsWith(MARK) && !text.startsWith(MARK) ? MARK + text : text

/** A text with `\n` for every line end. */
export const withPlainEnds = (text: string): string => text.replace(/(?<!\r)\r+(?=\n|$)/g, "")

/** A text as a reader sees it: without its byte-order mark, and with `\n` for every line end. */
export const plainText = (text: string): string => withPlainEnds(text.startsWith(MARK) ? text.slice(MARK.length) : text)

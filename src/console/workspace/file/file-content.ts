// Determines the kind of a file from its name and its bytes: text for the editor, an image, or binary data shown as hexadecimal.
// Invariant: text that is opened and saved without changes keeps its bytes, including a byte order mark and its line ends.
import { ownValue } from "../../../schemas/own-value.ts"

/** Maximum size in bytes for editing; larger files are shown in parts. */
export const EDIT_LIMIT = 1_048_576
/** Size of one part of a large file, in bytes. */
export const PART = 262_144
const HEX_BYTES = 1024
const IMAGE_LIMIT = 20 * 1_048_576

const IMAGES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
  svg: "image/svg+xml",
}

export const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ""

/** The MIME type of an image that is small enough to be shown; undefined for all other files. */
export const imageType = (path: string, size: number): string | undefined =>
  size <= IMAGE_LIMIT ? ownValue(IMAGES, extensionOf(path)) : undefined

/** The text of a whole file; null when its bytes are not valid UTF-8 or contain NUL. */
export const textOf = (bytes: Uint8Array): string | null => {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The text of a part of a file, whose first and last characters may be incomplete; null when it does not look like text. */
export const partText = (bytes: Uint8Array): string | null => {
  if (bytes.includes(0)) return null
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes)
  const broken = text.slice(4, -4).split("\uFFFD").length - 1
  return broken > text.length / 100 ? null : text
}

/** The line separator that an editor must use to preserve the text. */
export const lineEndOf = (text: string): "\n" | "\r\n" => {
  const all = text.split("\n").length - 1
  return all > 0 && text.split("\r\n").length - 1 === all ? "\r\n" : "\n"
}

export interface HexRow {
  readonly offset: string
  readonly hex: string
  readonly text: string
}

/** The first 1024 bytes as rows of sixteen. */
export const hexRows = (bytes: Uint8Array): ReadonlyArray<HexRow> => {
  const head = bytes.subarray(0, HEX_BYTES)
  return Array.from({ length: Math.ceil(head.length / 16) }, (_, row) => {
    const cells = [...head.subarray(row * 16, row * 16 + 16)]
    return {
      offset: (row * 16).toString(16).padStart(6, "0"),
      hex: cells.map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
      text: cells.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join(""),
    }
  })
}

/** The total size from a `Content-Range` header; null without one. */
export const sizeOfRange = (contentRange: string | null): number | null => {
  const size = Number(/\/(\d+)$/.exec(contentRange ?? "")?.[1] ?? Number.NaN)
  return Number.isFinite(size) ? size : null
}

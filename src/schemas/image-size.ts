// Receives the first bytes of an image; returns how large it is, as its header names it.
// Invariant: what has no such header has no size, and nothing behind the header is read but the segments of a JPEG.

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Pixels that the Messages API takes along each side. */
export const MAX_SIDE = 8000

export const isTooLarge = ({ width, height }: ImageSize): boolean => width > MAX_SIDE || height > MAX_SIDE

/** Null for what is no PNG, JPEG, GIF or WebP, and for one without a header that can be read. */
export const imageSize = (bytes: Uint8Array): ImageSize | null => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const at = (text: string, place: number): boolean =>
    bytes.length >= place + text.length && [...text].every((char, index) => bytes[place + index] === char.charCodeAt(0))
  if (at("\x89PNG\r\n\x1a\n", 0)) return bytes.length >= 24 && at("IHDR", 12) ? pngSize(view) : null
  if (at("GIF8", 0)) {
    return bytes.length >= 10 ? { width: view.getUint16(6, true), height: view.getUint16(8, true) } : null
  }
  if (at("RIFF", 0) && at("WEBP", 8)) return bytes.length >= 30 ? webpSize(view, at) : null
  return at("\xff\xd8\xff", 0) ? jpegSize(view) : null
}

/** Characters of base64 that are looked at: the size of a JPEG is behind its metadata. */
const HEAD = 1_000_000

/** The same of base64. */
export const base64ImageSize = (data: string): ImageSize | null => imageSize(Buffer.from(data.slice(0, HEAD), "base64"))

/** Whether base64 of an image is one that the Messages API refuses for its width or height. */
export const hasTooManyPixels = (data: string): boolean => {
  const size = base64ImageSize(data)
  return size !== null && isTooLarge(size)
}

const pngSize = (view: DataView): ImageSize => ({ width: view.getUint32(16), height: view.getUint32(20) })

const webpSize = (view: DataView, at: (text: string, place: number) => boolean): ImageSize | null => {
  if (at("VP8X", 12)) return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
  if (at("VP8 ", 12) && at("\x9d\x01\x2a", 23)) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  if (!at("VP8L", 12) || !at("\x2f", 20)) return null
  const bits = view.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const uint24 = (view: DataView, place: number): number => view.getUint16(place, true) | (view.getUint8(place + 2) << 16)

/** Markers that a frame begins with; the others of their range are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const jpegSize = (view: DataView): ImageSize | null => {
  for (let at = 2; at + 9 <= view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at += 2 + Math.max(view.getUint16(at + 2), 2)
  }
  return null
}

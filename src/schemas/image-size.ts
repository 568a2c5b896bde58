// Receives the first bytes of an image; returns its width and height from its header.
// Invariant: bytes without such a header have no size, and only the header is read, for a JPEG also its segments.

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The most pixels along each side that the Messages API accepts. */
export const MAX_SIDE = 8000

export const isTooLarge = ({ width, height }: ImageSize): boolean => width > MAX_SIDE || height > MAX_SIDE

/** The size of an image; null unless it is a PNG, JPEG, GIF or WebP with a readable header. */
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

/** The characters of base64 that are decoded: many, because the size of a JPEG follows its metadata. */
const HEAD = 1_000_000

/** `imageSize` of an image in base64. */
export const base64ImageSize = (data: string): ImageSize | null => imageSize(Buffer.from(data.slice(0, HEAD), "base64"))

/** Whether the Messages API refuses an image in base64 because of its width or height. */
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

/** True for a marker that starts a frame; the other markers of this range are of tables. */
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

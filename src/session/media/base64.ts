// Receives bytes; writes their base64 as bytes of text.
// Invariant: nothing is allocated. By way of a string it would be three times the memory, and media are large.

const ALPHABET = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
const PADDING = "=".charCodeAt(0)

/** Characters of base64 for that many bytes. */
export const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)

/** Writes to the start of `target`, which must have room for `base64Length` bytes, and returns the part that was written. */
export const base64Into = (target: Uint8Array, bytes: Uint8Array): Uint8Array => {
  const out = target.subarray(0, base64Length(bytes.length))
  const whole = bytes.length - (bytes.length % 3)
  let at = 0
  for (let from = 0; from < whole; from += 3) {
    at = put(out, at, ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0))
  }
  if (whole === bytes.length) return out
  const two = bytes.length - whole === 2
  put(out, at, ((bytes[whole] ?? 0) << 16) | ((bytes[whole + 1] ?? 0) << 8))
  out[at + 3] = PADDING
  if (!two) out[at + 2] = PADDING
  return out
}

/** Writes four characters for 24 bits; returns the position after them. */
const put = (out: Uint8Array, at: number, bits: number): number => {
  out[at] = ALPHABET[bits >> 18] ?? 0
  out[at + 1] = ALPHABET[(bits >> 12) & 63] ?? 0
  out[at + 2] = ALPHABET[(bits >> 6) & 63] ?? 0
  out[at + 3] = ALPHABET[bits & 63] ?? 0
  return at + 4
}

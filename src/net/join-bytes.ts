// Receives pieces of bytes in order; returns them as one array.
// Invariant: a single piece is returned without a copy, so its sender must not write into it afterwards.

export const joinBytes = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = pieces
  if (pieces.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}

// Receives the body of a response; returns its first bytes.
// Invariant: at most `limit` bytes are kept; the rest of the body is neither read nor waited for.
import { joinBytes } from "./join-bytes.ts"

export interface ReadBody {
  readonly bytes: Uint8Array
  /** True when the body was longer than `limit` bytes. */
  readonly cut: boolean
}

/** The first `limit` bytes of a body. */
export const readUpTo = async (body: Response["body"], limit: number): Promise<ReadBody> => {
  if (body === null) return { bytes: new Uint8Array(), cut: false }
  const chunks: Array<Uint8Array> = []
  let size = 0
  let cut = false
  const reader = body.getReader()
  while (!cut) {
    const { done, value } = await reader.read()
    if (done) break
    cut = size + value.byteLength > limit
    const kept = cut ? value.subarray(0, limit - size) : value
    size += kept.byteLength
    chunks.push(kept)
  }
  return { bytes: joinBytes(chunks), cut }
}

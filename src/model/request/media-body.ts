// Receives a request's body with marks instead of its media; returns the body to send, as a stream.
// Invariant: only one piece of the media is in memory at a time, read when the connection can take it; the length is known
// in advance.
import { byteStream } from "../../net/byte-stream.ts"
import { wholeBytes } from "../../schemas/log/media-mark.ts"

/** A text as UTF-8 with its marks replaced by the media, in pieces that are produced on demand. */
export type MediaBytes = (text: string) => Iterable<Uint8Array>

const decoder = new TextDecoder()

/** The options of `fetch` for a body that is a stream. */
export const mediaBody = (written: Uint8Array, media: MediaBytes) => {
  const text = decoder.decode(written)
  return { body: byteStream(media(text), wholeBytes(text)), duplex: "half" as const }
}

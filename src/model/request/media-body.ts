// Receives a request's body with marks in the place of its media; returns the body that is sent, as a stream.
// Invariant: of the media one step is held at a time, read as the connection takes it; the length is known before.
import { byteStream } from "../../net/byte-stream.ts"
import { wholeBytes } from "../../schemas/log/media-mark.ts"

/** A text as UTF-8 with its media put back, in pieces that are made as they are asked for. */
export type MediaBytes = (text: string) => Iterable<Uint8Array>

const decoder = new TextDecoder()

/** What `fetch` takes of a request whose body is a stream. */
export const mediaBody = (written: Uint8Array, media: MediaBytes) => {
  const text = decoder.decode(written)
  return { body: byteStream(media(text), wholeBytes(text)), duplex: "half" as const }
}

// The media of a session: takes base64 out of payloads as they are logged, and puts it back into what is sent out.
// Invariant: bytes are stored once, by their hash, whatever refers to them; what is put back is the text that was taken out.
import { release } from "../../net/release.ts"
import { hasMarks, piecesOf, wholeBytes } from "../../schemas/log/media-mark.ts"
import type { Blobs } from "../../workspace/blobs.ts"
import { base64Into, base64Length } from "./base64.ts"
import { holdMedia } from "./hold.ts"

/** Bytes that become base64 at once: a multiple of three, so that the pieces can be joined. */
const STEP_BYTES = 192 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true })

export class Media {
  readonly #blobs: Blobs

  constructor(blobs: Blobs) {
    this.#blobs = blobs
  }

  /** Stores the media of a payload; returns the payload with marks in their place. */
  hold(name: string, payload: unknown): unknown {
    return holdMedia(name, payload, (bytes) => {
      const hash = this.#blobs.putBlob(bytes)
      release(bytes)
      return hash
    })
  }

  /** A text with its base64 put back. It is assembled as bytes: strings would all stay in memory until they are joined. */
  whole(text: string): string {
    if (!hasMarks(text)) return text
    const bytes = new Uint8Array(wholeBytes(text))
    let at = 0
    for (const piece of this.bytes(text)) {
      bytes.set(piece, at)
      at += piece.byteLength
    }
    const decoded = decoder.decode(bytes)
    release(bytes)
    return decoded
  }

  /** A value with its base64 put back; the value itself when it has no marks. */
  wholeValue<A>(value: A): A {
    const json = JSON.stringify(value)
    // The same value, with longer texts.
    return json === undefined || !hasMarks(json) ? value : (JSON.parse(this.whole(json)) as A)
  }

  /** The text of `whole` as UTF-8, in pieces that are made on demand; each is valid until the next one is requested. */
  *bytes(text: string): Generator<Uint8Array> {
    for (const piece of piecesOf(text)) {
      if (typeof piece === "string") yield encoder.encode(piece)
      else yield* this.base64(piece.hash)
    }
  }

  /** Whether there are bytes with this hash. */
  has(hash: string): boolean {
    return this.#blobs.hasBlob(hash)
  }

  /** The base64 of bytes, a step at a time. Every step reuses the same memory. */
  *base64(hash: string): Generator<Uint8Array> {
    const step = new Uint8Array(base64Length(STEP_BYTES))
    try {
      for (const data of this.#chunks(hash)) {
        for (let from = 0; from < data.byteLength; from += STEP_BYTES)
          yield base64Into(step, data.subarray(from, from + STEP_BYTES))
      }
    } finally {
      release(step)
    }
  }

  /** The bytes of a blob in chunks, all but the last a multiple of three; each is valid until the next one is asked for. */
  *#chunks(hash: string): Generator<Uint8Array> {
    let rest: Uint8Array = new Uint8Array(0)
    for (let chunk = 0, last = false; !last; chunk += 1) {
      const found = this.#blobs.chunkOf(hash, chunk)
      last = found.last
      const data = rest.byteLength === 0 ? found.data : Buffer.concat([rest, found.data])
      const end = last ? data.byteLength : data.byteLength - (data.byteLength % 3)
      rest = data.slice(end)
      try {
        yield data.subarray(0, end)
      } finally {
        release(found.data)
      }
    }
  }
}

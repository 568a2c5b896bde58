// Reads the media of a session from its object: what the lines of its feed hold as marks.
import type { SessionStub } from "../../schemas/env.ts"

/** The base64 of the bytes with a hash, as they come. Rejects when they can't be read. */
export type MediaSource = (hash: string) => Promise<ReadableStream<Uint8Array>>

export const mediaOf =
  (stub: () => SessionStub): MediaSource =>
  async (hash) => {
    const { ok, status, body } = await stub().fetch(`http://session/media/${hash}`)
    if (!ok || body === null) throw new Error(`the session's object answered ${status} for media of its feed`)
    return body
  }

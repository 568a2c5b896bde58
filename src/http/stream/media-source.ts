// Reads a session's media, to which the lines of its feed refer by marks, from the session's object.
import type { SessionStub } from "../../schemas/env.ts"

/** Returns the bytes with this hash as a stream of base64. Rejects when they can't be read. */
export type MediaSource = (hash: string) => Promise<ReadableStream<Uint8Array>>

export const mediaOf =
  (stub: () => SessionStub): MediaSource =>
  async (hash) => {
    const { ok, status, body } = await stub().fetch(`http://session/media/${hash}`)
    if (!ok || body === null) throw new Error(`the session's object answered ${status} for media of its feed`)
    return body
  }

// Receives text for a client that reads at its own pace; counts what the client has not read yet. Replaces marks by their
// media, which are read at the client's pace.
// Invariant: everything arrives in order, and the writer is notified when the client has read or disconnected; one piece of
// media is in memory at a time, and in the Workers runtime its bytes never reach JavaScript.
import { fromStoredText, hasStoredMarks, piecesOf } from "../../schemas/log/media-mark.ts"
import type { MediaSource } from "./media-source.ts"

export interface ClientStreamEvents {
  /** The client has read something. */
  readonly drained: () => void
  /** The client has disconnected, or the next text can't be sent to it. */
  readonly gone: () => void
}

const encoder = new TextEncoder()

export class ClientStream {
  /** The body of the response. */
  readonly readable: ReadableStream<Uint8Array>
  readonly #writable: WritableStream<Uint8Array>
  #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #events: ClientStreamEvents
  readonly #media: MediaSource
  #unread = 0
  /** The pending write of a text with media, for which later writes wait. */
  #behind: Promise<void> | null = null
  /** Media are being piped, and the writer's lock is released. */
  #piping = false
  readonly #aborted = new AbortController()

  constructor(events: ClientStreamEvents, media: MediaSource) {
    // The Workers runtime moves an identity stream's bytes without calling JavaScript for each chunk; Node has none.
    const Pipe = (globalThis as { IdentityTransformStream?: typeof TransformStream }).IdentityTransformStream
    const { readable, writable } = new (Pipe ?? TransformStream)<Uint8Array, Uint8Array>()
    this.readable = readable
    this.#writable = writable
    this.#events = events
    this.#media = media
    this.#writer = this.#takeWriter()
  }

  #takeWriter(): WritableStreamDefaultWriter<Uint8Array> {
    const writer = this.#writable.getWriter()
    writer.closed.catch(() => {
      // `closed` also rejects for a writer that was released for media; that is no disconnect.
      if (this.#writer === writer && !this.#piping) this.#events.gone()
    })
    return writer
  }

  /** The bytes that the client has not read; texts that wait for media are counted in characters. */
  get unread(): number {
    return this.#unread
  }

  /** Writes text, which may contain marks of media in their stored form. */
  write(text: string): void {
    if (this.#behind === null && !hasStoredMarks(text)) {
      // The writer's `closed` reports a failure.
      this.#send(encoder.encode(text)).catch(() => undefined)
      return
    }
    this.#unread += text.length
    const sent = (this.#behind ?? Promise.resolve())
      .then(() => this.#sendPieces(text))
      .catch(() => {
        // The client ignores an incomplete event, reconnects and reads it again.
        this.abort()
        this.#events.gone()
      })
      .finally(() => {
        if (this.#behind === sent) this.#behind = null
      })
    this.#behind = sent
  }

  async #sendPieces(text: string): Promise<void> {
    for (const piece of piecesOf(fromStoredText(text))) {
      if (typeof piece === "string") await this.#send(encoder.encode(piece))
      else await this.#pipe(await this.#media(piece.hash))
    }
    this.#unread -= text.length
    this.#events.drained()
  }

  /** Pipes media without running JavaScript per chunk: some megabytes would arrive in thousands of chunks. */
  async #pipe(media: ReadableStream<Uint8Array>): Promise<void> {
    this.#piping = true
    this.#writer.releaseLock()
    try {
      // The pipe also ends when the reader disconnects.
      await media.pipeTo(this.#writable, { preventClose: true, signal: this.#aborted.signal })
    } finally {
      this.#piping = false
      this.#writer = this.#takeWriter()
    }
  }

  async #send(chunk: Uint8Array): Promise<void> {
    this.#unread += chunk.byteLength
    await this.#writer.write(chunk)
    this.#unread -= chunk.byteLength
    this.#events.drained()
  }

  /** Ends the body after everything that was written. */
  close(): void {
    void (this.#behind ?? Promise.resolve()).then(() => this.#writer.close()).catch(this.#events.gone)
  }

  /** Ends the body at once and discards what was not read. */
  abort(): void {
    this.#aborted.abort()
    if (!this.#piping) this.#writer.abort().catch(() => undefined)
  }
}

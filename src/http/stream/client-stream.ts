// Receives text for a client that reads at its own pace; counts what it has not read yet. Media come in the place of their
// marks, read as the client takes them.
// Invariant: everything arrives in order, and the writer is notified when the client has read or has gone; of media one piece
// is held at a time, and in the Workers runtime none of it becomes a value of JavaScript.
import { fromStoredText, hasStoredMarks, piecesOf } from "../../schemas/log/media-mark.ts"
import type { MediaSource } from "./media-source.ts"

export interface ClientStreamEvents {
  /** The client has read something. */
  readonly drained: () => void
  /** The client will read no more, or can't be sent what comes next. */
  readonly gone: () => void
}

const encoder = new TextEncoder()

export class ClientStream {
  /** The body of the answer. */
  readonly readable: ReadableStream<Uint8Array>
  readonly #writable: WritableStream<Uint8Array>
  #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #events: ClientStreamEvents
  readonly #media: MediaSource
  #held = 0
  /** What is written behind media waits for them. */
  #behind: Promise<void> | null = null
  /** Media are written, and the writer has no lock. */
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
      // A writer that was released for media fails too; then another has its place, or the media do.
      if (this.#writer === writer && !this.#piping) this.#events.gone()
    })
    return writer
  }

  /** Bytes that the client has not read; of what waits behind media the characters. */
  get held(): number {
    return this.#held
  }

  /** `text` may hold marks of media in their stored form. */
  write(text: string): void {
    if (this.#behind === null && !hasStoredMarks(text)) {
      // `closed` reports what goes wrong.
      this.#send(encoder.encode(text)).catch(() => undefined)
      return
    }
    this.#held += text.length
    const sent = (this.#behind ?? Promise.resolve())
      .then(() => this.#sendPieces(text))
      .catch(() => {
        // An event that was cut off does not count: the client reconnects and reads it again.
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
    this.#held -= text.length
    this.#events.drained()
  }

  /** Moves media past JavaScript: a text of some megabytes would come in thousands of chunks. */
  async #pipe(media: ReadableStream<Uint8Array>): Promise<void> {
    this.#piping = true
    this.#writer.releaseLock()
    try {
      // A reader that has gone ends the pipe as well.
      await media.pipeTo(this.#writable, { preventClose: true, signal: this.#aborted.signal })
    } finally {
      this.#piping = false
      this.#writer = this.#takeWriter()
    }
  }

  async #send(chunk: Uint8Array): Promise<void> {
    this.#held += chunk.byteLength
    await this.#writer.write(chunk)
    this.#held -= chunk.byteLength
    this.#events.drained()
  }

  /** Ends the body behind what was written. */
  close(): void {
    void (this.#behind ?? Promise.resolve()).then(() => this.#writer.close()).catch(this.#events.gone)
  }

  /** Drops what was not read. */
  abort(): void {
    this.#aborted.abort()
    if (!this.#piping) this.#writer.abort().catch(() => undefined)
  }
}

// Receives chunks for a client that reads at its own pace; counts what it has not read yet.
// Invariant: chunks arrive in order, and whoever writes hears when the client has read or has gone.

export interface ClientStreamEvents {
  /** The client has read something. */
  readonly drained: () => void
  /** The client will read no more. */
  readonly gone: () => void
}

export class ClientStream {
  /** The body of the answer. */
  readonly readable: ReadableStream<Uint8Array>
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #events: ClientStreamEvents
  #held = 0

  constructor(events: ClientStreamEvents) {
    // The Workers runtime moves an identity stream's bytes without calling JavaScript for each chunk; Node has none.
    const Pipe = (globalThis as { IdentityTransformStream?: typeof TransformStream }).IdentityTransformStream
    const { readable, writable } = new (Pipe ?? TransformStream)<Uint8Array, Uint8Array>()
    this.readable = readable
    this.#writer = writable.getWriter()
    this.#events = events
    this.#writer.closed.catch(events.gone)
  }

  /** Bytes that the client has not read. */
  get held(): number {
    return this.#held
  }

  write(chunk: Uint8Array): void {
    this.#held += chunk.byteLength
    this.#writer.write(chunk).then(
      () => {
        this.#held -= chunk.byteLength
        this.#events.drained()
      },
      // `closed` tells of it.
      () => undefined,
    )
  }

  /** Ends the body behind what was written. */
  close(): void {
    this.#writer.close().catch(this.#events.gone)
  }

  /** Drops what was not read. */
  abort(): void {
    this.#writer.abort().catch(() => undefined)
  }
}

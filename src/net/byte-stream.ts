// Receives an iterable of pieces, each produced on demand; returns them as a stream.
// Invariant: the next piece is produced after the reader has taken the previous one, so that one is in memory at a time, and
// all may be produced in the same buffer.

/** The Workers runtime's identity streams: a write resolves when the reader has copied what was written. Node has none. */
interface IdentityStreams {
  readonly IdentityTransformStream?: new () => TransformStream<Uint8Array, Uint8Array>
  readonly FixedLengthStream?: new (length: number) => TransformStream<Uint8Array, Uint8Array>
}

/** With `length`, the runtime sends the stream as a body of that length instead of cutting it into chunks. */
export const byteStream = (pieces: Iterable<Uint8Array>, length?: number): ReadableStream<Uint8Array> => {
  const { IdentityTransformStream: Identity, FixedLengthStream: Fixed } = globalThis as IdentityStreams
  if (Identity === undefined || Fixed === undefined) return copies(pieces)
  const { readable, writable } = length === undefined ? new Identity() : new Fixed(length)
  const writer = writable.getWriter()
  write(pieces, writer).catch((cause: unknown) => writer.abort(cause).catch(() => undefined))
  return readable
}

/** Rejects when a piece can't be produced, or the reader has cancelled. */
const write = async (pieces: Iterable<Uint8Array>, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> => {
  for (const piece of pieces) await writer.write(piece)
  await writer.close()
}

/** The same for Node, whose streams queue chunks without copying them. */
const copies = (pieces: Iterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const next = pieces[Symbol.iterator]()
  return new ReadableStream<Uint8Array>(
    {
      pull(out) {
        const { done, value } = next.next()
        if (done === true) out.close()
        else out.enqueue(value.slice())
      },
      cancel() {
        next.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

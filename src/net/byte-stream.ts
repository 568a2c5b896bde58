// Receives pieces that are made as they are asked for; returns them as a stream.
// Invariant: the next piece is made when the reader takes it, so that one is held at a time.

export const byteStream = (pieces: Iterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const next = pieces[Symbol.iterator]()
  return new ReadableStream<Uint8Array>(
    {
      pull(out) {
        const { done, value } = next.next()
        if (done === true) out.close()
        else out.enqueue(value)
      },
      cancel() {
        next.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

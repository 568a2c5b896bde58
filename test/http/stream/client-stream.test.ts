// A client's stream with media: each in place of its mark, in order, and never more in memory than the client reads.
import { describe, expect, it, vi } from "vitest"
import { ClientStream } from "../../../src/http/stream/client-stream.ts"
import { byteStream } from "../../../src/net/byte-stream.ts"
import { textOfMark, toStoredText } from "../../../src/schemas/log/media-mark.ts"

const encoder = new TextEncoder()
const mark = (hash: string, length: number) => toStoredText(textOfMark({ hash, length }))

const setUp = (media: (hash: string) => Promise<ReadableStream<Uint8Array>>) => {
  const gone = vi.fn()
  const stream = new ClientStream({ drained: () => undefined, gone }, media)
  return { stream, gone }
}

/** A stream of the hash's letters, one per chunk; counts the chunks that were produced. */
const letters = (made: { count: number }) => (hash: string) =>
  Promise.resolve(
    byteStream(
      (function* () {
        for (const letter of hash) {
          made.count += 1
          yield encoder.encode(letter.repeat(4))
        }
      })(),
    ),
  )

describe("a client's stream", () => {
  it("has media in place of their marks, followed by the rest", async () => {
    const { stream } = setUp(letters({ count: 0 }))
    stream.write("one ")
    stream.write(`two ${mark("ab", 8)} and ${mark("c", 4)}, `)
    stream.write("three ")
    stream.write(`${mark("d", 4)}`)
    stream.close()
    expect(await new Response(stream.readable).text()).toBe("one two aaaabbbb and cccc, three dddd")
    expect(stream.unread).toBe(0)
  })

  it("reads no more of the media than the client consumes, and counts only what is buffered", async () => {
    const made = { count: 0 }
    const { stream } = setUp(letters(made))
    stream.write(mark("x".repeat(64), 256))
    for (let line = 0; line < 10; line += 1) stream.write("0123456789")
    const reader = stream.readable.getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(made.count).toBeLessThan(8)
    expect(stream.unread).toBeLessThan(300)
    await reader.cancel()
  })

  it("ends with an error when media can't be read, because half an event is useless", async () => {
    const { stream, gone } = setUp(() => Promise.reject(new Error("the object was restarted")))
    stream.write(`before ${mark("a", 4)} after`)
    const read = new Response(stream.readable).text().then(
      () => "whole",
      () => "broken",
    )
    expect(await read).toBe("broken")
    expect(gone).toHaveBeenCalled()
  })
})

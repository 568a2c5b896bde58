// A client's stream with media in it: in their place, in order, and never more of them held than the client reads.
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

/** A stream of the hash's letters, piece by piece; counts what was made. */
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
  it("has media in the place of their marks, and what follows after them", async () => {
    const { stream } = setUp(letters({ count: 0 }))
    stream.write("one ")
    stream.write(`two ${mark("ab", 8)} and ${mark("c", 4)}, `)
    stream.write("three ")
    stream.write(`${mark("d", 4)}`)
    stream.close()
    expect(await new Response(stream.readable).text()).toBe("one two aaaabbbb and cccc, three dddd")
    expect(stream.held).toBe(0)
  })

  it("reads no more of media than the client takes, and counts only what waits", async () => {
    const made = { count: 0 }
    const { stream } = setUp(letters(made))
    stream.write(mark("x".repeat(64), 256))
    for (let line = 0; line < 10; line += 1) stream.write("0123456789")
    const reader = stream.readable.getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(made.count).toBeLessThan(8)
    expect(stream.held).toBeLessThan(300)
    await reader.cancel()
  })

  it("breaks off when media can't be read: half of an event is none", async () => {
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

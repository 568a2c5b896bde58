// Media in streams of the Workers runtime, when chunks share memory.
import { describe, expect, it, vi } from "vitest"
import { SELF } from "cloudflare:test"
import { perchClient } from "../../src/client/api/entry.ts"
import { ClientStream } from "../../src/http/stream/client-stream.ts"
import { mediaBody } from "../../src/model/request/media-body.ts"
import { byteStream } from "../../src/net/byte-stream.ts"
import { textOfMark, toStoredText } from "../../src/schemas/log/media-mark.ts"

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const encoder = new TextEncoder()
const mark = (hash: string, length: number) => textOfMark({ hash, length })

/**
 * A chunk of `size` characters for each letter, all in the same memory; counts the produced chunks, and records whether it
 * was cancelled.
 */
const letters = (text: string, size: number) => {
  const made = { count: 0, ended: false }
  const memory = new Uint8Array(size)
  const pieces = (function* () {
    try {
      for (const letter of text) {
        made.count += 1
        if (letter === "!") throw new Error("a chunk is lost")
        yield memory.fill(letter.charCodeAt(0))
      }
    } finally {
      made.ended = true
      memory.buffer.transfer(0)
    }
  })()
  return { made, pieces }
}

/** Chunks from another object have their own memory, and are not an identity stream. */
const fromElsewhere = (pieces: Iterator<Uint8Array>) =>
  new ReadableStream<Uint8Array>(
    {
      pull(out) {
        const { done, value } = pieces.next()
        if (done === true) out.close()
        else out.enqueue(value.slice())
      },
      cancel: () => void pieces.return?.(),
    },
    { highWaterMark: 0 },
  )

const repeated = (text: string, size: number) => Array.from(text, (letter) => letter.repeat(size)).join("")

describe("a stream of pieces", () => {
  it.each([undefined, 26 * 100_000])("has all of them, although they share memory (length %s)", async (length) => {
    const alphabet = "abcdefghijklmnopqrstuvwxyz"
    const { made, pieces } = letters(alphabet, 100_000)
    const response = new Response(byteStream(pieces, length))
    expect(await response.text()).toBe(repeated(alphabet, 100_000))
    expect(made).toEqual({ count: 26, ended: true })
  })

  it("produces no chunk before the previous one is read", async () => {
    const { made, pieces } = letters("abcdef", 1000)
    const reader = byteStream(pieces).getReader({ mode: "byob" })
    const { value } = await reader.read(new Uint8Array(400))
    expect(new TextDecoder().decode(value)).toBe("a".repeat(400))
    expect(made.count).toBe(1)
    await reader.cancel()
    await vi.waitUntil(() => made.ended)
  })

  it("fails when a chunk can't be produced", async () => {
    await expect(new Response(byteStream(letters("ab!", 10).pieces)).text()).rejects.toThrow("a chunk is lost")
  })

  it("is a request's body with its media", async () => {
    const written = encoder.encode(`{"a":"${mark("xyz", 3000)}","b":"é"}`)
    const { body } = mediaBody(written, function* (text) {
      const [before, after] = text.split(mark("xyz", 3000))
      yield encoder.encode(before)
      yield* letters("xyz", 1000).pieces
      yield encoder.encode(after)
    })
    expect(await new Response(body).text()).toBe(`{"a":"${repeated("xyz", 1000)}","b":"é"}`)
  })
})

describe("a client's stream", () => {
  const opened = (text: string, size = 10_000) => {
    const gone = vi.fn()
    const { made, pieces } = letters(text, size)
    const stream = new ClientStream({ drained: () => undefined, gone }, () => Promise.resolve(fromElsewhere(pieces)))
    return { stream, gone, made }
  }

  it("has media in place of their marks, followed by the rest", async () => {
    const { stream, gone } = opened("abc")
    stream.write(`one ${toStoredText(mark("abc", 30_000))} two, `)
    stream.write("three")
    stream.close()
    expect(await new Response(stream.readable).text()).toBe(`one ${repeated("abc", 10_000)} two, three`)
    expect(stream.unread).toBe(0)
    expect(gone).not.toHaveBeenCalled()
  })

  it("fails when its media fail, because half an event is useless", async () => {
    const { stream, gone } = opened("ab!")
    stream.write(`one ${toStoredText(mark("ab!", 30_000))} two`)
    await expect(new Response(stream.readable).text()).rejects.toThrow()
    await vi.waitUntil(() => gone.mock.calls.length > 0)
  })

  it("ends the media of a reader that disconnects", async () => {
    const { stream, gone, made } = opened("abc")
    stream.write(toStoredText(mark("abc", 30_000)))
    const reader = stream.readable.getReader()
    await reader.read()
    await reader.cancel()
    await vi.waitUntil(() => gone.mock.calls.length > 0)
    await vi.waitUntil(() => made.ended)
  })

  it("ends the media when its writer is aborted", async () => {
    const { stream, made } = opened("abc")
    stream.write(toStoredText(mark("abc", 30_000)))
    const reader = stream.readable.getReader()
    await reader.read()
    stream.abort()
    const rest = async () => {
      while (!(await reader.read()).done) continue
    }
    await expect(rest()).rejects.toThrow()
    await vi.waitUntil(() => made.ended)
  })
})

it("an image of several chunks is returned whole in events, messages and streams", async () => {
  const client = perchClient({
    url: "https://perch.test",
    apiKey: "test-root-key-of-at-least-32-characters",
    fetch: ((input, init) => SELF.fetch(input, init)) as typeof fetch,
  })
  const bytes = Uint8Array.from({ length: 1_700_001 }, (_, index) => PNG[index] ?? (index * index) >> 7)
  const data = Buffer.from(bytes).toString("base64")
  const session = await client.createSession({})
  await session.files.write("/workspace/a.png", bytes)
  await session.query("read a.png")
  const read = async (path: string) => {
    const headers = { "x-api-key": "test-root-key-of-at-least-32-characters" }
    return SELF.fetch(`https://perch.test/v1/sessions/${session.id}/${path}`, { headers })
  }
  expect((await (await read("events?limit=500")).text()).includes(data)).toBe(true)
  // The prompt has a page of its own: a page ends before 4 MiB.
  const { next_cursor } = await (await read("messages?limit=500")).json<{ next_cursor: string }>()
  expect((await (await read(`messages?limit=500&after=${next_cursor}`)).text()).includes(data)).toBe(true)
  const stream = await read("events/stream?after=0")
  const chunks: Array<string> = []
  for await (const chunk of (stream.body ?? byteStream([])).pipeThrough(new TextDecoderStream())) {
    chunks.push(chunk)
    if (chunks.slice(-2).join("").includes('"type":"result"')) break
  }
  expect(chunks.join("").includes(data)).toBe(true)
})

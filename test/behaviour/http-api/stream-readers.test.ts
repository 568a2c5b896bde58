// One stream, parsed by each kind of reader: every event arrives complete, and none without data, whatever its texts contain.
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { HEARTBEAT_MS, sseStream } from "../../../src/http/stream/sse.ts"
import { escapeLineEnds } from "../../../src/http/stream/sse-text.ts"
import { clientView } from "../../../src/views/client.ts"
import { sdkView, type View } from "../../../src/views/sdk.ts"
import { READERS } from "../../support/server/sse-readers.ts"
import { FakeSocket } from "../../http/fake-socket.ts"

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Every character that some language treats as a space, a line end or nothing, alone and in combination. */
const CHARACTERS = [
  ...Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(code)),
  ..."\u007f\u0080\u0085\u00a0\u00ad\u034f\u061c\u1680\u180e\u2000\u200b\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff",
  "\ud800",
  "\udfff",
  "😀",
  "e\u0301",
]
const TEXTS = [
  ...CHARACTERS,
  CHARACTERS.join(""),
  `before\u2028data: {"type":"forged"}\u2028\u2028id: 99\u0085`,
  "\u2029".repeat(1000),
  'a "quoted" \\u2028 \\ text',
]

const messageOf = (text: string) => ({ type: "assistant", uuid: "u", message: { content: [{ type: "text", text }] } })

/** The chunks that the server sends for these texts, with heartbeats in between, in order. */
const streamed = async (view: View): Promise<string> => {
  const socket = new FakeSocket()
  const stream = sseStream({
    first: socket as unknown as WebSocket, // the pump uses only members that the fake has
    open: () => new Promise(() => undefined),
    after: 0,
    view,
    until: (line) => line.name === "sdk:result",
    media: () => Promise.reject(new Error("no media")),
    signal: new AbortController().signal,
    onLost: () => undefined,
  })
  const whole = new Response(stream).text()
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
  for (const [index, text] of TEXTS.entries()) {
    socket.send({ seq: index + 1, name: "sdk:assistant", json: JSON.stringify(messageOf(text)) })
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
    socket.send({ name: "sdk:stream_event", json: JSON.stringify(messageOf(text)) })
  }
  socket.send({ seq: TEXTS.length + 1, name: "sdk:result", json: JSON.stringify(messageOf("end")) })
  await vi.advanceTimersByTimeAsync(0)
  return whole
}

/** Chunks of 1 to 7 characters, the same each time. */
const pieces = (text: string): ReadonlyArray<string> => {
  const chunks: Array<string> = []
  for (let at = 0, size = 1; at < text.length; at += size, size = (size * 5 + 3) % 7) {
    size += 1
    chunks.push(text.slice(at, at + size))
  }
  return chunks
}

for (const [form, view] of [
  ["sdk", sdkView],
  ["client", clientView],
] as const) {
  let sent: Promise<string> | undefined
  for (const [name, read] of Object.entries(READERS)) {
    it(`format=${form} is complete in a reader of the kind "${name}"`, async () => {
      // The first test lets the stream run until its end.
      const text = await (sent ??= streamed(view))
      const expected = TEXTS.flatMap((one) => [messageOf(one), messageOf(one)]).concat(messageOf("end"))
      for (const chunks of [[text], pieces(text)]) {
        const events = read(chunks)
        const payloads = events.map(({ data }) => JSON.parse(data) as { payload?: unknown })
        expect(payloads.map((value) => (form === "client" ? value.payload : value))).toEqual(expected)
      }
    })
  }
}

it("a raw character of this kind breaks Python's line splitter, and the readers here reproduce that", () => {
  const raw = `data: ${JSON.stringify(messageOf("a\u2028b"))}\n\n`
  expect(() => READERS["httpxSse"]!([raw]).map(({ data }) => JSON.parse(data) as unknown)).toThrow(SyntaxError)
  expect(READERS["requests, decoded"]!([raw])).toHaveLength(2)
  expect(READERS["httpxSse"]!(["id: 1\ndata: {}\n\n: hb\n\n"])).toHaveLength(2)
  expect(READERS["httpxSse"]!(["retry: 1000\n\n"])).toHaveLength(1)
})

it("escapes nothing else, and returns the same text when there is nothing to escape", () => {
  const plain = "data: é😀\u2027\u202a\u0084\u0086\n\n"
  expect(escapeLineEnds(plain)).toBe(plain)
  expect(escapeLineEnds('"\u0085\u2028\u2029\\u2028"')).toBe('"\\u0085\\u2028\\u2029\\u2028"')
})

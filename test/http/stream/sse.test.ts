// The pump between a feed socket and an SSE client: framing, heartbeats, broken sockets, slow and disconnecting readers.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { FeedStart } from "../../../src/http/socket/feed-socket.ts"
import {
  BUFFER_LIMIT,
  HEARTBEAT_MS,
  RETRY_MS,
  type SseSource,
  sseStream,
  STALL_MS,
} from "../../../src/http/stream/sse.ts"
import { encodeFrame } from "../../../src/http/stream/sse-text.ts"
import type { FeedLine } from "../../../src/schemas/log/feed-line.ts"
import type { RpcResult } from "../../../src/schemas/errors/rpc-error.ts"
import { isResult, sdkView } from "../../../src/views/sdk.ts"
import { openTimersOf } from "../../support/values/open-timers.ts"
import { FakeSocket } from "../fake-socket.ts"

let openTimers = () => 0

beforeEach(() => {
  vi.useFakeTimers()
  openTimers = openTimersOf("/http/stream/sse.ts")
})
afterEach(() => vi.useRealTimers())

const asWebSocket = (socket: FakeSocket) => socket as unknown as WebSocket // the pump uses only members that the fake has
const line = (seq: number | null, json = `{"n":${seq}}`): FeedLine => ({
  seq,
  at: 0,
  turn: "t",
  name: "sdk:assistant",
  json,
})
const live = (last: number) => ({ name: "feed:live", json: `{"last_seq":${last}}` })

/** A stream over the test's sockets; `opened` lists where each was opened. */
const setUp = (more: Partial<SseSource> = {}, answer?: () => RpcResult<WebSocket> | Error) => {
  const sockets = [new FakeSocket()]
  const opened: Array<FeedStart> = []
  const gone = new AbortController()
  const onLost = vi.fn()
  const stream = sseStream({
    first: asWebSocket(sockets[0]!),
    open: async (after) => {
      opened.push(after)
      const given = answer?.()
      if (given instanceof Error) throw given
      if (given !== undefined) return given
      const socket = new FakeSocket()
      sockets.push(socket)
      return { ok: true, value: asWebSocket(socket) }
    },
    after: 0,
    view: sdkView,
    media: () => Promise.reject(new Error("no media")),
    signal: gone.signal,
    onLost,
    ...more,
  })
  const reader = stream.getReader()
  // A pending read of the previous call, which the next call continues.
  let reading: Promise<ReadableStreamReadResult<Uint8Array>> | null = null
  /** Everything that was sent so far. */
  const sent = async (): Promise<string> => {
    let text = ""
    for (;;) {
      reading ??= reader.read()
      const next = await Promise.race([reading, vi.advanceTimersByTimeAsync(0).then(() => null)])
      if (next === null) return text
      reading = null
      if (next.done) return text
      text += new TextDecoder().decode(next.value)
    }
  }
  return { sockets, opened, gone, onLost, reader, sent }
}

describe("framing", () => {
  it("a durable event has an id, an ephemeral one has none", () => {
    expect(encodeFrame({ id: 7, data: "{}" })).toBe("id: 7\ndata: {}\n\n")
    expect(encodeFrame({ id: null, data: "{}" })).toBe("data: {}\n\n")
    expect(encodeFrame({ id: null, event: "e", data: "{}" })).toBe("event: e\ndata: {}\n\n")
  })

  it("the payload is passed through byte for byte, and only SDK messages are sent", () => {
    const json = '{"a":  "\\u00fc\\n","b":1e3}'
    expect(sdkView(line(3, json))).toEqual([{ id: 3, data: json }])
    expect(sdkView({ ...line(4), name: "call:finished" })).toEqual([])
    expect(isResult({ ...line(4), name: "sdk:result/success" })).toBe(true)
    expect(isResult({ ...line(4), name: "sdk:resultant" })).toBe(false)
  })
})

describe("the stream", () => {
  it("sends new events, drops repeated ones, and sends heartbeats while it is idle", async () => {
    const { sockets, sent } = setUp({ after: 1 })
    for (const next of [line(1), line(2), line(2), line(null), live(2), line(3)]) sockets[0]!.send(next)
    expect(await sent()).toBe(
      ': connected\nretry: 1000\nid: 2\ndata: {"n":2}\n\ndata: {"n":null}\n\nid: 3\ndata: {"n":3}\n\n',
    )
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS * 2)
    expect(await sent()).toBe(": hb\n: hb\n")
  })

  it("ends after its last line, and stops the heartbeat", async () => {
    const { sockets, reader, sent } = setUp({ until: isResult })
    sockets[0]!.send({ ...line(1), name: "sdk:result/success" })
    sockets[0]!.send(line(2))
    expect(await sent()).toBe(': connected\nretry: 1000\nid: 1\ndata: {"n":1}\n\n')
    expect((await reader.read()).done).toBe(true)
    expect(sockets[0]!.closedByClient).toBe(true)
    expect(openTimers()).toBe(0)
  })

  it("a broken socket is reopened after the last seq, without gap or repeat", async () => {
    const { sockets, opened, sent } = setUp()
    sockets[0]!.send(line(1))
    sockets[0]!.send({ ...line(2), name: "call:finished" })
    sockets[0]!.drop()
    sockets[0]!.send(line(9)) // nothing is read from an abandoned socket
    await vi.advanceTimersByTimeAsync(RETRY_MS[0])
    expect(opened).toEqual([2])
    for (const next of [line(2), line(3)]) sockets[1]!.send(next)
    expect(await sent()).toBe(': connected\nretry: 1000\nid: 1\ndata: {"n":1}\n\nid: 3\ndata: {"n":3}\n\n')
  })

  it("gives up after growing pauses, reports where to resume, and logs it", async () => {
    const { sockets, opened, onLost, reader, sent } = setUp({}, () => new Error("down"))
    sockets[0]!.send(line(5))
    sockets[0]!.drop()
    await vi.advanceTimersByTimeAsync(RETRY_MS.reduce((sum, pause) => sum + pause, 0))
    expect(opened).toHaveLength(RETRY_MS.length)
    expect(onLost).toHaveBeenCalledOnce()
    expect(await sent()).toMatch(/: the connection to the session is lost; resume after 5\n$/)
    expect((await reader.read()).done).toBe(true)
    expect(openTimers()).toBe(0)
  })

  it("ends at once when the session is gone", async () => {
    const gone = { ok: false, error: { type: "not_found_error", message: "" } } as const
    const { sockets, opened, reader, sent } = setUp({}, () => gone)
    sockets[0]!.drop()
    await vi.advanceTimersByTimeAsync(RETRY_MS[0])
    expect(opened).toHaveLength(1)
    expect(await sent()).toMatch(/: the session is gone/)
    expect((await reader.read()).done).toBe(true)
  })

  it("a stream of a turn sends its last frame when the session is gone, and one that was fully read does not", async () => {
    const answer = { ok: false, error: { type: "not_found_error", message: "" } } as const
    const gone = vi.fn(() => [{ id: null, event: "turn_cancelled", data: "{}" }])
    const first = setUp({ gone }, () => answer)
    first.sockets[0]!.drop()
    await vi.advanceTimersByTimeAsync(RETRY_MS[0])
    expect(await first.sent()).toMatch(/event: turn_cancelled\ndata: \{\}\n\n: the session is gone/)
    const second = setUp({ gone, until: isResult }, () => answer)
    second.sockets[0]!.send({ ...line(1), name: "sdk:result/success" })
    second.sockets[0]!.drop()
    await vi.advanceTimersByTimeAsync(RETRY_MS[0])
    expect(gone).toHaveBeenCalledTimes(1)
  })

  it("a cursor beyond the log is reported as catch_up_truncated, and new events are sent", async () => {
    const { sockets, sent } = setUp({ after: 100 })
    sockets[0]!.send({ name: "feed:truncated", json: '{"last_seq":3}' })
    sockets[0]!.send(line(4))
    expect(await sent()).toContain('retry: 1000\nevent: catch_up_truncated\ndata: {"last_seq":3}\n\nid: 4\n')
  })

  it("a live reader that does not read is closed with its resume point before its buffer exceeds the limit", async () => {
    const { sockets, reader } = setUp()
    sockets[0]!.send(live(0))
    const big = JSON.stringify("x".repeat(256 * 1024))
    for (let seq = 1; seq <= 100; seq += 1) sockets[0]!.send(line(seq, big))
    expect(sockets[0]!.closedByClient).toBe(true)
    let size = 0
    let text = ""
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength
      text = new TextDecoder().decode(next.value)
    }
    expect(size).toBeLessThan(BUFFER_LIMIT + 300 * 1024)
    expect(text).toMatch(/^: closed because the client reads too slowly; resume after 1[5-7]\n$/)
  })

  it("a replay larger than the limit waits for the reader: nothing is lost or repeated", async () => {
    const big = JSON.stringify("x".repeat(256 * 1024))
    const last = 100
    const { sockets, opened, reader } = setUp()
    const replay = (socket: FakeSocket, after: number): void => {
      for (let seq = after + 1; seq <= last; seq += 1) socket.send(line(seq, big))
      socket.send(live(last))
    }
    replay(sockets[0]!, 0)
    expect(sockets[0]!.closedByClient).toBe(true)
    let text = ""
    for (let served = 1; !text.includes(`id: ${last}\n`);) {
      const next = await reader.read()
      expect(next.done).toBe(false)
      text += new TextDecoder().decode(next.value).replace(/^data: .*$/m, "data")
      await vi.advanceTimersByTimeAsync(0)
      for (; served < sockets.length; served += 1) replay(sockets[served]!, Number(opened.at(-1)))
    }
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(ids).toEqual(Array.from({ length: last }, (_, index) => index + 1))
    expect(opened.length).toBeGreaterThan(3)
  })

  it("of a replay in pages the next one is asked for when the reader has read, on the same socket", async () => {
    const { sockets, opened, reader } = setUp()
    const [socket] = sockets as [FakeSocket]
    const big = JSON.stringify("x".repeat(256 * 1024))
    const page = (first: number) => {
      for (let seq = first; seq < first + 4; seq += 1) socket.send(line(seq, big))
      socket.send({ name: "feed:page", json: `{"last_seq":${first + 3}}` })
    }
    page(1)
    await vi.advanceTimersByTimeAsync(STALL_MS - 1)
    expect(socket.asked).toBe(0)
    let text = ""
    while (!text.includes("id: 1\n")) text += new TextDecoder().decode((await reader.read()).value)
    expect(socket.asked).toBe(0)
    while (socket.asked === 0) text += new TextDecoder().decode((await reader.read()).value)
    page(5)
    expect(socket.asked).toBe(1)
    while (socket.asked === 1) text += new TextDecoder().decode((await reader.read()).value)
    socket.send(live(8))
    while (!text.includes("id: 8\n")) text += new TextDecoder().decode((await reader.read()).value)
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect([ids, opened, socket.closedByClient]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [], false])
    await reader.cancel()
    await vi.advanceTimersByTimeAsync(0)
    expect(openTimers()).toBe(0)
  })

  it("a feed that closes while its reader has not read is opened again when it has", async () => {
    const { sockets, opened, reader } = setUp()
    sockets[0]!.send(line(1, JSON.stringify("x".repeat(1024 * 1024))))
    sockets[0]!.send({ name: "feed:page", json: '{"last_seq":1}' })
    sockets[0]!.drop()
    await vi.advanceTimersByTimeAsync(RETRY_MS[0])
    expect(opened).toEqual([])
    for (let read = 0; read < 1024 * 1024;) read += (await reader.read()).value?.byteLength ?? 0
    await vi.waitFor(() => expect([opened, sockets[0]!.asked]).toEqual([[1], 0]))
  })

  it("a replay whose reader has stalled for a minute is closed", async () => {
    const { sockets, reader } = setUp()
    const big = JSON.stringify("x".repeat(1024 * 1024))
    for (let seq = 1; seq <= 10; seq += 1) sockets[0]!.send(line(seq, big))
    await vi.advanceTimersByTimeAsync(STALL_MS)
    let text = ""
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text = new TextDecoder().decode(next.value)
    expect(text).toMatch(/^: closed because the client reads too slowly; resume after 4\n$/)
    expect(openTimers()).toBe(0)
  })

  it("a stream that started at the head and lost its socket resumes from there, not from the start", async () => {
    const { sockets, opened } = setUp({ after: "head" })
    sockets[0]!.drop()
    await vi.advanceTimersByTimeAsync(RETRY_MS[0])
    sockets[1]!.send(live(41))
    sockets[1]!.drop()
    await vi.advanceTimersByTimeAsync(RETRY_MS[1])
    expect(opened).toEqual(["head", 41])
  })

  it("a client that disconnects closes its feed, by cancelling or by its signal", async () => {
    const first = setUp()
    await first.reader.cancel()
    await vi.waitFor(() => expect(first.sockets[0]!.closedByClient).toBe(true))
    const second = setUp()
    second.gone.abort()
    expect(second.sockets[0]!.closedByClient).toBe(true)
    const third = setUp()
    third.sockets[0]!.drop()
    await third.reader.cancel()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(third.opened).toEqual([])
    expect(openTimers()).toBe(0)
  })
})

// What the page knows about its requests while the server is silent, or asks to send them later.
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { ConnectionError } from "../../../src/client/api/perch-error.ts"
import { Transport } from "../../../src/client/api/transport.ts"
import { askedPause, isSilent, reported, stopWaiting } from "../../../src/console/network/pending-requests.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A server that never responds; `sent` has the signals of its requests. */
const silentServer = () => {
  const sent: Array<AbortSignal> = []
  const send = reported((_input, init) => {
    const signal = init!.signal!
    sent.push(signal)
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)))
  })
  return { sent, transport: new Transport({ url: "https://perch.test", apiKey: "key", fetch: send }) }
}

it("a request without a response is reported after ten seconds; stopped, it rejects and is not sent again", async () => {
  const { sent, transport } = silentServer()
  const failure = expect(transport.json("GET", "/v1/sessions")).rejects.toThrow(ConnectionError)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(isSilent.value).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(isSilent.value).toBe(true)
  stopWaiting()
  await failure
  await vi.advanceTimersByTimeAsync(30_000)
  expect([sent.length, isSilent.value]).toEqual([1, false])
})

it("a request that its sender aborts is no longer reported", async () => {
  const { transport } = silentServer()
  const stop = new AbortController()
  const failure = expect(transport.json("GET", "/v1/sessions", { signal: stop.signal })).rejects.toThrow("left")
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isSilent.value).toBe(true)
  stop.abort(new Error("left"))
  await failure
  expect(isSilent.value).toBe(false)
})

/** A server whose response begins at once; its body only has what `send` sends. */
const slowServer = () => {
  const body = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
  const writer = body.writable.getWriter()
  let sent = 0
  const fetch = reported(async (_input, init) => {
    sent += 1
    // In Chromium, a body that is aborted while it is read rejects with a TypeError, whatever the signal's reason.
    init!.signal!.addEventListener("abort", () => void writer.abort(new TypeError("Failed to fetch")))
    return new Response(body.readable, { status: 201, headers: { "content-type": "application/json", etag: "v" } })
  })
  return {
    sent: () => sent,
    send: (text: string) => void writer.write(new Uint8Array(new TextEncoder().encode(text))),
    end: () => void writer.close(),
    transport: new Transport({ url: "https://perch.test", apiKey: "key", fetch }),
  }
}

it("a body that hangs is reported after ten seconds; stopped, its request rejects and is not sent again", async () => {
  const { send, sent, transport } = slowServer()
  const failure = expect(transport.json("GET", "/v1/sessions")).rejects.toThrow("The server does not respond.")
  await vi.advanceTimersByTimeAsync(9_000)
  send('{"data":')
  await vi.advanceTimersByTimeAsync(9_999)
  expect(isSilent.value).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(isSilent.value).toBe(true)
  stopWaiting()
  await failure
  await vi.advanceTimersByTimeAsync(30_000)
  expect([sent(), isSilent.value]).toEqual([1, false])
})

it("a body that goes on is no longer reported, and its response is complete", async () => {
  const { send, end, transport } = slowServer()
  const answer = transport.answer("GET", "/v1/sessions")
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isSilent.value).toBe(true)
  send("[1,")
  await vi.advanceTimersByTimeAsync(1)
  expect(isSilent.value).toBe(false)
  send("2]")
  end()
  const { body, headers } = await answer
  expect([body, headers.get("etag")]).toEqual([[1, 2], "v"])
})

it.each([
  [429, "40", 40],
  [503, "5", 5],
  [429, "4", null],
  [429, "61", null],
  [400, "40", null],
])("a response %i with retry-after %s asks for a pause of %s seconds", async (status, seconds, shown) => {
  await reported(async () => new Response("", { status, headers: { "retry-after": seconds } }))("https://perch.test")
  expect(askedPause.value).toBe(shown)
  await vi.advanceTimersByTimeAsync(40_000)
  expect(askedPause.value).toBe(null)
})

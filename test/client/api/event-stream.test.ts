// How reading a stream of events ends.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { perchClient } from "../../../src/client/api/perch-client.ts"
import { readEventStream } from "../../../src/client/api/event-stream.ts"

test("a stream that is ended while an event is handled rejects once, in the reader", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write('id: 1\ndata: {"n":1}\n\n')
  })
  server.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo // a TCP server has an AddressInfo
  const unhandled: Array<unknown> = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on("unhandledRejection", note)
  onTestFinished(() => {
    process.off("unhandledRejection", note)
    server.closeAllConnections()
    server.close()
  })
  const stop = new AbortController()
  const seen: Array<unknown> = []
  const read = async () => {
    const connect = (_: number | undefined, signal: AbortSignal) => fetch(`http://127.0.0.1:${port}`, { signal })
    for await (const { message } of readEventStream({ connect, signal: stop.signal, attempts: 0 })) {
      seen.push(message)
      stop.abort(new Error("It is enough."))
    }
  }
  await expect(read()).rejects.toThrow("It is enough.")
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual([{ n: 1 }])
  expect(unhandled).toEqual([])
})

test("a stream fails at once when the server asks for a longer pause than a minute", async () => {
  let requests = 0
  const refuse: typeof fetch = async () => {
    requests += 1
    const error = { type: "rate_limit_error", message: "no" }
    return Response.json({ type: "error", error }, { status: 429, headers: { "retry-after": "3600" } })
  }
  const session = perchClient({ url: "https://perch.test", apiKey: "key", fetch: refuse }).session("s")
  await expect(session.events().next()).rejects.toMatchObject({ retry_after: 3600 })
  await expect(session.stream("go").next()).rejects.toMatchObject({ retry_after: 3600 })
  expect(requests).toBe(2)
})

test("a stream that can't connect is tried twice as often as a request, and by itself alone", async () => {
  let requests = 0
  const refuse: typeof fetch = async () => {
    requests += 1
    const error = { type: "service_unavailable_error", message: "no" }
    return Response.json({ type: "error", error }, { status: 503, headers: { "retry-after": "0" } })
  }
  const options = { url: "https://perch.test", apiKey: "key", fetch: refuse }
  const sent = async (maxRetries: number, kind: "events" | "stream") => {
    requests = 0
    const session = perchClient({ ...options, maxRetries }).session("s")
    const stream = kind === "events" ? session.events() : session.stream("go")
    await expect(stream.next()).rejects.toMatchObject({ status: 503 })
    return requests
  }
  expect([await sent(4, "stream"), await sent(4, "events")]).toEqual([9, 9])
  expect([await sent(0, "stream"), await sent(0, "events")]).toEqual([1, 3])
})

test("a stream or an archive from a fetch without streams, as React Native's, is an error after one request", async () => {
  let requests = 0
  const client = perchClient({
    url: "https://perch.test",
    apiKey: "key",
    fetch: async () => {
      requests += 1
      const { status, ok, headers } = new Response("")
      // What such a platform returns lacks `body`.
      return { status, ok, headers, text: async () => "" } as Response
    },
  })
  const session = client.session("s")
  const message = "This platform's fetch can't stream a response. Pass one that can, as the client's option fetch."
  await expect(session.stream("go").next()).rejects.toThrow(new TypeError(message))
  await expect(session.events().next()).rejects.toThrow(new TypeError(message))
  await expect(session.files.download()).rejects.toThrow(new TypeError(message))
  expect(requests).toBe(3)
})

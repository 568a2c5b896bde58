import { createServer } from "node:http"
import { Deferred, Effect, Fiber } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { liveModel } from "../../../src/model/live/live-model.ts"
import { MessagesApi, type MessagesRequest, ModelError, type RawStreamEvent } from "../../../src/model/messages-api.ts"
import { StreamDecoder } from "../../../src/model/answer/stream-decoder.ts"
import { each } from "../../support/server/opened-stream.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"

const KEY = "sk-ant-very-secret"

let api: ScriptedApi

beforeAll(async () => {
  api = await createFakeApi()
})
afterAll(() => api.close())

const requestFor = (script: string): MessagesRequest => ({
  model: "claude-sonnet-4-5",
  max_tokens: 1000,
  messages: [{ role: "user", content: `[[script:${script}]] go` }],
  tools: [{ name: "Read", input_schema: { type: "object" } }],
})
const context = { sessionId: "0199-session", betas: ["interleaved-thinking-2025-05-14", "effort-2025-11-24"] }

interface Answer {
  readonly requestId: string | null
  readonly events: ReadonlyArray<RawStreamEvent>
  readonly failure: ModelError | null
}

/** Makes one request; returns the events before the end or the failure. */
const ask = (script: string, baseUrl = api.url, apiKey = KEY): Promise<Answer> => {
  const events: Array<RawStreamEvent> = []
  return Effect.gen(function* () {
    const model = yield* MessagesApi
    return yield* model.stream(requestFor(script), context, (opened) =>
      each(opened, (event) => Effect.sync(() => events.push(event))).pipe(
        Effect.as(null),
        Effect.catch((error) => Effect.succeed(error)),
        Effect.map((failure): Answer => ({ requestId: opened.requestId, events, failure })),
      ),
    )
  }).pipe(
    Effect.catch((failure) => Effect.succeed<Answer>({ requestId: null, events, failure })),
    Effect.provide(liveModel({ apiKey, baseUrl })),
    Effect.runPromise,
  )
}

const typesOf = (answer: Answer) => answer.events.map((event) => event.type)

describe("an answer", () => {
  it("arrives as the events that the API sent, without pings, with its request id", async () => {
    api.set("plain", { turns: [{ content: [{ type: "text", text: "Hello there" }], chunk: 6 }] })
    const answer = await ask("plain")
    expect(typesOf(answer)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ])
    expect(answer.requestId).toMatch(/^req_\d+$/)
    expect(answer.failure).toBeNull()
  })

  it("keeps unknown events, unknown fields and the order of keys", async () => {
    const start = { zeta: 1, type: "odd_block", alpha: { nested: [null, true] } }
    const later = { type: "thread_note", z: 1, a: 2 }
    const deltas = [{ type: "sparkle_delta", b: 1, a: 2 }]
    api.set("odd", { turns: [{ content: [{ raw: { start, deltas } }, { event: later }] }] })
    const { events } = await ask("odd")
    expect(events.slice(1, 5).map((event) => JSON.stringify(event))).toEqual([
      `{"type":"content_block_start","index":0,"content_block":${JSON.stringify(start)}}`,
      `{"type":"content_block_delta","index":0,"delta":${JSON.stringify(deltas[0])}}`,
      '{"type":"content_block_stop","index":0}',
      JSON.stringify(later),
    ])
  })

  it("decodes to the blocks that were sent, for any characters and any split by the network", async () => {
    const content = [
      { type: "thinking", thinking: "ß → 日本語 \u2028 end", signature: "c2lnbmF0dXJl" },
      { type: "redacted_thinking", data: "EmwK" },
      { type: "text", text: "line\nline\r\n\tdata: not a field 🐦 ".repeat(2000) },
      { type: "tool_use", id: "toolu_1", name: "Write", input: { file_path: "/a", content: "é\n\n" } },
    ]
    api.set("all", { turns: [{ content, chunk: 7 }] })
    const { events } = await ask("all")
    const decoder = new StreamDecoder()
    const blocks = events.flatMap((event) => {
      const decoded = decoder.push(event)
      return decoded?.kind === "block_finished" ? [decoded.block] : []
    })
    expect(blocks).toEqual(content)
  })

  it("is requested with the unchanged body, the session and the betas", async () => {
    api.set("sent", { turns: [{ content: [{ type: "text", text: "ok" }] }] })
    await ask("sent")
    const sent = api.log.findLast((entry) => entry.script === "sent")
    expect(JSON.stringify(sent?.body)).toBe(JSON.stringify({ ...requestFor("sent"), stream: true }))
    expect(sent?.headers).toMatchObject({
      "x-perch-session-id": "0199-session",
      "anthropic-beta": "interleaved-thinking-2025-05-14,effort-2025-11-24",
      authorization: "(set)",
    })
    expect(Object.keys(sent?.headers ?? {}).filter((name) => name.startsWith("x-stainless"))).toEqual([])
  })
})

describe("failures", () => {
  it.each([
    [400, "invalid_request_error", "messages.0: bad thing"],
    [401, "authentication_error", "invalid x-api-key"],
    [404, "not_found_error", "model: nope"],
    [413, "request_too_large", "too large"],
    [429, "rate_limit_error", "slow down"],
    [500, "api_error", "oops"],
    [529, "overloaded_error", "Overloaded"],
  ])("HTTP %i is reported with its type, message and request id, after one try", async (status, type, message) => {
    const name = `http-${status}`
    api.set(name, { turns: [{ error: { status, type, message } }] })
    const { failure, events } = await ask(name)
    expect(events).toEqual([])
    expect(failure).toBeInstanceOf(ModelError)
    expect(failure).toMatchObject({ status, type, message, retryAfterMs: null, midStream: false })
    expect(failure?.requestId).toMatch(/^req_\d+$/)
    expect(api.log.filter((entry) => entry.script === name)).toHaveLength(1)
  })

  it.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" }, null],
  ])("%j asks for a wait of %s ms", async (headers, expected) => {
    api.set("wait", { turns: [{ error: { status: 429, type: "rate_limit_error", message: "m", headers } }] })
    expect((await ask("wait")).failure?.retryAfterMs).toBe(expected)
  })

  it("a delay until a date is counted from now", async () => {
    const headers = { "retry-after": new Date(Date.now() + 60_000).toUTCString() }
    api.set("wait", { turns: [{ error: { status: 503, type: "api_error", message: "m", headers } }] })
    const wait = (await ask("wait")).failure?.retryAfterMs ?? 0
    expect(wait).toBeGreaterThan(50_000)
    expect(wait).toBeLessThanOrEqual(60_000)
  })

  it("an error page that is not JSON is not repeated", async () => {
    api.set("page", { turns: [{ error: { status: 502, body: "<html>upstream http://10.0.0.7 failed</html>" } }] })
    const { failure } = await ask("page")
    expect(failure).toMatchObject({ status: 502, type: "api_error", midStream: false })
    expect(JSON.stringify(failure)).not.toContain("10.0.0.7")
  })

  it("an error event arrives after the events before it", async () => {
    const content = [{ type: "text", text: "partial text" }]
    api.set("mid", { turns: [{ content, mid_error: { after: 4, type: "overloaded_error", message: "Overloaded" } }] })
    const answer = await ask("mid")
    expect(typesOf(answer)).toEqual(["message_start", "content_block_start", "content_block_delta"])
    expect(answer.failure).toMatchObject({
      status: null,
      type: "overloaded_error",
      message: "Overloaded",
      midStream: true,
    })
    expect(answer.failure?.requestId).toBe(answer.requestId)
  })

  it.each(["drop", "ends"])("a stream that is interrupted (%s) is a lost connection", async (how) => {
    api.set("cut", {
      turns: [{ content: [{ type: "text", text: "x".repeat(2000) }], chunk: 100, [how]: { after: 9 } }],
    })
    const answer = await ask("cut")
    expect(answer.failure).toMatchObject({ status: null, type: "connection_error", midStream: true })
    expect(typesOf(answer)).not.toContain("message_stop")
  })

  it.each([0, 2])("a stream that ends after %i events, before the answer started, is not an answer", async (after) => {
    api.set("nothing", { turns: [{ content: [{ type: "text", text: "x" }], ends: { after } }] })
    expect(await ask("nothing")).toMatchObject({ failure: { type: "unreadable_answer", midStream: true } })
  })

  it("a server that can't be reached is a connection error", async () => {
    const gone = await createFakeApi()
    await gone.close()
    const { failure } = await ask("plain", gone.url)
    expect(failure).toMatchObject({ status: null, type: "connection_error", midStream: false, requestId: null })
    expect(JSON.stringify(failure)).not.toContain(String(gone.port))
  })

  it.each([
    ["a key that no header can carry", () => ask("plain", api.url, `${KEY}\nx`)],
    ["a base URL that is none", () => ask("plain", "not a url")],
  ])("%s is reported without repeating it, and not tried again", async (_, run) => {
    const { failure } = await run()
    expect(failure).toMatchObject({ status: null, type: "invalid_request_error" })
    expect(JSON.stringify(failure)).not.toContain("secret")
    expect(JSON.stringify(failure)).not.toContain("not a url")
  })
})

describe("an answer without streaming", () => {
  const askWhole = (script: string, baseUrl = api.url) =>
    Effect.gen(function* () {
      const model = yield* MessagesApi
      return yield* model.complete(requestFor(script), context)
    }).pipe(Effect.provide(liveModel({ apiKey: KEY, baseUrl })), Effect.result, Effect.runPromise)

  /** A server that answers every request with these headers and bytes, then cuts the connection or ends. */
  const answering = async (body: string, headers: Record<string, string> = {}) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "request-id": "req_raw", ...headers })
      response.write(body, () => ("content-length" in headers ? response.socket?.destroy() : response.end()))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("the server has no port")
    return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() }
  }

  it("is the API's message unchanged, with its request id", async () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "/a", odd: [null] } },
    ]
    api.set("whole", { turns: [{ content, usage: { input_tokens: 7, output_tokens: 3 } }] })
    const { success } = (await askWhole("whole")) as { success: { requestId: string; message: unknown } }
    expect(success.requestId).toMatch(/^req_\d+$/)
    expect(success.message).toMatchObject({
      type: "message",
      content,
      stop_reason: "tool_use",
      usage: { input_tokens: 7, output_tokens: 3 },
    })
  })

  it("is requested with the same body except for `stream`, the session and the betas", async () => {
    await askWhole("whole")
    const sent = api.log.findLast((entry) => entry.script === "whole")
    expect(sent?.body).toEqual({ ...requestFor("whole"), stream: false })
    expect(sent?.headers).toMatchObject({
      "x-perch-session-id": "0199-session",
      "anthropic-beta": "interleaved-thinking-2025-05-14,effort-2025-11-24",
    })
  })

  it("may be an HTTP error, after one attempt", async () => {
    const headers = { "retry-after": "2" }
    api.set("whole-529", {
      turns: [{ error: { status: 529, type: "overloaded_error", message: "Overloaded", headers } }],
    })
    expect(await askWhole("whole-529")).toMatchObject({
      failure: { status: 529, type: "overloaded_error", message: "Overloaded", retryAfterMs: 2000, midStream: false },
    })
    expect(api.log.filter((entry) => entry.script === "whole-529")).toHaveLength(1)
  })

  it.each([
    ["is cut short", '{"type":"message","content":[', { "content-length": "900" }],
    ["is no JSON", "<html>http://10.0.0.7</html>", {}],
    ["is no message", '{"ok":true}', {}],
  ])("that %s is a lost connection", async (_, body, headers) => {
    const server = await answering(body, headers)
    const answer = await askWhole("whole", server.url)
    server.close()
    expect(answer).toMatchObject({
      failure: { status: null, type: "connection_error", requestId: "req_raw", midStream: false },
    })
    expect(JSON.stringify(answer)).not.toContain("10.0.0.7")
  })

  it("is aborted when it is interrupted", async () => {
    api.set("whole-held", { turns: [{ content: [{ type: "text", text: "late" }], hold: {} }] })
    const running = Effect.runFork(
      Effect.gen(function* () {
        const model = yield* MessagesApi
        return yield* model.complete(requestFor("whole-held"), context)
      }).pipe(Effect.provide(liveModel({ apiKey: KEY, baseUrl: api.url }))),
    )
    await vi.waitFor(() => expect(api.open().waiting["whole-held#0"]).toBe(1))
    await Effect.runPromise(Fiber.interrupt(running))
    await vi.waitFor(() => expect(api.log.findLast((entry) => entry.script === "whole-held")?.aborted).toBe(true))
  })
})

describe("interruption", () => {
  const aborted = (script: string) => api.log.findLast((entry) => entry.script === script)?.aborted

  it("before the answer starts aborts the request", async () => {
    api.set("held", { turns: [{ content: [{ type: "text", text: "late" }], hold: {} }] })
    const running = Effect.runFork(
      Effect.gen(function* () {
        const model = yield* MessagesApi
        return yield* model.stream(requestFor("held"), context, () => Effect.void)
      }).pipe(Effect.provide(liveModel({ apiKey: KEY, baseUrl: api.url }))),
    )
    await vi.waitFor(() => expect(api.open().waiting["held#0"]).toBe(1))
    await Effect.runPromise(Fiber.interrupt(running))
    await vi.waitFor(() => expect(aborted("held")).toBe(true))
  })

  it("in the middle of the answer aborts the request, and the earlier events were received", async () => {
    api.set("paused", {
      turns: [{ content: [{ type: "text", text: "one two three" }], chunk: 4, pause: { after: 4 } }],
    })
    const seen = Deferred.makeUnsafe<void>()
    const events: Array<string> = []
    const running = Effect.runFork(
      Effect.gen(function* () {
        const model = yield* MessagesApi
        const onEvent = (event: RawStreamEvent) => {
          events.push(event.type)
          return event.type === "content_block_delta" ? Deferred.succeed(seen, undefined) : Effect.void
        }
        yield* model.stream(requestFor("paused"), context, (opened) => each(opened, onEvent))
      }).pipe(Effect.provide(liveModel({ apiKey: KEY, baseUrl: api.url }))),
    )
    await Effect.runPromise(Deferred.await(seen))
    await Effect.runPromise(Fiber.interrupt(running))
    expect(events).toEqual(["message_start", "content_block_start", "content_block_delta"])
    await vi.waitFor(() => expect(aborted("paused")).toBe(true))
  })

  it("closing its scope aborts the request, even if nothing was read", async () => {
    api.set("unread", { turns: [{ content: [{ type: "text", text: "text" }], pause: { after: 2 } }] })
    await Effect.gen(function* () {
      const model = yield* MessagesApi
      yield* model.stream(requestFor("unread"), context, () => Effect.void)
    }).pipe(Effect.provide(liveModel({ apiKey: KEY, baseUrl: api.url })), Effect.runPromise)
    await vi.waitFor(() => expect(aborted("unread")).toBe(true))
  })

  it("leaving the stream early aborts the request", async () => {
    api.set("left", { turns: [{ content: [{ type: "text", text: "text" }], pause: { after: 3 } }] })
    await Effect.gen(function* () {
      const model = yield* MessagesApi
      yield* model.stream(requestFor("left"), context, ({ next }) => next)
    }).pipe(Effect.provide(liveModel({ apiKey: KEY, baseUrl: api.url })), Effect.runPromise)
    await vi.waitFor(() => expect(aborted("left")).toBe(true))
  })
})

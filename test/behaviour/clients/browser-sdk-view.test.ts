// The client view as the official browser SDK reads it: what it passes to its application, which requests it passes to its
// callbacks, and where it resumes. The view relies on these facts.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { getCcrEvent, getSseDropCounts, query, type SDKMessage } from "@anthropic-ai/claude-agent-sdk/browser"
import { afterEach, describe, expect, it, vi } from "vitest"
import { encodeFrame } from "../../../src/http/stream/sse-text.ts"
import type { FeedLine } from "../../../src/schemas/log/feed-line.ts"
import { clientView } from "../../../src/views/client.ts"

type Json = Readonly<Record<string, unknown>>

const closers: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server that sends what the test passes to it, and the official client connected to it. */
const connect = async (canUseTool?: () => Promise<void>) => {
  const streams = new Set<http.ServerResponse>()
  const cursors: Array<string | undefined> = []
  const posted: Array<Json> = []
  const say = (line: Partial<FeedLine>) => {
    const frames = clientView({ seq: null, at: 0, turn: null, name: "control:frame", json: "{}", ...line })
    for (const stream of streams) for (const frame of frames) stream.write(encodeFrame(frame))
  }
  const control = (frame: Json) => say({ json: JSON.stringify(frame) })
  const server = http.createServer(async (request, response) => {
    if (request.method === "GET") {
      cursors.push(request.headersDistinct["last-event-id"]?.[0])
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n")
      streams.add(response)
      response.on("close", () => streams.delete(response))
      return
    }
    let text = ""
    for await (const chunk of request.setEncoding("utf8")) text += chunk
    const body = JSON.parse(text) as { events: ReadonlyArray<{ payload: Json }> } // the shape that the SDK sends
    for (const { payload } of body.events) {
      posted.push(payload)
      if (payload.type !== "control_request") continue
      const answer = { subtype: "success", request_id: payload.request_id, response: { commands: [], models: [] } }
      control({ type: "control_response", response: answer })
    }
    response.end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  const ended = Promise.withResolvers<never>()
  const abort = new AbortController()
  let asked = 0
  const session = query({
    prompt: (async function* () {
      yield* [] as ReadonlyArray<never>
      await ended.promise
    })(),
    abortController: abort,
    sse: { streamUrl: url, sendUrl: url, sessionId: "s" },
    canUseTool: async (_, input) => {
      asked += 1
      await canUseTool?.()
      return { behavior: "allow", updatedInput: input }
    },
  })
  const got: Array<SDKMessage> = []
  const reading = (async () => {
    for await (const message of session) got.push(message)
  })().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  closers.push(async () => {
    abort.abort()
    ended.promise.catch(() => undefined)
    ended.reject(new Error("the test is over"))
    await reading
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  await session.initializationResult()
  const message = (seq: number | null, name: string, fields: Json = {}) => {
    const [type, subtype] = name.split("/")
    say({ seq, name: `sdk:${name}`, json: JSON.stringify({ type, ...(subtype ? { subtype } : {}), ...fields }) })
  }
  /** Sends one more message and waits for it: then all earlier ones have arrived. */
  const settled = async (seq: number) => {
    message(seq, "system/informational", { content: String(seq), uuid: `u${seq}` })
    await vi.waitFor(() => expect(seqs()).toContain(seq))
  }
  const seqs = () => got.map((each) => getCcrEvent(session, each)?.sequence_num)
  const ask = (id: string) =>
    control({
      type: "control_request",
      request_id: id,
      request: { subtype: "can_use_tool", tool_name: "Write", input: {}, tool_use_id: id },
    })
  const answers = () => posted.filter(({ type }) => type === "control_response")
  const drop = () => {
    for (const stream of streams) stream.destroy()
  }
  return { session, got, seqs, cursors, message, settled, control, ask, answers, drop, posted, asked: () => asked }
}

describe("the official browser SDK", () => {
  it("yields each message with its seq, whatever gaps there are, and identifies it by its uuid", async () => {
    const { session, got, seqs, settled } = await connect()
    await settled(3)
    await settled(40)
    expect(seqs()).toEqual([3, 40])
    expect(getCcrEvent(session, got[1]!)).toMatchObject({ event_id: "u40", source: "worker" })
  })

  it("drops no message because of its number: a message that is sent twice arrives twice", async () => {
    const { seqs, settled, message } = await connect()
    await settled(5)
    message(5, "system/informational")
    message(3, "system/informational")
    await settled(6)
    expect(seqs()).toEqual([5, 5, 3, 6])
  })

  it("yields everything that is only sent live, and drops nothing", async () => {
    const { session, got, seqs, settled, message } = await connect()
    for (const name of ["stream_event", "system/thinking_tokens", "system/status", "tool_progress"]) {
      message(null, name, { uuid: "u", session_id: "s" })
    }
    await settled(9)
    expect(got.map(({ type }) => type)).toEqual(["stream_event", "system", "system", "tool_progress", "system"])
    expect(seqs()).toEqual([undefined, undefined, undefined, undefined, 9])
    expect(getSseDropCounts(session)).toEqual({})
  })

  it("resumes after the last message; control frames do not move its cursor", async () => {
    const { cursors, settled, ask, answers, drop } = await connect()
    await settled(12)
    ask("r1")
    await vi.waitFor(() => expect(answers()).toHaveLength(1))
    drop()
    await vi.waitFor(() => expect(cursors).toHaveLength(2), 10_000)
    expect(cursors).toEqual([undefined, "12"])
  })

  it("ignores a request that is repeated while it is answered, and handles it again after its answer", async () => {
    const gate = Promise.withResolvers<void>()
    const { asked, answers, ask, settled } = await connect(() => gate.promise)
    ask("r1")
    ask("r1")
    await settled(1)
    expect(asked()).toBe(1)
    gate.resolve()
    await vi.waitFor(() => expect(answers()).toHaveLength(1))
    ask("r1")
    await vi.waitFor(() => expect(answers()).toHaveLength(2))
    expect(asked()).toBe(2)
  })

  it("handles a withdrawn request again, and then answers both times", async () => {
    const gate = Promise.withResolvers<void>()
    const { asked, answers, ask, control, settled } = await connect(() => gate.promise)
    ask("r1")
    control({ type: "control_cancel_request", request_id: "r1" })
    ask("r1")
    await settled(1)
    expect(asked()).toBe(2)
    gate.resolve()
    await vi.waitFor(() => expect(answers()).toHaveLength(2))
  })

  it("ignores an answer without a pending request, and one that arrives twice", async () => {
    const { session, seqs, posted, control, settled } = await connect()
    await session.setModel("m")
    const { request_id } = posted.at(-1)!
    for (const id of [request_id, "unknown"]) {
      control({ type: "control_response", response: { subtype: "success", request_id: id, response: {} } })
    }
    await settled(2)
    await session.setModel("n")
    expect(seqs()).toEqual([2])
  })
})

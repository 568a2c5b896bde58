// Turns that the client waits for: asks that are settled elsewhere, and answers whose connection breaks.
import { describe, expect, it } from "vitest"
import { type Ask, ConflictError, ConnectionError, perchClient } from "../../../src/client/api/entry.ts"

const ASK = { request_id: "ask-1", kind: "permission", turn_id: "t", tool_name: "Write", input: {} } as unknown as Ask
const RESULT = { type: "result", subtype: "success", is_error: false, session_id: "s", num_turns: 1, total_cost_usd: 0 }
const NAME = { session_id: "s", turn_id: "t" }

const refusal = (status: number, type: string) =>
  Response.json({ type: "error", error: { type, message: "no" }, request_id: "req_1" }, { status })

/** A server whose turn opens one ask; the client's answer to it is refused with this error. */
const asking = (status: number, type: string) =>
  perchClient({
    url: "https://perch.test",
    apiKey: "key",
    maxRetries: 0,
    fetch: async (input, init) => {
      const { pathname } = new URL(input as string)
      if (pathname.endsWith("/permissions/ask-1")) return refusal(status, type)
      if (pathname.endsWith("/turns/t")) return Response.json({ status: "completed", result: RESULT, pending: [] })
      if (!new Headers(init?.headers).get("accept")?.includes("event-stream"))
        return Response.json({ ...NAME, status: "requires_action", pending: [ASK] }, { status: 202 })
      const frames = `event: ask\ndata: ${JSON.stringify(ASK)}\n\nid: 7\ndata: ${JSON.stringify(RESULT)}\n\n`
      return new Response(frames, { headers: { "perch-session-id": "s" } })
    },
  }).session("s")

const onAsk = () => ({ behavior: "allow" as const })

/** An answer whose connection breaks, or stalls, inside its body. */
const partOf = (end: "break" | "stall", signal: AbortSignal | null | undefined) =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"type":'))
        signal?.addEventListener("abort", () => controller.error(signal.reason))
      },
      pull: (controller) => (end === "break" ? controller.error(new Error("reset")) : undefined),
    }),
  )

/** A server whose first answer never ends. */
const cutOff = (end: "break" | "stall") => {
  const requests: Array<{ readonly path: string; readonly key: string | null }> = []
  const client = perchClient({
    url: "https://perch.test",
    apiKey: "key",
    timeoutMs: 20,
    fetch: async (input, init) => {
      const { pathname } = new URL(input as string)
      requests.push({ path: pathname, key: new Headers(init?.headers).get("idempotency-key") })
      if (requests.length === 1) return partOf(end, init?.signal)
      return Response.json(RESULT, { headers: { "perch-turn-id": "t" } })
    },
  })
  return { requests, session: client.session("s") }
}

const streamed = async (messages: AsyncIterable<{ readonly type: string }>) => {
  const types: Array<string> = []
  for await (const { type } of messages) types.push(type)
  return types
}

describe("an ask that was settled elsewhere before onAsk answered it", () => {
  const session = asking(409, "conflict_error")

  it("does not end the wait for the turn", async () => {
    expect(await session.query("go", { onAsk })).toMatchObject({ status: "finished", result: RESULT })
    expect(await session.wait("t", { onAsk })).toMatchObject({ status: "finished", result: RESULT })
  })

  it("does not end the stream of the turn", async () => {
    expect(await streamed(session.stream("go", { onAsk }))).toEqual(["result"])
  })

  it("is a ConflictError for a direct answer", async () => {
    await expect(session.answer("ask-1", { behavior: "allow" })).rejects.toBeInstanceOf(ConflictError)
  })
})

describe("an onAsk answer that the server refuses", () => {
  const session = asking(400, "invalid_request_error")

  it("rejects the query and the stream", async () => {
    await expect(session.query("go", { onAsk })).rejects.toMatchObject({ status: 400 })
    await expect(streamed(session.stream("go", { onAsk }))).rejects.toMatchObject({ status: 400 })
  })
})

describe("an answer that breaks inside its body", () => {
  it("to a query is requested again with the same key, so the prompt is sent once", async () => {
    const { requests, session } = cutOff("break")
    expect(await session.query("go")).toEqual({ status: "finished", ...NAME, result: RESULT })
    expect(requests).toHaveLength(2)
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1)
  })

  it("to a read of a file or session is requested again", async () => {
    const file = cutOff("break")
    expect(JSON.parse(await file.session.files.readText("/a"))).toEqual(RESULT)
    expect(file.requests).toHaveLength(2)
    const bytes = cutOff("break")
    expect((await bytes.session.files.read("/a")).length).toBe(JSON.stringify(RESULT).length)
    const session = cutOff("break")
    expect(await session.session.get()).toEqual(RESULT)
  })

  it("to a request that is not idempotent is an error", async () => {
    const { requests, session } = cutOff("break")
    await expect(session.interrupt()).rejects.toBeInstanceOf(ConnectionError)
    expect(requests).toHaveLength(1)
  })
})

describe("an answer that stalls inside its body", () => {
  it("is abandoned after a timeout, and requested again", async () => {
    const { requests, session } = cutOff("stall")
    expect(await session.get()).toEqual(RESULT)
    expect(requests).toHaveLength(2)
  })
})

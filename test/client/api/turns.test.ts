// Turns that the client waits for: questions that are settled elsewhere, and answers whose connection breaks.
import { describe, expect, it } from "vitest"
import { type Ask, ConflictError, perchClient } from "../../../src/client/api/entry.ts"

const ASK = { request_id: "ask-1", kind: "permission", turn_id: "t", tool_name: "Write", input: {} } as unknown as Ask
const RESULT = { type: "result", subtype: "success", is_error: false, session_id: "s", num_turns: 1, total_cost_usd: 0 }
const NAME = { session_id: "s", turn_id: "t" }

const refusal = (status: number, type: string) =>
  Response.json({ type: "error", error: { type, message: "no" }, request_id: "req_1" }, { status })

/** A server whose turn asks once; the answer is refused with this error. */
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

const streamed = async (messages: AsyncIterable<{ readonly type: string }>) => {
  const types: Array<string> = []
  for await (const { type } of messages) types.push(type)
  return types
}

describe("a question that was settled elsewhere before onAsk answered it", () => {
  const session = asking(409, "conflict_error")

  it("does not end the wait for the turn", async () => {
    expect(await session.query("go", { onAsk })).toMatchObject({ status: "finished", result: RESULT })
    expect(await session.wait("t", { onAsk })).toMatchObject({ status: "finished", result: RESULT })
  })

  it("does not end the stream of the turn", async () => {
    expect(await streamed(session.stream("go", { onAsk }))).toEqual(["result"])
  })

  it("is a ConflictError for who answers it directly", async () => {
    await expect(session.answer("ask-1", { behavior: "allow" })).rejects.toBeInstanceOf(ConflictError)
  })
})

describe("an answer of onAsk that the server refuses", () => {
  const session = asking(400, "invalid_request_error")

  it("rejects the query and the stream", async () => {
    await expect(session.query("go", { onAsk })).rejects.toMatchObject({ status: 400 })
    await expect(streamed(session.stream("go", { onAsk }))).rejects.toMatchObject({ status: 400 })
  })
})

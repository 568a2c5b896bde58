// The ask is in the stream: of the query that opened it, of a prompt queued after it, and of readers that join later.
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { readSse, type SseFrame } from "../../support/server/sse.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

interface Shown {
  readonly type: string
  readonly request_id?: string
}

/** The frames of a stream until `until` returns true or it ends. */
const framesOf = async (response: Response, until: (frame: SseFrame) => boolean = () => false) => {
  const frames: Array<SseFrame> = []
  for await (const item of readSse(response.body!)) {
    if (item.kind === "comment") continue
    frames.push(item.frame)
    if (until(item.frame)) break
  }
  return frames
}
const dataOf = (frame: SseFrame | undefined) => JSON.parse(frame?.data ?? "null") as Shown
const named = (frames: ReadonlyArray<SseFrame>, name: string) => frames.filter(({ event }) => event === name)

const streamed = (id: string, json: object) =>
  perch.request("POST", `/v1/sessions/${id}/query`, { json, headers: { accept: "text/event-stream" } })

/** A session in mode `default`, and a prompt that opens an ask. */
const asking = async () => {
  const name = scriptName("ask")
  await api.set(name, [
    { content: [call("Write", { file_path: "/workspace/a.txt", content: "a\n" })] },
    textAnswer("Finished."),
  ])
  return { id: await perch.createSession({ permissionMode: "default" }), prompt: promptFor(name) }
}

describe("an ask", () => {
  it("is in the stream of its own query, and can be answered from the stream alone", async () => {
    const { id, prompt } = await asking()
    const answers: Array<Promise<unknown>> = []
    const frames = await framesOf(await streamed(id, { prompt }), ({ event, data }) => {
      if (event !== "ask") return false
      const { type, ...ask } = JSON.parse(data) as Shown
      expect(type).toBe("ask")
      answers.push(
        perch.asks(id).then((pending) => {
          expect(pending).toEqual([ask])
          return perch.answer(id, ask.request_id ?? "", { behavior: "allow" })
        }),
      )
      return false
    })
    await Promise.all(answers)
    expect(answers).toHaveLength(1)
    expect(named(frames, "ask_settled").map(dataOf)).toMatchObject([{ by: "client", behavior: "allow" }])
    // Readers of unnamed events receive only SDK messages, the result last.
    const messages = frames.filter(({ event }) => event === undefined).map(dataOf)
    expect(messages.map(({ type }) => type)).not.toContain("ask")
    expect(messages.at(-1)?.type).toBe("result")
    const ids = frames.flatMap((frame) => (frame.id === undefined ? [] : [Number(frame.id)]))
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
  })

  it("is in the stream of a queued prompt, whose head arrives at once, and in the 202 of one without a stream", async () => {
    const { id, prompt } = await asking()
    const first = await perch.json<{ turn_id: string; pending: ReadonlyArray<Shown> }>(
      "POST",
      `/v1/sessions/${id}/query`,
      { json: { prompt }, status: 202 },
    )
    const name = scriptName("behind")
    await api.set(name, [textAnswer("Second.")])
    const behind = await streamed(id, { prompt: promptFor(name) })
    expect(behind.headers.get("content-type")).toMatch(/^text\/event-stream/)
    const other = await perch.json("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: "third", options: { permissionMode: "plan" } },
      status: 202,
      limitMs: 10_000,
    })
    expect(other).toMatchObject({ status: "queued", pending: first.pending })
    const frames = await framesOf(behind, ({ event, data }) => {
      if (event === "ask") void perch.answer(id, dataOf({ data }).request_id ?? "", { behavior: "deny", message: "no" })
      return false
    })
    expect(frames[0]?.event).toBe("ask")
    expect(dataOf(frames[0])).toEqual({ type: "ask", ...first.pending[0] })
    expect(named(frames, "ask_settled")).toHaveLength(1)
    expect(dataOf(frames.at(-1))).toMatchObject({ type: "result", result: "Second." })
    expect(await perch.json("GET", `/v1/sessions/${id}/turns/${first.turn_id}?wait=20`)).toMatchObject({
      status: "completed",
    })
  })

  it("is sent to readers that join while it is open, and not to those that join afterwards", async () => {
    const { id, prompt } = await asking()
    const { pending } = await perch.json<{ pending: ReadonlyArray<Shown> }>("POST", `/v1/sessions/${id}/query`, {
      json: { prompt },
      status: 202,
    })
    const path = `/v1/sessions/${id}/events/stream`
    const once = await framesOf(await perch.request("GET", path), ({ event }) => event === "ask")
    const last = once.findLast((frame) => frame.id !== undefined)?.id ?? ""
    // It reconnects with its cursor: no durable event twice, and the ask again because it is still open.
    const again = perch.request("GET", path, { headers: { "last-event-id": last } })
    const rest = framesOf(await again, ({ event, data }) => {
      if (event === "ask") void perch.answer(id, dataOf({ data }).request_id ?? "", { behavior: "allow" })
      return dataOf({ data }).type === "result"
    })
    const both = [once, await rest]
    for (const frames of both) expect(named(frames, "ask").map(dataOf)).toEqual([{ type: "ask", ...pending[0] }])
    const ids = both.flat().flatMap((frame) => (frame.id === undefined ? [] : [Number(frame.id)]))
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    const after = await framesOf(await perch.request("GET", path), ({ data }) => dataOf({ data }).type === "result")
    expect(named(after, "ask")).toEqual([])
    expect(named(after, "ask_settled")).toHaveLength(1)
  })
})

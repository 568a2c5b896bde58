// A reader that reconnects after its prompt's turn has ended, over the routes.
import { describe, expect, it } from "vitest"
import { makeApi } from "../api.ts"

const HEADERS = { accept: "text/event-stream", "idempotency-key": "k" }

const ended = async () => {
  const { call, create } = makeApi()
  const path = `/v1/sessions/${await create()}/query`
  const send = async (headers: Record<string, string>, prompt = "a") =>
    (await call("POST", path, { json: { prompt }, headers })).text()
  const whole = await send(HEADERS)
  const last = Number([...whole.matchAll(/^id: (\d+)$/gm)].at(-1)![1])
  const again = (cursor: number) => send({ ...HEADERS, "last-event-id": String(cursor) })
  const other = () => send({ accept: "text/event-stream" }, "b")
  return { last, again, other }
}

describe("a stream of a turn that has ended", () => {
  it("has nothing for a reader that has the turn's last event, or a later one of the session", async () => {
    const { last, again, other } = await ended()
    await other()
    for (const cursor of [last, last + 1]) {
      expect(await again(cursor)).toBe(": the turn has ended, and all of it was read\n")
    }
  })

  it("reports a cursor that is ahead of the session's log", async () => {
    const { last, again } = await ended()
    expect(await again(last + 1)).toBe(
      `retry: 1000\nevent: catch_up_truncated\ndata: {"last_seq":${last}}\n\n: the turn has ended\n`,
    )
  })
})

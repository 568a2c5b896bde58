// Two prompts for one session: they never overlap, and `on_busy` determines what the second one does.
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const halfSent = { content: [text("word ".repeat(100))], chunk: 10, pause: { after: 12 } }

/** A session whose turn has emitted part of its text and waits until the gate `script#0` is opened. */
const busySession = async (script: string) => {
  await api.set(script, [halfSent])
  const id = await perch.createSession({ includePartialMessages: true })
  const turn = await perch.submit(id, promptFor(script))
  await perch.stream(id, { after: 0, until: ({ event }) => event?.delta?.type === "text_delta" })
  return { id, turn }
}

describe("a prompt for a busy session", () => {
  it("waits for its turn by default", async () => {
    const [one, two] = [scriptName("queue-one"), scriptName("queue-two")]
    await api.set(two, [textAnswer("Second.")])
    const { id } = await busySession(one)
    const answer = perch.query(id, promptFor(two))
    await eventually(async () =>
      (await perch.events(id)).filter(({ name }) => name === "turn:queued")[1] ? true : undefined,
    )
    await api.release(`${one}#0`)
    expect((await answer).at(-1)).toMatchObject({ type: "result", subtype: "success", result: "Second." })
    const events = await perch.eventsUntilResults(id, 2)
    const marks = events.filter(({ name }) => name === "sdk:system/init" || name.startsWith("sdk:result"))
    const order = marks.map(({ name, turn }) => [name.startsWith("sdk:result") ? "result" : "started", turn])
    const [first, second] = [...new Set(order.map(([, turn]) => turn))]
    const expected = [
      ["started", first],
      ["result", first],
      ["started", second],
      ["result", second],
    ]
    expect(order).toEqual(expected)
  })

  it("is refused with 409 if on_busy is reject", async () => {
    const { id } = await busySession(scriptName("reject"))
    const body = await perch.json<{ error: { type: string } }>("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: "me too", on_busy: "reject" },
      status: 409,
    })
    expect(body.error.type).toBe("conflict_error")
    await perch.json("POST", `/v1/sessions/${id}/interrupt`, { json: {} })
    await perch.eventsUntilResults(id, 1)
  })

  it("ends the first without its whole answer if on_busy is interrupt, and keeps its text", async () => {
    const [one, two] = [scriptName("stop-one"), scriptName("stop-two")]
    await api.set(two, [textAnswer("Taken over.")])
    const { id, turn } = await busySession(one)
    // The first would not end by itself: its answer pauses at a gate that this test never opens.
    const messages = await perch.query(id, promptFor(two), { on_busy: "interrupt" })
    expect(messages.at(-1)).toMatchObject({ type: "result", result: "Taken over." })
    const all = await perch.eventsUntilResults(id, 2)
    const events = all.filter((event) => event.turn === turn)
    expect(events.filter(({ name }) => name.startsWith("sdk:result"))).toHaveLength(1)
    const answers = events.filter(({ name }) => name === "sdk:assistant").map(({ payload }) => JSON.stringify(payload))
    expect(answers.join()).toContain("word word")
    const [request] = await api.requests(two)
    expect(JSON.stringify(request?.body.messages)).toContain("word word")
  })
})

describe("an interrupt", () => {
  it("stops the running turn, keeps the queue and leaves one result", async () => {
    const { id, turn } = await busySession(scriptName("interrupt"))
    const answer = await perch.json<{ interrupted: boolean }>("POST", `/v1/sessions/${id}/interrupt`, { json: {} })
    expect(answer.interrupted).toBe(true)
    const events = await perch.eventsUntilResults(id, 1)
    const results = events.filter((event) => event.turn === turn && event.name.startsWith("sdk:result"))
    expect(results).toHaveLength(1)
    expect(results[0]?.payload).toMatchObject({ subtype: "error_during_execution" })
    await eventually(async () => {
      const { state } = await perch.json<{ state: string }>("GET", `/v1/sessions/${id}`)
      return state === "idle" ? true : undefined
    })
  })
})

// Sessions that are erased while requests wait for their turns.
import { expect, inject, it } from "vitest"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

it("a query whose turn had not started when its session was erased is a 409, a read of it a 404, and a run aborted", async () => {
  const name = scriptName("erased")
  await api.set(name, [{ content: [text("Never.")], hold: {} }])
  const { id } = await perch.json<{ id: string }>("POST", "/v1/sessions", { json: {}, status: 201 })
  const first = perch.request("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(name) } })
  await eventually(async () => ((await api.requests(name)).length > 0 ? true : undefined))
  const uuid = crypto.randomUUID()
  const second = perch.request("POST", `/v1/sessions/${id}/query`, { json: { prompt: "and then", uuid } })
  const turn = `/v1/sessions/${id}/turns/${uuid}`
  await eventually(async () => ((await perch.request("GET", turn)).status === 200 ? true : undefined))
  const waited = perch.request("GET", `${turn}?wait=60`)
  const json = { sessionId: id, runId: "run", prompt: "and then", timeoutMs: 60_000 }
  const third = perch.request("POST", "/v1/runs", { json })
  const run = `/v1/runs/run?sessionId=${id}`
  await eventually(async () => ((await perch.request("GET", run)).status === 202 ? true : undefined))
  await perch.json("DELETE", `/v1/sessions/${id}`)
  const [ran, queued, read, aborted] = await Promise.all([first, second, waited, third])
  expect(await ran.json()).toMatchObject({ type: "result", subtype: "error_during_execution" })
  expect(queued.status).toBe(409)
  expect(await queued.json()).toMatchObject({
    error: { message: "The session was deleted before the prompt's turn had ended." },
  })
  expect(read.status).toBe(404)
  expect([aborted.status, await aborted.json()]).toEqual([200, { meta: { durationMs: 0, aborted: true } }])
  await api.release(`${name}#0`)
})

it("streams of prompts whose turns had not started when their session was erased end with an event", async () => {
  const name = scriptName("erased-streams")
  await api.set(name, [{ content: [text("Never.")], hold: {} }])
  const { id } = await perch.json<{ id: string }>("POST", "/v1/sessions", { json: {}, status: 201 })
  const first = perch.request("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(name) } })
  await eventually(async () => ((await api.requests(name)).length > 0 ? true : undefined))
  const uuid = crypto.randomUUID()
  const messages = [{ id: "1", role: "user", content: "and then" }]
  const run = { threadId: id, runId: "run", messages, tools: [], context: [], state: {}, forwardedProps: {} }
  const streams = await Promise.all(
    [
      [`/v1/sessions/${id}/query`, { prompt: "and then", uuid }] as const,
      ["/v1/ag-ui", run] as const,
      ["/v1/runs", { sessionId: id, runId: "run", prompt: "and then", timeoutMs: 60_000 }] as const,
    ].map(([path, json]) => perch.request("POST", path, { json, headers: { accept: "text/event-stream" } })),
  )
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
  await perch.json("DELETE", `/v1/sessions/${id}`)
  await first
  const [query, agUi, routed] = await Promise.all(streams.map((stream) => stream.text()))
  expect(query).toContain(`event: turn_cancelled\ndata: {"type":"turn_cancelled","turn_id":"${uuid}"}`)
  expect(agUi).toContain('"runId":"run","outcome":{"type":"cancelled"}}')
  expect(routed).toContain('"result":{"meta":{"durationMs":0,"aborted":true}}}')
  await api.release(`${name}#0`)
})

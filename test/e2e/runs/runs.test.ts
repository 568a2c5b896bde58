// Runs over HTTP: the session that is created, one run per id, results, own tools, aborts, tenants and scopes.
import { randomBytes, randomUUID } from "node:crypto"
import { describe, expect, inject, it } from "vitest"
import type { EmbeddedRunResult } from "../../../src/schemas/runs/run-result.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const DONE = { content: [text("Done.")] }
const LOOKUP = { type: "function", function: { name: "lookup", parameters: { type: "object", properties: {} } } }

const scripted = async (...turns: ReadonlyArray<object>) => {
  const name = scriptName("run")
  await api.set(name, [...turns])
  return { script: name, prompt: promptFor(name) }
}

const chat = () => `chat:${randomBytes(6).toString("hex")}`

const run = (json: object, as = perch) =>
  as.json<EmbeddedRunResult>("POST", "/v1/runs", { json: { timeoutMs: 60_000, ...json } })

const sessionOf = async (json: object): Promise<string> => {
  const response = await perch.request("POST", "/v1/runs", { json: { timeoutMs: 60_000, ...json } })
  expect(response.status).toBe(200)
  return response.headers.get("perch-session-id") ?? ""
}

describe("a run", () => {
  it("creates its session, and the next run with the same id continues it", async () => {
    const sessionId = chat()
    const { prompt } = await scripted(DONE, DONE)
    const id = await sessionOf({ sessionId, prompt, runtime: "live" })
    expect(await sessionOf({ sessionId, prompt: (await scripted(DONE)).prompt })).toBe(id)
    const events = await perch.events(id)
    expect(events.filter(({ name }) => name === "run:started")).toHaveLength(2)
    const uuid = randomUUID()
    expect(await sessionOf({ sessionId: uuid, prompt: "Say hello", runtime: "offline" })).toBe(uuid)
  })

  it("is answered by the requested runtime", async () => {
    const sessionId = chat()
    const offline = await run({ sessionId, prompt: "Say hello", runtime: "offline" })
    expect(offline.meta).toMatchObject({ stopReason: "completed", agentMeta: { sessionId, provider: "offline" } })
    const live = await run({ sessionId, prompt: (await scripted(DONE)).prompt })
    expect(live.meta.agentMeta).toMatchObject({ provider: "anthropic", usage: { input: 100, output: 10, total: 110 } })
  })

  it("is one run per id: a repetition starts nothing, and a different request is a 422", async () => {
    const json = { sessionId: chat(), runId: "r-1", prompt: (await scripted(DONE)).prompt, timeoutMs: 60_000 }
    const [one, two] = await Promise.all([run(json), run(json)])
    expect(two).toEqual(one)
    const again = await perch.request("POST", "/v1/runs", { json })
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
    await perch.json("POST", "/v1/runs", { json: { ...json, timeoutMs: 5 }, status: 422 })
    const query = new URLSearchParams({ sessionId: json.sessionId })
    expect(await perch.json("GET", `/v1/runs/r-1?${query}`)).toEqual(one)
    await perch.json("GET", `/v1/runs/r-2?${query}`, { status: 404 })
  })

  it("is accepted at once with respond-async, can be waited for, and aborted", async () => {
    const { script, prompt } = await scripted({ content: [text("Half of it.")], chunk: 6, pause: { after: 4 } })
    const sessionId = chat()
    const query = new URLSearchParams({ sessionId, wait: "30" })
    const json = { sessionId, runId: "r", prompt, timeoutMs: 60_000 }
    const headers = { prefer: "respond-async" }
    const accepted = await perch.request("POST", "/v1/runs", { json, headers })
    expect(accepted.status).toBe(202)
    expect(accepted.headers.get("location")).toBe(`/v1/runs/r?${new URLSearchParams({ sessionId })}`)
    const queued = { ...json, runId: "behind", prompt: "never" }
    await perch.json("POST", "/v1/runs", { json: queued, headers, status: 202 })
    await eventually(async () => ((await api.requests(script)).length > 0 ? true : undefined))
    expect(await perch.json("DELETE", `/v1/runs/behind?${new URLSearchParams({ sessionId })}`)).toMatchObject({
      aborted: true,
    })
    expect(await perch.json("POST", "/v1/runs/r/abort", { json: { sessionId } })).toMatchObject({ aborted: true })
    const result = await perch.json<EmbeddedRunResult>("GET", `/v1/runs/r?${query}`)
    expect(result.meta).toMatchObject({ aborted: true })
    expect(await perch.json("POST", "/v1/runs/r/abort", { json: { sessionId } })).toMatchObject({ aborted: false })
    const behind = await perch.json<EmbeddedRunResult>("GET", `/v1/runs/behind?${query}`)
    expect(behind.meta).toEqual({ durationMs: 0, aborted: true })
  })
})

describe("the caller's own tools", () => {
  it("end a run with tool_calls, and the next run brings their results", async () => {
    const sessionId = chat()
    const { prompt } = await scripted({ content: [call("lookup", { q: "Rome" }, "toolu_r")] }, DONE)
    const first = await run({ sessionId, prompt, clientTools: [LOOKUP] })
    expect(first.meta).toMatchObject({
      stopReason: "tool_calls",
      pendingToolCalls: [{ id: "toolu_r", name: "lookup", arguments: '{"q":"Rome"}' }],
    })
    const second = await run({ sessionId, toolResults: [{ id: "toolu_r", content: "sunny" }] })
    expect(second.meta.stopReason).toBe("completed")
    const late = { sessionId, timeoutMs: 9, toolResults: [{ id: "toolu_r", content: "rain" }] }
    await perch.json("POST", "/v1/runs", { json: late, status: 409 })
  })
})

describe("tenants and scopes", () => {
  it("have separate sessions for the same name, and readers can only read", async () => {
    const keyOf = async (json: object) =>
      (await perch.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })).key
    const tenant = `runs-${randomBytes(4).toString("hex")}`
    const other = perch.withKey(await keyOf({ tenant }))
    const reader = perch.withKey(await keyOf({ tenant, scopes: ["sessions:read"] }))
    const json = { sessionId: chat(), runId: "r", prompt: "Say hello", timeoutMs: 60_000, runtime: "offline" }
    const mine = await sessionOf(json)
    const query = new URLSearchParams({ sessionId: json.sessionId })
    await other.json("GET", `/v1/runs/r?${query}`, { status: 404 })
    const theirs = await other.request("POST", "/v1/runs", { json })
    expect(theirs.status).toBe(200)
    expect(theirs.headers.get("perch-session-id")).not.toBe(mine)
    await reader.json("GET", `/v1/runs/r?${query}`)
    await reader.json("POST", "/v1/runs", { json, status: 403 })
    await reader.json("POST", "/v1/runs/r/abort", { json: { sessionId: json.sessionId }, status: 403 })
    await perch.json("GET", `/v1/runs/r?${query}`, { status: 401, key: null })
  })
})

describe("two runs of one session", () => {
  it("are in order: the second starts after the first one's result", async () => {
    const sessionId = chat()
    const prompts = await Promise.all([scripted(DONE), scripted(DONE), scripted(DONE)])
    const results = await Promise.all(
      prompts.map(({ prompt }, index) => run({ sessionId, runId: `r${index}`, prompt })),
    )
    expect(results.map(({ meta }) => meta.stopReason)).toEqual(["completed", "completed", "completed"])
    const id = await sessionOf({ sessionId, runId: "r0", prompt: prompts[0]?.prompt, timeoutMs: 60_000 })
    const marks = (await perch.events(id))
      .filter(({ name }) => name === "run:started" || name.startsWith("sdk:result"))
      .map(({ name }) => name)
    expect(marks).toEqual(Array.from({ length: 3 }, () => ["run:started", "sdk:result/success"]).flat())
  })
})

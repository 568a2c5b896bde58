// Limits of a tenant on a real server, counted exactly, and values that are nested too deeply, through every layer.
import { randomUUID } from "node:crypto"
import { expect, inject, it } from "vitest"
import { WebSocket } from "ws"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const root = new PerchClient(shared)

/** A new tenant with limits of its own. */
const tenantWith = async (limits: Readonly<Record<string, number>>) => {
  const tenant = `t-${randomUUID().slice(0, 8)}`
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })
  const set = (next: Readonly<Record<string, number>>) =>
    root.json("PUT", `/v1/admin/tenants/${tenant}/limits`, { json: next })
  await set(limits)
  const used = async () => (await root.json<{ used: unknown }>("GET", `/v1/admin/tenants/${tenant}/limits`)).used
  return { perch: root.withKey(key), key, set, used }
}

const counted = async (statuses: ReadonlyArray<Promise<number>>): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const status of await Promise.all(statuses)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const statusOf = async (response: Promise<Response>): Promise<number> => {
  const { status, body } = await response
  await body?.cancel()
  return status
}

it("a tenant has as many sessions, turns and queued prompts as its limits allow, and one that ends frees a slot", async () => {
  const { perch, used } = await tenantWith({ open_sessions: 4, running_turns: 2, queued_prompts: 1 })
  const ids = Array.from({ length: 10 }, () => randomUUID())
  const made = await Promise.all(ids.map((id) => statusOf(perch.request("POST", "/v1/sessions", { json: { id } }))))
  expect(made.filter((status) => status === 201)).toHaveLength(4)
  expect(made.filter((status) => status === 429)).toHaveLength(6)
  const own = ids.filter((_, index) => made[index] === 201)
  const script = scriptName("held")
  await api.set(script, [{ content: [text("Done.")], hold: { gate: script } }])
  const submit = (id: string, prompt = promptFor(script)) =>
    statusOf(
      perch.request("POST", `/v1/sessions/${id}/query`, { json: { prompt }, headers: { prefer: "respond-async" } }),
    )
  // Two sessions have a running turn and one queued prompt each.
  expect(await counted(own.flatMap((id) => [submit(id), submit(id), submit(id)]))).toEqual({ 202: 4, 429: 8 })
  const refused = await perch.request("POST", `/v1/sessions/${own[0]}/query`, { json: { prompt: "x" } })
  expect(refused.status).toBe(429)
  expect(refused.headers.get("retry-after")).toBe("5")
  expect(await refused.json()).toMatchObject({ error: { type: "rate_limit_error" } })
  await api.release(script)
  for (const id of own) {
    const events = await perch.events(id)
    const prompts = events.filter(({ name }) => name === "turn:queued").length
    await perch.eventsUntilResults(id, prompts)
  }
  // The last turn's slot is released after its result.
  await expect.poll(used).toMatchObject({ running_turns: 0 })
  await perch.query(own[3] ?? "", "Say hello")
  await perch.json("DELETE", `/v1/sessions/${own[0]}`)
  const again = [randomUUID(), randomUUID()]
  expect(await counted(again.map((id) => statusOf(perch.request("POST", "/v1/sessions", { json: { id } }))))).toEqual({
    201: 1,
    429: 1,
  })
})

it("a query that exceeds the limit of turns creates no session, and the same one later creates it", async () => {
  const { perch, set, used } = await tenantWith({ running_turns: 0 })
  const headers = { "idempotency-key": randomUUID() }
  const query = () => statusOf(perch.request("POST", "/v1/query", { json: { prompt: "hello" }, headers }))
  expect([await query(), await query()]).toEqual([429, 429])
  expect(await used()).toMatchObject({ open_sessions: 0, running_turns: 0 })
  await set({ running_turns: 1 })
  expect(await query()).toBe(200)
  // The turn's slot is released after its result.
  await expect.poll(used).toMatchObject({ open_sessions: 1, running_turns: 0 })
})

it("a prompt over a socket that exceeds the limit of turns gets an error result, and the socket stays open", async () => {
  const { perch, key } = await tenantWith({ running_turns: 0 })
  const id = await perch.createSession()
  const socket = await ControlSocket.open({ url: shared.url, key }, id)
  socket.raw(
    `${JSON.stringify({ type: "user", message: { role: "user", content: "hello" }, parent_tool_use_id: null, session_id: "" })}\n`,
  )
  const result = await socket.next(({ type }) => type === "result")
  expect(JSON.stringify(result)).toContain("the tenant's maximum number of turns is already running")
  socket.raw(
    `${JSON.stringify({ type: "control_request", request_id: "v", request: { subtype: "get_binary_version" } })}\n`,
  )
  await socket.next(({ response }) => response?.request_id === "v")
  await socket.close()
})

it("a session has as many sockets and streams as its limits allow, and a socket that closes frees a slot", async () => {
  const { perch, key } = await tenantWith({ sockets_per_session: 2, streams_per_session: 3 })
  const id = await perch.createSession()
  const open: Array<WebSocket> = []
  const connect = () =>
    new Promise<number>((resolve) => {
      const url = `${shared.url.replace("http", "ws")}/v1/sessions/${id}/socket?client=${randomUUID()}`
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } })
      socket.once("open", () => resolve(open.push(socket) && 101))
      socket.once("unexpected-response", (_, response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      socket.on("error", () => undefined)
    })
  expect(await counted(Array.from({ length: 5 }, connect))).toEqual({ 101: 2, 429: 3 })
  const left = new AbortController()
  const stream = async () => {
    const response = await perch.request("GET", `/v1/sessions/${id}/events/stream`, { signal: left.signal })
    return response.status
  }
  expect(await counted(Array.from({ length: 7 }, stream))).toEqual({ 200: 3, 429: 4 })
  left.abort()
  for (const socket of open.splice(0)) socket.close()
  const whenFree = async (ask: () => Promise<number>, status: number) => {
    while ((await ask()) !== status) await new Promise((resolve) => setImmediate(resolve))
  }
  await whenFree(connect, 101)
  for (const socket of open) socket.close()
})

it("a prompt whose stream exceeds the session's limit is not executed", async () => {
  const { perch } = await tenantWith({ streams_per_session: 1 })
  const id = await perch.createSession()
  const left = new AbortController()
  await perch.request("GET", `/v1/sessions/${id}/events/stream`, { signal: left.signal })
  const messages = [{ id: "1", role: "user", content: "hello" }]
  const run = { threadId: id, runId: "run", messages, tools: [], context: [], state: {}, forwardedProps: {} }
  const prompts = [
    [`/v1/sessions/${id}/query`, { prompt: "hello" }],
    [`/v1/sessions/${id}/query`, { prompt: `hello ${"x".repeat(10_000)}`, on_busy: "interrupt" }],
    ["/v1/ag-ui", run],
    ["/v1/runs", { sessionId: id, runId: "run", prompt: "hello", timeoutMs: 60_000 }],
  ] as const
  for (const [path, json] of prompts) {
    const refused = perch.request("POST", path, { json, headers: { accept: "text/event-stream" } })
    expect([path, await statusOf(refused)]).toEqual([path, 429])
  }
  left.abort()
  expect(await perch.json("GET", `/v1/sessions/${id}/turns`)).toEqual({ data: [], next_cursor: null })
})

it("a run of a workflow has as many streams as a session may have, and an answer names the limit", async () => {
  const { perch } = await tenantWith({ streams_per_session: 2 })
  const script = scriptName("asks")
  await api.set(script, [{ content: [call("Write", { file_path: "/workspace/a.txt", content: "a" })] }])
  const json = { id: "open", input: { tasks: [promptFor(script)] } }
  await perch.json("POST", "/v1/workflows/tasks/runs", { json, status: 201 })
  const left = new AbortController()
  const path = "/v1/workflows/tasks/runs/open/events/stream"
  const stream = async () => (await perch.request("GET", path, { signal: left.signal })).status
  expect(await counted(Array.from({ length: 5 }, stream))).toEqual({ 200: 2, 429: 3 })
  const refused = await perch.request("GET", path)
  expect([refused.headers.get("retry-after"), await refused.json()]).toMatchObject([
    "5",
    { error: { type: "rate_limit_error", message: expect.stringContaining("maximum number of streams (2)") } },
  ])
  left.abort()
  await perch.json("POST", "/v1/workflows/tasks/runs/open/cancel")
})

it("a tenant can send as many requests per minute as its limit allows", async () => {
  const { perch } = await tenantWith({ requests_per_minute: 12 })
  const reads = Array.from({ length: 30 }, () => statusOf(perch.request("GET", "/v1/sessions")))
  expect(await counted(reads)).toEqual({ 200: 12, 429: 18 })
})

it("values 3,500 and 100,000 levels deep from the model, a socket and a body leave a session that can be read", async () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
  const tools = { clientTools: [{ name: "app", description: "d", inputSchema: { type: "object" } }] }
  const id = await root.createSession({ permissionMode: "bypassPermissions", ...tools })
  const script = scriptName("deep")
  const content = [3500, 100_000].flatMap((levels, n) => [
    { type: "tool_use", id: `toolu_${n}read`, name: "Read", raw_input: deep(levels) },
    { type: "tool_use", id: `toolu_${n}app`, name: "app", raw_input: deep(levels) },
  ])
  await api.set(script, [{ content, chunk: 65_536 }, textAnswer("Done.")])
  const messages = await root.query(id, promptFor(script), { options: { includePartialMessages: true } })
  expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", result: "Done." })
  const socket = await ControlSocket.open(shared, id)
  for (const levels of [3500, 100_000]) {
    const value = deep(levels)
    socket.raw(
      `{"type":"control_request","request_id":"r${levels}","request":{"subtype":"apply_flag_settings","settings":${value}}}\n`,
    )
    socket.raw(`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"x","more":${value}}]}}\n`)
    const answer = await socket.next(({ response }) => response?.request_id === `r${levels}`)
    expect(answer.response).toMatchObject({ subtype: "error", error: expect.stringContaining("100 levels deep") })
    await socket.next(({ type, is_error: isError }) => type === "result" && isError === true)
    const body = `{"prompt":[{"type":"text","text":"x","more":${value}}]}`
    const headers = { "content-type": "application/json" }
    expect(await statusOf(root.request("POST", `/v1/sessions/${id}/query`, { body, headers }))).toBe(400)
  }
  await socket.close()
  const events = await root.events(id)
  expect(
    events.filter(({ payload }) => JSON.stringify(payload).includes("nested more than 100 levels")).length,
  ).toBeGreaterThan(3)
  for (const path of ["messages", "messages?format=sdk", "events?order=desc", "permissions", "cost"]) {
    await root.json("GET", `/v1/sessions/${id}/${path}`)
  }
  const replayed = await root.stream(id, { after: 0, until: ({ type }) => type === "result" })
  expect(replayed.at(-1)?.message).toMatchObject({ type: "result" })
})

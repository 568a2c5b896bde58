// Perch itself as tools of `/mcp`, with the official MCP client: prompts, results, asks and their answers.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { CallToolResult, Progress } from "@modelcontextprotocol/sdk/types.js"
import { afterEach, describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { startMcpServer } from "../../support/server/mcp-server.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const open: Array<{ readonly close: () => Promise<unknown> }> = []

afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const connect = async (key = shared.key, query = "") => {
  const client = new Client({ name: "test", version: "1" })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  open.push(client)
  // The two types differ in optional fields.
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${shared.url}/mcp${query}`), { requestInit }) as Parameters<
      Client["connect"]
    >[0],
  )
  return client
}

type Options = Parameters<Client["callTool"]>[2]

const callTool = async (client: Client, name: string, input: Record<string, unknown>, options: Options = {}) =>
  (await client.callTool({ name, arguments: input }, undefined, options)) as CallToolResult

const scripted = async (...turns: ReadonlyArray<unknown>): Promise<string> =>
  promptFor(await api.add("mcp-perch", turns))

const DONE = { content: [text("Done.")] }
const WRITE = () => ({ content: [call("Write", { file_path: "/workspace/n.txt", content: "n" })] })

describe("Perch over MCP", () => {
  it("is a handful of tools with closed inputs, and needs no session", async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      "perch_run",
      "perch_result",
      "perch_asks",
      "perch_answer",
      "perch_stop",
    ])
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: "object" })
    }
    const refused = await callTool(await connect(), "perch_run", { prompt: "Hi", colour: "red" })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused.content)).toContain("colour")
  })

  it("runs a prompt in a new session, and continues it", async () => {
    const client = await connect()
    const first = await callTool(client, "perch_run", { prompt: await scripted(DONE), title: "By MCP" })
    expect(first.structuredContent).toMatchObject({ status: "completed", result: "Done.", errors: [], pending: [] })
    const { session_id, turn_id } = first.structuredContent as { session_id: string; turn_id: string }
    expect(await perch.json("GET", `/v1/sessions/${session_id}`)).toMatchObject({ title: "By MCP", turns: 1 })
    const read = await callTool(client, "perch_result", { session_id, turn_id })
    expect(read.structuredContent).toEqual(first.structuredContent)
    const again = await scripted(textAnswer("Again."))
    const named = await connect(shared.key, `?session=${session_id}`)
    expect((await callTool(named, "perch_run", { prompt: again })).structuredContent).toMatchObject({
      session_id,
      result: "Again.",
    })
  })

  it("lists what a turn asks, and accepts the answer", async () => {
    const client = await connect()
    const asked = await callTool(client, "perch_run", { prompt: await scripted(WRITE(), DONE) })
    const { session_id, turn_id, pending } = asked.structuredContent as {
      session_id: string
      turn_id: string
      pending: ReadonlyArray<{ request_id: string }>
    }
    expect(asked.structuredContent).toMatchObject({ status: "requires_action", result: null })
    expect(pending).toMatchObject([{ kind: "permission", tool_name: "Write", turn_id }])
    expect((await callTool(client, "perch_asks", { session_id })).structuredContent).toEqual({ pending })
    const { request_id } = pending[0]!
    const wrong = await callTool(client, "perch_answer", { session_id, request_id, answer: { yes: true } })
    expect(wrong).toMatchObject({ isError: true })
    const answer = { session_id, request_id, answer: { behavior: "allow" } }
    expect((await callTool(client, "perch_answer", answer)).structuredContent).toMatchObject({ status: "settled" })
    const ended = await callTool(client, "perch_result", { session_id, turn_id, wait_seconds: 20 })
    expect(ended.structuredContent).toMatchObject({ status: "completed", result: "Done." })
    expect(await perch.getFile(session_id, "/workspace/n.txt")).toBe("n")
  })

  it("returns a prompt that is queued behind a question at once, with the question", async () => {
    const client = await connect()
    const asked = await callTool(client, "perch_run", { prompt: await scripted(WRITE(), DONE) })
    const { session_id, pending } = asked.structuredContent as { session_id: string; pending: ReadonlyArray<unknown> }
    const reports: Array<Progress> = []
    const input = { prompt: await scripted(DONE), session_id, wait_seconds: 600 }
    const queued = await callTool(client, "perch_run", input, { onprogress: (report) => void reports.push(report) })
    expect(queued.structuredContent).toMatchObject({ status: "queued", result: null, pending })
    expect(reports).toHaveLength(1)
    const { turn_id } = queued.structuredContent as { turn_id: string }
    const again = await callTool(client, "perch_result", { session_id, turn_id, wait_seconds: 600 })
    expect(again.structuredContent).toEqual(queued.structuredContent)
  })

  it("returns a handle when the time to wait is over, and stops the turn with it", async () => {
    const server = await startMcpServer()
    open.push(server)
    const session_id = await perch.createSession({
      permissionMode: "bypassPermissions",
      mcpServers: { far: { type: "http", url: server.http } },
    })
    const client = await connect()
    const prompt = await scripted({ content: [call("mcp__far__hang", {})] }, DONE)
    const running = await callTool(client, "perch_run", { prompt, session_id, wait_seconds: 0 })
    const { turn_id } = running.structuredContent as { turn_id: string }
    const queued = await callTool(client, "perch_run", { prompt: await scripted(DONE), session_id, wait_seconds: 0 })
    expect(queued.structuredContent).toMatchObject({ status: "queued" })
    const { turn_id: later } = queued.structuredContent as { turn_id: string }
    await server.hanging
    const stop = (turn: string) => callTool(client, "perch_stop", { session_id, turn_id: turn })
    expect((await stop(later)).structuredContent).toEqual({ stopped: true })
    expect((await stop(turn_id)).structuredContent).toEqual({ stopped: true })
    expect((await stop(turn_id)).structuredContent).toEqual({ stopped: false })
    const unknown = await stop(crypto.randomUUID())
    expect(unknown).toMatchObject({ isError: true, content: [{ text: "there is no such turn in this session" }] })
    expect((await callTool(client, "perch_result", { session_id, turn_id })).structuredContent).toMatchObject({
      status: "interrupted",
    })
    expect((await callTool(client, "perch_result", { session_id, turn_id: later })).structuredContent).toMatchObject({
      status: "cancelled",
    })
  })

  it("reports progress to a client that requests it, and a client that cancels its call stops the turn", async () => {
    const server = await startMcpServer()
    open.push(server)
    const session_id = await perch.createSession({
      permissionMode: "bypassPermissions",
      mcpServers: { far: { type: "http", url: server.http } },
    })
    const client = await connect()
    const reports: Array<Progress> = []
    const short = { prompt: await scripted(DONE) }
    const done = await callTool(client, "perch_run", short, { onprogress: (report) => void reports.push(report) })
    expect(done.structuredContent).toMatchObject({ result: "Done." })
    expect(reports.length).toBeGreaterThan(0)
    const amounts = reports.map(({ progress }) => progress)
    expect(amounts).toEqual([...new Set(amounts)].toSorted((a, b) => a - b))

    const abort = new AbortController()
    const prompt = await scripted({ content: [call("mcp__far__hang", {})] }, DONE)
    const running = callTool(
      client,
      "perch_run",
      { prompt, session_id, wait_seconds: 600 },
      { signal: abort.signal, onprogress: () => undefined },
    )
    const ended = expect(running).rejects.toThrow()
    await server.hanging
    abort.abort()
    await ended
    await server.cancelled
    const turns = await perch.json("GET", `/v1/sessions/${session_id}/turns?limit=1`)
    const [turn] = turns["data"] as ReadonlyArray<{ turn_id: string }>
    const read = await callTool(client, "perch_result", { session_id, turn_id: turn!.turn_id, wait_seconds: 20 })
    expect(read.structuredContent).toMatchObject({ status: "interrupted" })
  })
})

describe("a call over MCP that its client cancels", () => {
  const hangingSession = async () => {
    const server = await startMcpServer()
    open.push(server)
    const session_id = await perch.createSession({
      permissionMode: "bypassPermissions",
      mcpServers: { far: { type: "http", url: server.http } },
    })
    const auth = { authorization: `Bearer ${shared.key}`, "content-type": "application/json" }
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${shared.url}/mcp?session=${session_id}`, {
        method: "POST",
        headers: { ...auth, accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify(Array.isArray(body) ? body : { jsonrpc: "2.0", ...body }),
      })
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const hello = await post({ id: 1, method: "initialize", params })
    await hello.body?.cancel()
    const session = { "mcp-session-id": String(hello.headers.get("mcp-session-id")) }
    return {
      server,
      session_id,
      call: (id: number, call: object) => post({ id, method: "tools/call", params: call }, session),
      cancel: (requestId: number) => post({ method: "notifications/cancelled", params: { requestId } }, session),
      /** Cancels a call in a batch with another message. */
      cancelInBatch: (requestId: number) => {
        const batch = [
          { jsonrpc: "2.0", id: 1000, method: "ping" },
          { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
        ]
        return post(batch, session)
      },
    }
  }

  it.each([
    ["without progress", {}, 202],
    ["with progress", { _meta: { progressToken: "p" } }, 200],
  ])("%s gets no answer, and its turn is stopped", async (_, meta, status) => {
    const { server, call: send, cancel } = await hangingSession()
    const prompt = await scripted({ content: [call("mcp__far__hang", {})] }, DONE)
    const running = send(7, { name: "perch_run", arguments: { prompt, wait_seconds: 600 }, ...meta })
    await server.hanging
    expect((await cancel(7)).status).toBe(202)
    await server.cancelled
    const answer = await running
    expect(answer.status).toBe(status)
    expect(await answer.text()).not.toContain("result")
  })

  it("gets no answer if it is a tool of the session, which is stopped and logged", async () => {
    const { server, session_id, call: send, cancel } = await hangingSession()
    // The session connects to its servers in its first turn.
    await perch.json("POST", `/v1/sessions/${session_id}/query`, { json: { prompt: await scripted(DONE) } })
    const running = send(7, { name: "mcp__far__hang", arguments: {} })
    await server.hanging
    expect((await cancel(8)).status).toBe(202)
    expect((await cancel(7)).status).toBe(202)
    await server.cancelled
    const answer = await running
    expect([answer.status, await answer.text()]).toEqual([202, ""])
    const page = await perch.json("GET", `/v1/sessions/${session_id}/events?name=tool:called`)
    expect(page["events"]).toMatchObject([
      { payload: { tool_name: "mcp__far__hang", is_error: true, reason: "aborted" } },
    ])
  })

  it("gets no answer if it is cancelled in a batch", async () => {
    const { server, call: send, cancelInBatch } = await hangingSession()
    const prompt = await scripted({ content: [call("mcp__far__hang", {})] }, DONE)
    const running = send(7, { name: "perch_run", arguments: { prompt, wait_seconds: 600 } })
    await server.hanging
    expect(await (await cancelInBatch(7)).json()).toMatchObject({ id: 1000 })
    await server.cancelled
    const answer = await running
    expect([answer.status, await answer.text()]).toEqual([202, ""])
  })

  it("gets no answer if it is a perch_result, and its turn continues", async () => {
    const { server, session_id, call: send, cancel } = await hangingSession()
    const prompt = await scripted({ content: [call("mcp__far__hang", {})] }, DONE)
    const options = { method: "POST", headers: { authorization: `Bearer ${shared.key}`, prefer: "respond-async" } }
    const asked = await fetch(`${shared.url}/v1/sessions/${session_id}/query`, {
      ...options,
      body: JSON.stringify({ prompt }),
    })
    const { turn_id } = (await asked.json()) as { readonly turn_id: string }
    await server.hanging
    const running = send(7, { name: "perch_result", arguments: { turn_id, wait_seconds: 600 } })
    // The call can be cancelled once it is registered; until then the cancellation finds nothing.
    const cancelling = setInterval(() => void cancel(7), 200)
    const answer = await running.finally(() => clearInterval(cancelling))
    expect([answer.status, await answer.text()]).toEqual([202, ""])
    expect(await perch.json("GET", `/v1/sessions/${session_id}/turns/${turn_id}`)).toMatchObject({ status: "running" })
    await perch.json("POST", `/v1/sessions/${session_id}/interrupt`)
  })
})

describe("a key over MCP", () => {
  const keyOf = async (tenant: string, scopes: ReadonlyArray<string>): Promise<string> => {
    const made = await perch.json("POST", "/v1/admin/keys", { json: { tenant, scopes }, status: 201 })
    return String(made["key"])
  }

  it("has the tools that its scopes allow", async () => {
    const client = await connect(await keyOf("mcp-scopes", ["sessions:write"]))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["perch_run", "perch_stop"])
    expect(await callTool(client, "perch_asks", { session_id: crypto.randomUUID() })).toMatchObject({ isError: true })
    const bypass = { prompt: "Hi", permission_mode: "bypassPermissions" }
    const refused = await callTool(client, "perch_run", bypass)
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused.content)).toContain("bypass")
  })

  it("can't reach a session of another tenant", async () => {
    const session_id = await perch.createSession({})
    const client = await connect(await keyOf("mcp-other", ["sessions:read", "sessions:write", "answer"]))
    const turn_id = crypto.randomUUID()
    for (const [name, input] of [
      ["perch_run", { prompt: "Hi" }],
      ["perch_result", { turn_id }],
      ["perch_asks", {}],
      ["perch_answer", { request_id: "x", answer: { behavior: "allow" } }],
      ["perch_stop", { turn_id }],
    ] as const) {
      const refused = await callTool(client, name, { session_id, ...input })
      expect([name, refused.isError, JSON.stringify(refused.content)]).toEqual([
        name,
        true,
        expect.stringMatching(/no such session|does not exist|not found/i),
      ])
    }
  })
})

// The answer of every operation of the OpenAPI document to an invalid request, from a real server: without a key, for an
// unknown session or name, and with an unknown body field or parameter. The client compares each answer with the document.
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import http from "node:http"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { checkedAnswer } from "../../support/contract/checked-answer.ts"
import { operations } from "../../support/contract/document.ts"
import { root, routeOf } from "./tour.ts"

/** A well-formed id of nothing that exists. */
const NOTHING: Readonly<Record<string, string>> = {
  id: randomUUID(),
  session_id: randomUUID(),
  turn_id: randomUUID(),
  request_id: randomUUID(),
  path: "workspace/none.txt",
}

const params = Object.fromEntries(
  operations
    .flatMap(({ path }) => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name))
    .map((name) => [name, NOTHING[name] ?? "none"]),
)

const statusOf = async (method: string, route: string, options: Parameters<typeof root.request>[2] = {}) => {
  const response = await root.request(method, route, options)
  await response.text()
  return response.status
}

/** The request of a page whose name resolves to this machine. `fetch` sets the Host header itself. */
const fromOtherHost = async (method: string, route: string): Promise<Response> => {
  const request = http.request(root.url + route, { method, headers: { host: "evil.example" } }).end()
  const [answer] = (await once(request, "response")) as [http.IncomingMessage]
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Response(await text(answer), { status: answer.statusCode ?? 0, headers })
}

const locked = operations.filter(({ security }) => security.length > 0)
const open = operations.filter(({ security }) => security.length === 0)
const ofSession = locked.filter(({ path }) => path.startsWith("/v1/sessions/{id}"))
const withBody = locked.filter(({ requestBody }) => requestBody?.content["application/json"] !== undefined)

describe("a refusal matches the document", () => {
  it("of each operation without a key, and of public ones for another host's page", async () => {
    const refused = await Promise.all(
      locked.map(async (operation) => [
        operation.id,
        await statusOf(operation.method, routeOf(operation, params), { key: null }),
      ]),
    )
    expect(refused).toEqual(locked.map(({ id }) => [id, 401]))
    for (const operation of open) {
      const route = routeOf(operation, params)
      const answer = checkedAnswer(operation.method, root.url + route, await fromOtherHost(operation.method, route))
      expect([operation.id, answer.status, await answer.json()]).toMatchObject([operation.id, 403, { type: "error" }])
    }
    expect(locked.length + open.length).toBe(operations.length)
  })

  it("of each operation for a session that does not exist", async () => {
    const statuses = await Promise.all(
      ofSession
        .filter(({ method, id }) => method === "GET" && id !== "openSocket")
        .map(async (operation) => [operation.id, await statusOf("GET", routeOf(operation, params))]),
    )
    expect(statuses.filter(([, status]) => status !== 404)).toEqual([])
  })

  it("of operations for a session that does not exist and that is not in the path", async () => {
    const session = randomUUID()
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" }
    const headers = { accept: "application/json, text/event-stream" }
    const run = { sessionId: session, timeoutMs: 1000, toolResults: [{ id: "toolu_1", content: "12 degrees" }] }
    expect(await statusOf("GET", `/v1/tools?session=${session}`)).toBe(404)
    expect(await statusOf("POST", `/mcp?session=${session}`, { json: message, headers })).toBe(404)
    expect(await statusOf("POST", "/v1/runs", { json: run })).toBe(404)
  })

  it("of each operation for a body that it does not know", async () => {
    const statuses = await Promise.all(
      withBody.map(async (operation) => {
        const options = { json: { no_such_field: 1 }, headers: { accept: "application/json, text/event-stream" } }
        return [operation.id, await statusOf(operation.method, routeOf(operation, params), options)]
      }),
    )
    expect(statuses.filter(([, status]) => status !== 400 && status !== 404)).toEqual([])
  })

  it("of options that a session can't change", async () => {
    const { id } = await root.json<{ id: string }>("POST", "/v1/sessions", { json: {}, status: 201 })
    const runtime = { json: { options: { runtime: { mode: "record" } } } }
    expect(await statusOf("PATCH", `/v1/sessions/${id}`, runtime)).toBe(409)
    const limits = { json: { prompt: "hello", options: { workspace_limits: { files: 1 } } } }
    expect(await statusOf("POST", `/v1/sessions/${id}/query`, limits)).toBe(409)
  })
})

// A canary in every field that accepts a secret, then every route, socket and stream, and everything that the server stored or
// printed: the canaries are only in the session's own record and in the requests that they are for.
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { contract } from "../../../src/http/contract/contract.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { eventually, PerchClient, type RequestOptions } from "../../support/server/client.ts"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { d1Rows } from "../../support/server/local-d1.ts"
import { type HookServer, startHookServer } from "../../support/server/hook-server.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { searchState } from "../../support/values/state-search.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const root = new PerchClient(shared)
let hooks: HookServer
let mcp: TestMcpServer
let perch: PerchClient
/** The session whose fields have the secrets, and a copy of it. */
let id = ""
let copy = ""

beforeAll(async () => {
  hooks = await startHookServer()
  mcp = await startMcpServer()
  await useEverySecret()
})
afterAll(async () => {
  await mcp.close()
  await hooks.close()
})

/** Each field has a unique canary, so that a leak identifies it. */
const canaries = new Map<string, string>([
  ["the root key", shared.key],
  ["ANTHROPIC_API_KEY", shared.modelKey],
])
const canary = (place: string): string => {
  const made = canaries.get(place) ?? `canary-${randomBytes(9).toString("hex")}`
  canaries.set(place, made)
  return made
}

/** The headers and body of every answer, by request. */
const answers: Array<readonly [what: string, text: string]> = []

const ask = async (perch: PerchClient, method: string, route: string, options: RequestOptions = {}) => {
  const response = await perch.request(method, route, options)
  const headers = JSON.stringify([...response.headers])
  const body = await response.text()
  answers.push([`${method} ${route.split("?")[0]}`, `${headers}\n${body}`])
  return { status: response.status, body }
}

const hook = (place: string) => ({
  type: "http",
  url: `${hooks.url}/hook?token=${canary(`the URL's query of ${place}`)}#${canary(`the fragment of ${place}`)}`,
  headers: {
    authorization: `Bearer ${canary(`a header of ${place}`)}`,
    "x-team": canary(`a second header of ${place}`),
  },
})
const hooksOf = (place: string) => ({
  PreToolUse: [{ hooks: [hook(place)] }],
  Stop: [{ hooks: [{ ...hook(place), onFailure: "continue" }] }],
})
const sdkServer = (place: string) => ({
  type: "sdk",
  name: "tools",
  headers: { "x-api-key": canary(`mcpServers headers of ${place}`) },
  env: { TOKEN: canary(`mcpServers env of ${place}`) },
  url: `https://mcp.acme.com/?token=${canary(`mcpServers url of ${place}`)}`,
})

const remoteServer = (place: string) => ({
  type: "http",
  url: `${mcp.http}?token=${canary(`a remote server's query of ${place}`)}`,
  headers: {
    authorization: `Bearer ${canary(`a remote server's header of ${place}`)}`,
    "x-team": canary(`a remote server's second header of ${place}`),
  },
})

/** Requests that are refused, and whose refusal must not repeat their content. */
const refusals = (): ReadonlyArray<readonly [method: string, route: string, json: object]> => {
  const options = [
    { env: { TOKEN: canary("env") } },
    {
      mcpServers: {
        a: {
          type: "http",
          url: `https://10.0.0.1/?${canary("a remote MCP url")}`,
          headers: { a: canary("a remote MCP header") },
        },
      },
    },
    { mcpServers: { a: { type: "stdio", command: "x", env: { A: canary("a stdio MCP env") } } } },
    { mcpServers: { a: { command: "x", args: [canary("a stdio MCP argument")] } } },
    ...[
      { url: `ftp://a.com/?${canary("an ftp hook")}` },
      { url: `https://10.0.0.1/?${canary("a private hook")}` },
      { url: `https://user:${canary("a hook's password")}@acme.com/` },
      { url: `https://acme.com/\r\n${canary("a crooked hook")}` },
      { headers: { "x-key": `${canary("a crooked header")}\r\n` } },
      { headers: { host: canary("a reserved header") } },
      { timeout: canary("a hook's timeout") },
    ].map((more) => ({ hooks: { Stop: [{ hooks: [{ ...hook("a refused hook"), ...more }] }] } })),
    { settings: { env: { TOKEN: canary("settings.env") } } },
    { [canary("an option's value")]: undefined, apiKey: canary("an unknown option") },
  ]
  return options.flatMap((one) => [
    ["POST", "/v1/sessions", { options: one }] as const,
    ["POST", "/v1/query", { prompt: "hello", options: one }] as const,
  ])
}

/** A request for every row of the contract; those that show a new secret once are made separately. */
const SHOWN_ONCE = new Set(["createKey", "rollKey", "createTicket", "rotateWebhookSecret"])
const LAST = new Set(["deleteSession", "revokeKey"])
const STREAMS = new Set(["streamEvents", "openSocket"])

const fill = (path: string, id: string): string =>
  path
    .replace("{path}", "workspace/notes.txt")
    .replace("{request_id}", "none")
    .replace("{key_id}", "0000000000000000")
    // Removes what POST /v1/mcp-servers stores.
    .replace("/v1/mcp-servers/{name}", "/v1/mcp-servers/issues")
    .replace("{id}", path.startsWith("/v1/hook-events") ? "none" : id)
    .replace(/^\/mcp$/, `/mcp?session=${id}`)

const everyRoute = async (perch: PerchClient, id: string, last: boolean) => {
  for (const row of Object.values(contract)) {
    if (SHOWN_ONCE.has(row.id) || STREAMS.has(row.id) || LAST.has(row.id) !== last) continue
    const method = row.method.toUpperCase()
    const example = row.id === "createMcpServer" ? { name: "issues", ...remoteServer("a created server") } : row.example
    const json = row.body === undefined ? {} : { json: example ?? {} }
    await ask(perch, method, fill(row.path, id), json)
    // The query's turn is not awaited.
    if (row.id === "querySession") await ask(perch, "POST", `/v1/sessions/${id}/interrupt`)
  }
}

/** Sends each canary in its field, runs turns with them, and sends the session every request. */
const useEverySecret = async () => {
  const tenant = `canary-${randomBytes(4).toString("hex")}`
  const scopes = ["sessions:read", "sessions:write", "answer", "files", "bypass", "tickets", "admin"]
  const made = await root.json<{ id: string; key: string }>("POST", "/v1/admin/keys", {
    json: { tenant, scopes },
    status: 201,
  })
  canaries.set("an API key", made.key)
  perch = root.withKey(made.key)
  const other = await root.json<{ id: string; key: string }>("POST", "/v1/admin/keys", {
    json: { tenant },
    status: 201,
  })
  const rolled = await root.json<{ key: string }>("POST", `/v1/admin/keys/${other.id}/roll`, {
    json: { overlap_seconds: 60 },
  })
  canaries.set("a rolled API key", rolled.key).set("an API key before it was rolled", other.key)
  for (const place of ["a webhook secret before", "a webhook secret"]) {
    const { secret } = await perch.json<{ secret: string }>("POST", "/v1/webhooks/secret", { json: {}, status: 201 })
    canaries.set(place, secret.slice("whsec_".length))
  }

  // The session, its changes, a fork, and turns with hooks of their own; the model's server repeats the key it received.
  const script = scriptName("secrets")
  const broken = scriptName("secrets-broken")
  await api.set(script, [
    [
      { error: { status: 529, type: "overloaded_error", message: `overloaded for ${shared.modelKey}` } },
      { content: [call("Write", { file_path: "/workspace/notes.txt", content: "notes" })] },
    ],
    // The server repeats the headers it received, and its error repeats the request.
    { content: [call("mcp__far__headers", {})] },
    { content: [call("mcp__far__fails", {})] },
    textAnswer("Done."),
  ])
  await api.set(broken, [
    { error: { status: 401, type: "authentication_error", message: `invalid x-api-key: ${shared.modelKey}` } },
  ])
  const options = {
    permissionMode: "acceptEdits",
    allowedTools: ["mcp__far"],
    hooks: hooksOf("a session"),
    mcpServers: { tools: sdkServer("a session"), far: remoteServer("a session") },
  }
  const created = await ask(perch, "POST", "/v1/sessions", {
    json: { options },
    headers: { "idempotency-key": canary("an Idempotency-Key") },
  })
  expect(created.status).toBe(201)
  id = (JSON.parse(created.body) as { id: string }).id
  await ask(perch, "POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(script) } })
  expect(hooks.deliveries.map(({ path }) => path)).toContain(`/hook?token=${canary("the URL's query of a session")}`)
  expect(hooks.deliveries[0]?.headers).toMatchObject({ "x-team": canary("a second header of a session") })
  const asked = mcp.asked.find(({ rpc }) => rpc === "tools/call")
  expect(asked?.headers).toMatchObject({ "x-team": canary("a remote server's second header of a session") })
  await ask(perch, "PATCH", `/v1/sessions/${id}`, {
    json: { options: { mcpServers: { far: remoteServer("a change") } } },
  })
  // A stored server is used by a session that does not name it.
  const kept = await ask(perch, "PUT", "/v1/mcp-servers/far", { json: remoteServer("a tenant") })
  expect(kept.status).toBe(201)
  await ask(perch, "GET", "/v1/mcp-servers")
  const plain = { permissionMode: "acceptEdits", allowedTools: ["mcp__far"] }
  await ask(perch, "POST", "/v1/query", { json: { prompt: promptFor(script), options: plain } })
  const teams = mcp.asked.map(({ headers }) => headers["x-team"])
  expect(teams).toContain(canary("a remote server's second header of a tenant"))
  await ask(perch, "PUT", "/v1/mcp-servers/far", { json: { ...remoteServer("a refused server"), type: "stdio" } })
  await ask(perch, "POST", `/v1/sessions/${id}/query`, {
    json: { prompt: promptFor(script), options: { mcpServers: { far: remoteServer("a turn") } } },
  })
  await ask(perch, "POST", `/v1/sessions/${id}/query`, {
    json: {
      prompt: promptFor(script),
      options: {
        mcpServers: {
          far: {
            ...remoteServer("a failed turn"),
            url: `http://127.0.0.1:1/?${canary("the query of a server that is gone")}`,
          },
        },
      },
    },
  })
  await ask(perch, "POST", `/v1/sessions/${id}/query`, {
    json: { prompt: promptFor(broken), options: { hooks: hooksOf("a turn") } },
  })
  await ask(perch, "PATCH", `/v1/sessions/${id}`, { json: { options: { hooks: hooksOf("a change") } } })
  const forked = await ask(perch, "POST", `/v1/sessions/${id}/fork`, {
    json: { options: { hooks: hooksOf("a copy") } },
  })
  copy = (JSON.parse(forked.body) as { id: string }).id
  await ask(perch, "POST", "/v1/sessions", {
    json: { options: { resume: id, hooks: hooksOf("a session that is taken up") } },
  })
  const queried = {
    prompt: promptFor(script),
    options: { ...options, hooks: hooksOf("a query that makes its session") },
  }
  expect((await ask(perch, "POST", "/v1/query", { json: queried })).body).toContain("Done.")
  hooks.answer = () => ({ status: 500, body: { message: canary("the answer of a hook") } })
  await ask(perch, "POST", `/v1/sessions/${copy}/query`, { json: { prompt: promptFor(script) } })

  const refused = await Promise.all(refusals().map(([method, route, json]) => ask(perch, method, route, { json })))
  expect(refused.filter(({ status }) => status !== 400)).toEqual([])
  for (const headers of [
    { authorization: `Bearer ${canary("a wrong key")}` },
    { "x-api-key": canary("a wrong x-api-key") },
  ]) {
    expect((await ask(perch, "GET", "/v1/sessions", { key: null, headers })).status).toBe(401)
  }

  // Tickets in addresses, and the control protocol.
  const ticket = await perch.json<{ ticket: string }>("POST", `/v1/sessions/${id}/tickets`, {
    json: { roles: ["observe"] },
    status: 201,
  })
  canaries.set("a ticket", ticket.ticket)
  for (const query of [`ticket=${ticket.ticket}`, `ticket=${canary("a wrong ticket")}`]) {
    const response = await fetch(`${shared.url}/v1/sessions/${id}/events/stream?after=0&${query}`)
    const reader = response.body!.getReader()
    for (let read = ""; !read.includes(response.ok ? '"result"' : "error"); answers.push(["GET events/stream", read])) {
      read += new TextDecoder().decode((await reader.read()).value)
    }
    await reader.cancel()
  }
  const socket = await ControlSocket.open({ url: shared.url, key: made.key }, id, { after: 0 })
  const requests: ReadonlyArray<readonly [subtype: string, fields: object]> = [
    ["initialize", { sdkMcpServers: ["tools"], sdkMcpServerConfigs: { tools: sdkServer("initialize") } }],
    [
      "mcp_set_servers",
      {
        servers: {
          a: {
            type: "http",
            url: `https://a.com/?${canary("mcp_set_servers url")}`,
            headers: { a: canary("mcp_set_servers headers") },
          },
        },
      },
    ],
    ["mcp_set_servers", { servers: { far: remoteServer("mcp_set_servers") } }],
    ["mcp_reconnect", { serverName: "far" }],
    ["mcp_status", {}],
    ["mcp_set_servers", { servers: { a: { type: "stdio", command: "x", env: { A: canary("mcp_set_servers env") } } } }],
    ["apply_flag_settings", { settings: { env: { TOKEN: canary("apply_flag_settings env") } } }],
    ["mcp_status", {}],
    ["get_settings", {}],
    ["get_hooks_listing", {}],
    ["list_permission_rules", {}],
    ["get_context_usage", {}],
  ]
  for (const [subtype, fields] of requests) {
    await socket.request({ subtype, ...fields })
  }
  socket.send({ type: "auth", token: canary("an auth line") })

  await everyRoute(perch, id, false)
  answers.push(["the socket", JSON.stringify(socket.frames)])
  socket.close()
}

const placeOf = (found: string) => [...canaries].find(([, value]) => value === found)?.[0]

it("stores and prints a secret nowhere but in its session's record, whichever field contains it", async () => {
  await eventually(async () => {
    const { delivery } = await perch.json<{ delivery: { lag_events: number } }>("GET", `/v1/sessions/${id}`)
    const rows = d1Rows(shared.state, "SELECT 1 FROM hook_events WHERE session_id = ?", copy)
    return delivery.lag_events === 0 && rows.length > 3 ? true : undefined
  })
  const hits = await searchState(shared.state, [...canaries.values(), id])
  const stored = hits.filter(({ text }) => text !== id).map(({ where, text: found }) => `${placeOf(found)}: ${where}`)
  expect([...new Set(stored)]).toEqual([])
  // The searched state does contain the session's activity.
  const known = new Set(hits.filter(({ text }) => text === id).map(({ where }) => where.split("/").at(-1)))
  expect([...known]).toEqual(
    expect.arrayContaining(["log", expect.stringMatching(/ hook_events$/), expect.stringMatching(/ events$/)]),
  )
  expect(canaries.size).toBeGreaterThanOrEqual(50)
})

it("shows a secret in no answer, whichever field contains it", async () => {
  await everyRoute(perch, copy, false)
  await everyRoute(perch, copy, true)
  const shown = answers.flatMap(([what, answer]) =>
    [...canaries.values()].filter((one) => answer.includes(one)).map((one) => `${placeOf(one)}: ${what}`),
  )
  expect(shown).toEqual([])
  expect(answers.length).toBeGreaterThan(100)
})

// `/mcp` over the routes: the workspace's files as resources, and commands as prompts, by the protocol's own requests.
import { describe, expect, it } from "vitest"
import { makeApi } from "../api.ts"

const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" }

type Api = ReturnType<typeof makeApi>

const rpc = async (api: Api, method: string, params: object = {}, session?: string, key?: string) => {
  const route = session === undefined ? "/mcp" : `/mcp?session=${session}`
  const json = { jsonrpc: "2.0", id: 1, method, params }
  const answer = await api.call("POST", route, { json, headers: HEADERS, ...(key === undefined ? {} : { key }) })
  return (await answer.json()) as {
    readonly result?: Record<string, unknown>
    readonly error?: { readonly code: number }
  }
}

const withSession = async () => {
  const api = makeApi()
  const created = await api.call("POST", "/v1/sessions", { json: {} })
  const { id } = (await created.json()) as { readonly id: string }
  return { api, id }
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
}

describe("resources of /mcp", () => {
  it("are the files of the requested session", async () => {
    const { api, id } = await withSession()
    await api.call("PUT", `/v1/sessions/${id}/files/workspace/a%20b.md`, { body: "# Größe" })
    const hello = await rpc(api, "initialize", INITIALIZE, id)
    expect(hello.result?.["capabilities"]).toMatchObject({ resources: {}, prompts: {}, tools: {} })
    expect((await rpc(api, "resources/templates/list", {}, id)).result).toMatchObject({
      resourceTemplates: [{ uriTemplate: "file:///{+path}" }],
    })
    const uri = "file:///workspace/a%20b.md"
    expect((await rpc(api, "resources/list", {}, id)).result).toMatchObject({
      resources: [{ uri, name: "a b.md", title: "/workspace/a b.md", mimeType: "text/markdown", size: 7 }],
    })
    const read = await rpc(api, "resources/read", { uri }, id)
    expect(read.result).toEqual({ contents: [{ uri, mimeType: "text/markdown", text: "# Größe" }] })
  })

  it.each([
    ["file:///workspace/none.txt", -32002],
    ["file:///workspace/../etc", -32002],
    ["file://host/workspace/a.txt", -32602],
    ["https://example.com/", -32602],
    ["file:///%E0%A4%A", -32602],
  ])("that are not there are errors: %s", async (uri, code) => {
    const { api, id } = await withSession()
    expect((await rpc(api, "resources/read", { uri }, id)).error).toMatchObject({ code })
  })

  it("are read up to 4 MiB", async () => {
    const { api, id } = await withSession()
    const most = 4 * 1024 * 1024
    for (const [name, size] of Object.entries({ "full.txt": most, "over.txt": most + 1 })) {
      await api.call("PUT", `/v1/sessions/${id}/files/workspace/${name}`, { body: "x".repeat(size) })
    }
    const read = (name: string) => rpc(api, "resources/read", { uri: `file:///workspace/${name}` }, id)
    expect((await read("full.txt")).result).toMatchObject({ contents: [{ text: "x".repeat(most) }] })
    expect((await read("over.txt")).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("uri: the file has more than 4194304 bytes."),
    })
  })

  it("accept a path of any length as a cursor, and nothing else", async () => {
    const { api, id } = await withSession()
    const folder = `/workspace/${Array.from({ length: 12 }, () => "d".repeat(250)).join("/")}`
    const cursor = `${folder}/a`
    expect((await api.call("GET", `/v1/sessions/${id}/files?cursor=${cursor}`)).status).toBe(200)
    expect((await rpc(api, "resources/list", { cursor }, id)).result).toMatchObject({ resources: [] })
    expect((await rpc(api, "resources/list", { cursor: "abc" }, id)).error).toMatchObject({ code: -32602 })
  })

  it("are refused when header and address name different sessions", async () => {
    const { api, id } = await withSession()
    const call = (session: string) => {
      const headers = { ...HEADERS, "perch-session-id": session }
      return api.call("POST", `/mcp?session=${id}`, { json: { jsonrpc: "2.0", id: 1, method: "ping" }, headers })
    }
    expect((await call(id)).status).toBe(200)
    expect((await call(crypto.randomUUID())).status).toBe(400)
  })

  it("are not offered without a session, or to a key without the scope for files", async () => {
    const { api, id } = await withSession()
    const hello = await rpc(api, "initialize", INITIALIZE)
    expect(Object.keys(Object(hello.result?.["capabilities"]))).not.toContain("resources")
    expect((await rpc(api, "resources/list")).error).toMatchObject({ code: -32601 })
    const made = await api.call("POST", "/v1/admin/keys", {
      json: { tenant: "t1", scopes: ["sessions:read", "sessions:write"] },
    })
    const { key } = (await made.json()) as { readonly key: string }
    const own = await api.call("POST", "/v1/sessions", { json: {}, key })
    const { id: mine } = (await own.json()) as { readonly id: string }
    expect((await rpc(api, "resources/list", {}, mine, key)).error).toMatchObject({ code: -32601 })
    expect((await rpc(api, "resources/list", {}, id)).error).toBeUndefined()
  })
})

describe("prompts of /mcp", () => {
  it("are Perch's own commands, and the tenant's stored ones", async () => {
    const api = makeApi()
    const put = async (name: string, template: string) =>
      (await api.call("PUT", `/v1/commands/${name}`, { json: { template, description: name } })).status
    expect(await put("greet", "Greet $1 and $2.")).toBe(201)
    expect(await put("plain", "Say hello.")).toBe(201)
    expect(await put("runs", "Look: !`git status`")).toBe(201)
    const { result } = await rpc(api, "prompts/list")
    expect(result).toMatchObject({
      prompts: [
        { name: "greet", description: "greet", arguments: [{ name: "arguments", required: false }] },
        { name: "plain" },
        { name: "init" },
        { name: "review" },
      ],
    })
    const got = await rpc(api, "prompts/get", { name: "greet", arguments: { arguments: `Ada "the other"` } })
    expect(got.result).toEqual({
      description: "greet",
      messages: [{ role: "user", content: { type: "text", text: `Greet Ada and "the other".` } }],
    })
    const unknown = await rpc(api, "prompts/get", { name: "greet", arguments: { arguments: "Ada", who: "Bob" } })
    expect(unknown.error).toMatchObject({ code: -32602, message: expect.stringContaining("who: is not an argument") })
    expect((await rpc(api, "prompts/get", { name: "runs" })).error).toMatchObject({ code: -32602 })
  })
})

describe("a method that /mcp does not have", () => {
  it("is not declared: no change of a list is announced", async () => {
    const { api, id } = await withSession()
    const listChanged = false
    const capabilities = { tools: { listChanged }, prompts: { listChanged } }
    expect((await rpc(api, "initialize", INITIALIZE)).result?.["capabilities"]).toEqual(capabilities)
    const named = await rpc(api, "initialize", INITIALIZE, id)
    expect(named.result?.["capabilities"]).toEqual({ ...capabilities, resources: { listChanged } })
  })

  it.each(["logging/setLevel", "completion/complete", "resources/subscribe", "sampling/createMessage", "tasks/list"])(
    "is rejected as the protocol requires: %s",
    async (method) => {
      const { api, id } = await withSession()
      const params = {
        level: "info",
        uri: "file:///a",
        ref: { type: "ref/prompt", name: "init" },
        argument: { name: "a", value: "" },
      }
      expect((await rpc(api, method, params, id)).error).toMatchObject({ code: -32601 })
    },
  )
})

it.each([
  ["without a message", [], "The request body must have at least one message"],
  [
    "with an id twice",
    [1, 2, 1].map((id) => ({ jsonrpc: "2.0", id, method: "ping" })),
    "The request body has the id 1 in several messages",
  ],
])("a batch %s is refused before any of its calls runs", async (_, json, message) => {
  const { error } = await makeApi().refused(400, "POST", "/mcp", { json, headers: HEADERS })
  expect(error).toMatchObject({ type: "invalid_request_error", message })
})

it("a batch of calls with ids of their own, notifications and responses is answered call by call", async () => {
  const call = (id: number | string) => ({ jsonrpc: "2.0", id, method: "ping" })
  const json = [
    call(1),
    call("1"),
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } },
  ]
  const response = await makeApi().call("POST", "/mcp", { json, headers: HEADERS })
  expect(await response.json()).toMatchObject([{ id: 1 }, { id: "1" }])
})

it("the tools of /mcp accept the same session ids as REST", async () => {
  const api = makeApi()
  const id = "12345678-1234-0234-0234-123456789abc"
  await api.call("POST", "/v1/sessions", { json: { id } })
  const asks = (session_id: string) => rpc(api, "tools/call", { name: "perch_asks", arguments: { session_id } })
  expect((await asks(id)).result).toMatchObject({ structuredContent: { pending: [] } })
  for (const other of ["no uuid", id.toUpperCase()]) expect((await asks(other)).result).toMatchObject({ isError: true })
})

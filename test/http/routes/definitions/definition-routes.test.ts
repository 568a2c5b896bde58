// A tenant's stored definitions, over HTTP: the routes of agents stand for those of every kind.
import { describe, expect, it } from "vitest"
import { makeApi } from "../../api.ts"

const AGENT = { description: "Reviews.", prompt: "Review.", tools: ["Read"], model: "haiku" }

const body = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>

describe("agents of a tenant", () => {
  it("are created, read, replaced, listed and removed", async () => {
    const { call } = makeApi()
    const made = await call("POST", "/v1/agents", { json: { name: "reviewer", ...AGENT } })
    expect(made.status).toBe(201)
    expect(await body(made)).toMatchObject({ name: "reviewer", source: "stored", ...AGENT })
    const replaced = await call("PUT", "/v1/agents/reviewer", { json: { ...AGENT, model: "opus" } })
    expect([replaced.status, (await body(replaced))["model"]]).toEqual([200, "opus"])
    expect((await call("PUT", "/v1/agents/other", { json: AGENT })).status).toBe(201)
    expect(await body(await call("GET", "/v1/agents/reviewer"))).toMatchObject({ model: "opus" })
    const { data } = (await body(await call("GET", "/v1/agents"))) as { data: Array<{ name: string; source: string }> }
    expect(data.map(({ name, source }) => [name, source])).toEqual([
      ["Explore", "built-in"],
      ["Plan", "built-in"],
      ["general-purpose", "built-in"],
      ["other", "stored"],
      ["reviewer", "stored"],
    ])
    expect((await call("DELETE", "/v1/agents/reviewer")).status).toBe(204)
    expect((await call("DELETE", "/v1/agents/reviewer")).status).toBe(404)
    expect((await call("GET", "/v1/agents/reviewer")).status).toBe(404)
  })

  it("may have the name of a built-in one, and is then listed once", async () => {
    const { call } = makeApi()
    await call("PUT", "/v1/agents/Plan", { json: AGENT })
    const { data } = (await body(await call("GET", "/v1/agents"))) as { data: Array<{ name: string; source: string }> }
    expect(data.filter(({ name }) => name === "Plan")).toMatchObject([{ source: "stored" }])
    await call("DELETE", "/v1/agents/Plan")
    expect(await body(await call("GET", "/v1/agents/Plan"))).toMatchObject({ source: "built-in", created_at: null })
  })

  it("are not created twice under one name, and only once per Idempotency-Key", async () => {
    const { call, refused } = makeApi()
    const json = { name: "reviewer", ...AGENT }
    const headers = { "idempotency-key": "k1" }
    const first = await call("POST", "/v1/agents", { json, headers })
    const again = await call("POST", "/v1/agents", { json, headers })
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"])
    expect((await refused(409, "POST", "/v1/agents", { json })).error).toMatchObject({
      field: "name",
      message: `The agent ${json.name} already exists. Replace it with PUT, or choose another name.`,
    })
  })

  it("are rejected with the names of the fields that can't be honoured", async () => {
    const { call, refused } = makeApi()
    const { error } = await refused(400, "PUT", "/v1/agents/reviewer", {
      json: { ...AGENT, memory: "project", maxTurns: 0 },
    })
    expect(error.issues?.map(({ field }) => field)).toEqual(["memory", "maxTurns"])
    expect(error.issues?.[1]?.message).toBe("maxTurns must be an integer from 1 to 10000. Got 0.")
    const own = { web: { type: "http", url: "https://mcp.example.com/mcp" } }
    const configured = await refused(400, "POST", "/v1/agents", { json: { name: "own", ...AGENT, mcpServers: [own] } })
    expect(configured.error.field).toBe("mcpServers[0]")
    await refused(400, "PUT", "/v1/agents/reviewer", { json: { ...AGENT, colour: "red" } })
    await refused(400, "PUT", "/v1/agents/reviewer", { json: { prompt: "p" } })
    await refused(400, "POST", "/v1/agents", { json: { name: "no such name", ...AGENT } })
    await refused(400, "PUT", `/v1/agents/${"x".repeat(65)}`, { json: AGENT })
    expect((await call("GET", "/v1/agents/reviewer")).status).toBe(404)
  })

  it("are limited to 50", async () => {
    const { call, refused } = makeApi()
    for (let at = 0; at < 50; at++) expect((await call("PUT", `/v1/agents/a${at}`, { json: AGENT })).status).toBe(201)
    await refused(409, "PUT", "/v1/agents/one-more", { json: AGENT })
    expect((await call("PUT", "/v1/agents/a7", { json: AGENT })).status).toBe(200)
  })

  it("belong to the key's tenant, and require its scopes", async () => {
    const { call, refused } = makeApi()
    const keyOf = async (tenant: string, scopes?: ReadonlyArray<string>) => {
      const json = { tenant, ...(scopes === undefined ? {} : { scopes }) }
      return (await body(await call("POST", "/v1/admin/keys", { json })))["key"] as string
    }
    const [acme, other, reader] = [await keyOf("acme"), await keyOf("other"), await keyOf("acme", ["sessions:read"])]
    expect((await call("PUT", "/v1/agents/reviewer", { json: AGENT, key: acme })).status).toBe(201)
    expect((await call("GET", "/v1/agents/reviewer", { key: reader })).status).toBe(200)
    await refused(404, "GET", "/v1/agents/reviewer", { key: other })
    await refused(404, "GET", "/v1/agents/reviewer")
    await refused(403, "PUT", "/v1/agents/reviewer", { json: AGENT, key: reader })
    await refused(403, "DELETE", "/v1/agents/reviewer", { key: reader })
  })
})

describe("the router of a tenant", () => {
  it("is one configuration, and never grants a session more than it may have", async () => {
    const { call, refused } = makeApi()
    expect((await call("PUT", "/v1/routers/default", { json: { complexityThreshold: 0.7 } })).status).toBe(201)
    expect(await body(await call("GET", "/v1/routers/default"))).toMatchObject({ complexityThreshold: 0.7 })
    await refused(400, "PUT", "/v1/routers/other", { json: {} })
    const wrong = await refused(400, "PUT", "/v1/routers/default", { json: { complexityThreshold: 2 } })
    expect(wrong.error.field).toBe("complexityThreshold")
    const wide = await refused(400, "PUT", "/v1/routers/default", { json: { permissionMode: "bypassPermissions" } })
    expect(wide.error.field).toBe("permissionMode")
    expect((await call("DELETE", "/v1/routers/default")).status).toBe(204)
  })
})

describe("a session", () => {
  it("receives the version of its tenant's stored definitions, and none if nothing is stored", async () => {
    const { call, sessions } = makeApi()
    const key = (await body(await call("POST", "/v1/admin/keys", { json: { tenant: "versions" } })))["key"] as string
    const id = (await body(await call("POST", "/v1/sessions", { key, json: {} })))["id"] as string
    const prompt = { prompt: "Hello" }
    const headers = { prefer: "respond-async" }
    await call("POST", `/v1/sessions/${id}/query`, { key, json: prompt, headers })
    await call("PUT", "/v1/agents/reviewer", { key, json: AGENT })
    await call("POST", `/v1/sessions/${id}/query`, { key, json: prompt, headers })
    const [before, after] = sessions
      .get(`versions/${id}`)
      .actors.flatMap(([what, actor]) => (what === "submit" ? [actor] : []))
    expect(before).not.toHaveProperty("definitions")
    expect(after).toMatchObject({ definitions: 1 })
  })
})

describe("the configuration of a tenant", () => {
  const SERVER = {
    type: "remote",
    url: "https://mcp.acme.com/mcp?token=canary-1",
    headers: { authorization: "canary-2" },
  }

  it("is empty at first, replaced as a whole, shown without secrets, and removed", async () => {
    const { call, database } = makeApi()
    expect(await body(await call("GET", "/v1/config"))).toEqual({})
    const config = { model: { default: "sonnet" }, thinking: { budget: 0 }, mcp: { issues: SERVER } }
    const stored = await call("PUT", "/v1/config", { json: config })
    const shown = {
      ...config,
      mcp: {
        issues: { type: "remote", url: "https://mcp.acme.com/mcp?***", headers: { authorization: "***" } },
      },
    }
    expect([stored.status, await body(stored), await body(await call("GET", "/v1/config"))]).toEqual([
      200,
      shown,
      shown,
    ])
    const [row] = (await database.d1.prepare("SELECT value, sealed FROM definitions").all()).results
    expect(JSON.stringify(row)).not.toMatch(/canary/)
    await call("PUT", "/v1/config", { json: { instructions: "Answer in French." } })
    expect(await body(await call("GET", "/v1/config"))).toEqual({ instructions: "Answer in French." })
    expect(await body(await call("PUT", "/v1/config", { json: {} }))).toEqual({})
    expect(await body(await call("GET", "/v1/config"))).toEqual({})
  })

  it.each<readonly [string, unknown, string, string]>([
    ["a mode for everything", { permissions: { mode: "bypassPermissions" } }, "permissions.mode", "whole tenant"],
    ["an unknown mode", { permissions: { mode: "yolo" } }, "permissions.mode", "acceptEdits"],
    ["a local server", { mcp: { fs: { type: "local", command: ["npx", "fs"] } } }, "mcp.fs", "local process"],
    ["a server of another type", { mcp: { fs: { type: "stdio", command: "x" } } }, "mcp.fs.type", "remote"],
    ["a server without an address", { mcp: { far: { type: "remote" } } }, "mcp.far.url", "is missing"],
    ["a masked header", { mcp: { far: { ...SERVER, headers: { a: "***" } } } }, "mcp.far.headers.a", "mask"],
    ["a masked address", { mcp: { far: { ...SERVER, url: "https://a.com/?***" } } }, "mcp.far.url", "mask"],
    ["a negative budget", { thinking: { budget: -1 } }, "thinking.budget", "0"],
    ["an empty model", { model: { default: "" } }, "model.default", "empty"],
    ["a list of files", { instructions: ["CONTRIBUTING.md"] }, "instructions", "a string"],
    ["an unknown field", { theme: "dark" }, "theme", "theme"],
  ])("with %s is refused by name", async (_title, json, field, says) => {
    const { refused, call } = makeApi()
    const { error } = await refused(400, "PUT", "/v1/config", { json })
    expect(error.issues?.map((issue) => issue.field) ?? [error.field]).toContain(field)
    expect(error.message).toContain(says)
    expect(await body(await call("GET", "/v1/config"))).toEqual({})
  })

  it("belongs to the tenant, and can't be changed by a read-only key", async () => {
    const { call, refused, makeKey } = makeApi()
    const { key } = await makeKey()
    const { key: reader } = await makeKey({ scopes: ["sessions:read"] })
    await call("PUT", "/v1/config", { json: { instructions: "x" }, key })
    expect(await body(await call("GET", "/v1/config", { key: reader }))).toEqual({ instructions: "x" })
    expect(await body(await call("GET", "/v1/config"))).toEqual({})
    await refused(403, "PUT", "/v1/config", { json: {}, key: reader })
  })
})

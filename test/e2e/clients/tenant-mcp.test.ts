// A tenant's stored MCP servers, over a real server: its own sessions use them, those of other tenants do not, and a session
// may name others by PATCH.
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

const tenantOf = async () => {
  const tenant = `mcp-${randomBytes(4).toString("hex")}`
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })
  return root.withKey(key)
}

/** The result of a session's call of the server, and the listed servers. */
const turnOf = async (perch: PerchClient, id: string) => {
  const script = scriptName("tenant-mcp")
  await api.set(script, [{ content: [call("mcp__far__headers", {})] }, textAnswer("Done.")])
  await perch.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(script) } })
  const events = JSON.stringify(await perch.events(id))
  return { events, called: server.asked.filter(({ rpc }) => rpc === "tools/call").length }
}

const bypass = { permissionMode: "bypassPermissions" }
const entry = (team: string) => ({ type: "http", url: server.http, headers: { "x-team": team } })

describe("a stored MCP server", () => {
  it("is used only by its own tenant's sessions, until a session names another or none", async () => {
    const [one, other] = [await tenantOf(), await tenantOf()]
    await one.json("PUT", "/v1/mcp-servers/far", { json: entry("stored-1122334455"), status: 201 })
    expect(await other.json("GET", "/v1/mcp-servers")).toMatchObject({ data: [] })
    await other.json("GET", "/v1/mcp-servers/far", { status: 404 })

    const mine = await one.createSession(bypass)
    const used = await turnOf(one, mine)
    expect(used.called).toBe(1)
    const teams = () => server.asked.filter(({ rpc }) => rpc === "tools/call").map(({ headers }) => headers["x-team"])
    expect(teams()).toEqual(["stored-1122334455"])
    expect(used.events).not.toContain("stored-1122334455")

    const theirs = await other.createSession(bypass)
    const unused = await turnOf(other, theirs)
    expect([unused.called, unused.events.includes("No such tool available: mcp__far__headers")]).toEqual([1, true])

    // The session's own entry of that name applies from the next turn on; a disabled entry excludes the stored one.
    const patch = (far: object) =>
      one.json("PATCH", `/v1/sessions/${mine}`, { json: { options: { mcpServers: { far } } } })
    const patched = await patch(entry("patched-1122334455"))
    expect(JSON.stringify(patched)).toContain('"x-team":"***"')
    expect((await turnOf(one, mine)).called).toBe(2)
    expect(teams()).toEqual(["stored-1122334455", "patched-1122334455"])
    await patch({ enabled: false })
    expect((await turnOf(one, mine)).called).toBe(2)

    expect((await one.request("DELETE", "/v1/mcp-servers/far")).status).toBe(204)
    expect(await one.json("GET", "/v1/mcp-servers")).toMatchObject({ data: [] })
  })
})

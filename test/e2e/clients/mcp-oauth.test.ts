// A user signs in to an MCP server of a session: the ask over REST, the browser's callback to Perch without a key, and the turn
// that continues.
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { type Ask, eventually, PerchClient } from "../../support/server/client.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { type OAuthServer, startOAuthServer } from "../../support/mcp/oauth-server.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

let server: TestMcpServer
let oauth: OAuthServer
beforeEach(async () => {
  server = await startMcpServer()
  oauth = await startOAuthServer()
  oauth.protect(server)
})
afterEach(async () => {
  await server.close()
  await oauth.close()
})

const CALLBACK = `${shared.url}/v1/mcp/callback`

describe("a user who signs in to an MCP server", () => {
  it("resumes the waiting turn, and the link is valid once", async () => {
    const script = scriptName("mcp-oauth")
    await api.set(script, [{ content: [call("mcp__far__echo_1", {})] }, textAnswer("Done.")])
    const id = await perch.createSession({
      permissionMode: "bypassPermissions",
      mcpServers: { far: { type: "http", url: server.http, oauth: { grant: "authorization_code" } } },
    })
    const json = { prompt: promptFor(script) }
    const accepted = await perch.json("POST", `/v1/sessions/${id}/query`, { json, status: 202 })
    const [ask] = accepted["pending"] as ReadonlyArray<Ask>
    expect(ask).toMatchObject({ kind: "elicitation", input: { mode: "url", mcp_server_name: "far" } })
    const page = await fetch(String(ask?.input["url"]), { redirect: "manual" })
    const back = page.headers.get("location") ?? ""
    expect(back.startsWith(`${CALLBACK}?`)).toBe(true)
    const first = await fetch(back, { redirect: "manual" })
    expect([first.status, first.headers.get("location"), first.headers.get("cache-control")]).toEqual([
      200,
      null,
      "no-store",
    ])
    expect(await first.text()).toContain("The session is signed in.")
    const turn = await eventually(async () => {
      const found = await perch.json("GET", `/v1/sessions/${id}/turns/${String(accepted["turn_id"])}?wait=10`)
      return found["status"] === "completed" ? found : undefined
    })
    expect(turn["result"]).toMatchObject({ result: "Done." })
    expect(server.asked.some(({ rpc }) => rpc === "tools/call")).toBe(true)
    expect((await fetch(back)).status).toBe(400)
    const shown = JSON.stringify(await perch.events(id))
    for (const secret of oauth.given) expect(shown).not.toContain(secret)
  })

  it("needs a state that Perch issued", async () => {
    for (const query of ["", "?code=a&state=b", "?code=a&state=https%3A%2F%2Fevil.example"]) {
      const answer = await fetch(`${CALLBACK}${query}`, { redirect: "manual" })
      expect([query, answer.status, answer.headers.get("location")]).toEqual([query, 400, null])
    }
  })
})

// MCP servers whose calls are judged though the session's mode allows everything.
import { afterAll, beforeAll, expect, it } from "vitest"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, scripted } = loop()
let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

const opened = async () => {
  const session = await connected({}, { ...BYPASS, mcpServers: { far: { type: "http", url: server.http } } })
  session.client.onAsk = () => ({ behavior: "deny", message: "not now" })
  return session
}
const set = (serverName: string, mode: string | null) => ({ serverName, mode })
const turns = () => [
  { content: [call("mcp__far__echo_3", { text: "hi" }), call("Write", { file_path: "/workspace/a", content: "x" })] },
  DONE,
]

it("a call of the server is asked about, until the mode is taken back", async () => {
  const { client, harness, ...booted } = await opened()
  let { session, idle, log } = booted as Pick<typeof booted, "session" | "idle" | "log">
  const asked = async () => {
    const before = payloadsOf(eventsOf(log), "ask:opened").length
    prompt(session, promptFor(scripted(turns())))
    await idle()
    return payloadsOf(eventsOf(log), "ask:opened")
      .slice(before)
      .map((ask) => ask["tool_name"])
  }
  expect(await asked()).toEqual([])
  expect(await client.request("set_mcp_permission_mode_override", set("far", "default"))).toMatchObject({
    subtype: "success",
    response: {},
  })
  expect(await asked()).toEqual(["mcp__far__echo_3"])
  // Also after a restart.
  ;({ session, idle, log } = harness.boot())
  expect(await asked()).toEqual(["mcp__far__echo_3"])
  await client.request("set_mcp_permission_mode_override", set("far", null))
  expect(await asked()).toEqual([])
})

it("a name that no server has is a warning, and a mode that loosens is refused", async () => {
  const { client } = await opened()
  expect(await client.request("set_mcp_permission_mode_override", set("nope", "auto"))).toMatchObject({
    response: { warning: expect.stringContaining("nope") },
  })
  for (const mode of ["bypassPermissions", "plan"])
    expect(await client.request("set_mcp_permission_mode_override", set("far", mode))).toMatchObject({
      subtype: "error",
    })
})

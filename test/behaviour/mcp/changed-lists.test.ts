// A server whose tools change while a turn runs: the turn's next request offers the current ones.
import { afterEach, beforeEach, expect, it } from "vitest"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const scripts = loop()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

it.each(["http", "sse"] as const)(
  "a tool that a server of type %s adds can be called in the same turn",
  async (type) => {
    const turns = [{ content: [call("mcp__far__ask", {})] }, { content: [call("mcp__far__late", {})] }, DONE]
    const options = { ...BYPASS, mcpServers: { far: { type, url: server[type] } } }
    const { client, events, idle, session } = await scripts.start(turns, {}, options)
    await until(() => client.asked("elicitation").length === 1)
    if (type === "http") await until(() => server.streams() > 0)
    await server.addTool("late")
    await until(() => session.mcp.tools.some(({ serverTool }) => serverTool === "late"))
    client.answer(client.asked("elicitation")[0]!.id, { action: "decline" })
    await idle()
    expect(toolResultsOf(events()).at(-1)).toMatchObject({ content: [{ text: expect.stringContaining("late:") }] })
    const offers = scripts.api.log.slice(-3).map(({ body }) => JSON.stringify(body["tools"]).includes("mcp__far__late"))
    expect(offers).toEqual([false, true, true])
  },
)

it("a turn keeps its tools when the server does not return the changed list, and the next turn has the new one", async () => {
  const echo = call("mcp__far__echo_1", {})
  const turns = [{ content: [call("mcp__far__ask", {})] }, { content: [echo] }, DONE]
  const options = { ...BYPASS, mcpServers: { far: { type: "http" as const, url: server.http } } }
  const { client, events, idle, session } = await scripts.start(turns, {}, options)
  await until(() => client.asked("elicitation").length === 1)
  await until(() => server.streams() > 0)
  const lists = () => server.asked.filter(({ rpc }) => rpc === "tools/list").length
  server.intercept = ({ rpc }, response) => {
    if (rpc === "tools/list") response.writeHead(503).end("down")
    return rpc === "tools/list"
  }
  await server.addTool("late")
  await until(() => lists() === 2)
  server.intercept = () => false
  client.answer(client.asked("elicitation")[0]!.id, { action: "decline" })
  await idle()
  expect(toolResultsOf(events()).at(-1)).toMatchObject({ tool_use_id: echo.id, content: [{ type: "text" }] })
  prompt(session, promptFor(scripts.scripted([{ content: [call("mcp__far__late", {})] }, DONE])))
  await idle()
  expect(toolResultsOf(events()).at(-1)).toMatchObject({ content: [{ text: expect.stringContaining("late:") }] })
})

it("a server that announces a change whenever it is asked is asked at most ten times more in a turn", async () => {
  const options = { ...BYPASS, mcpServers: { far: { type: "http" as const, url: server.http } } }
  const { client, events, idle } = await scripts.start([{ content: [call("mcp__far__ask", {})] }, DONE], {}, options)
  await until(() => client.asked("elicitation").length === 1)
  await until(() => server.streams() > 0)
  const lists = () => server.asked.filter(({ rpc }) => rpc === "tools/list").length
  server.intercept = ({ rpc }) => {
    if (rpc === "tools/list") void server.addTool(`late_${lists()}`)
    return false
  }
  await server.addTool("late")
  await until(() => lists() === 11)
  await new Promise((resolve) => setTimeout(resolve, 100))
  client.answer(client.asked("elicitation")[0]!.id, { action: "decline" })
  await idle()
  expect(lists()).toBe(11)
  expect(toolResultsOf(events())).toHaveLength(1)
})

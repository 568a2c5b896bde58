// Remote MCP servers of a session in workerd: both transports, a large answer, an interrupt, and an idle session without open
// connections.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { blocksOf, eventually, PerchClient } from "../../support/server/client.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

describe.each(["http", "sse"] as const)("a session's server of type %s", (type) => {
  let server: TestMcpServer
  const closed: Array<string> = []
  beforeAll(async () => {
    server = await startMcpServer()
    server.intercept = ({ method }, response) => {
      response.on("close", () => closed.push(method))
      return false
    }
  })
  afterAll(() => server.close())

  const open = (): Promise<string> =>
    perch.createSession({ allowedTools: ["mcp__far"], mcpServers: { far: { type, url: server[type] } } })

  it("answers calls, including one with 5 MB, and no connection stays open", async () => {
    const script = scriptName("remote-mcp")
    await api.set(script, [
      {
        content: [call("mcp__far__echo_5", { text: "hi" }), call("mcp__far__large", {}), call("mcp__far__picture", {})],
      },
      textAnswer("Done."),
    ])
    const messages = await perch.query(await open(), promptFor(script))
    const results = messages.flatMap(blocksOf).filter((block) => block.type === "tool_result")
    const shown = JSON.stringify(results.map(({ content }) => content))
    expect(results).toHaveLength(3)
    expect(shown).toContain("echo_5:")
    expect(shown).toContain("<persisted-output>")
    expect(shown).toContain("image/png")
    await eventually(async () => (closed.includes("GET") ? true : undefined))
  })

  it("has resources that the model reads, and prompts that are commands", async () => {
    const script = scriptName("remote-mcp-resources")
    const read = (uri: string) => call("ReadMcpResourceTool", { server: "far", uri })
    await api.set(script, [
      { content: [call("ListMcpResourcesTool", {})] },
      { content: [read("notes://one"), read("notes://picture")] },
      textAnswer("Done."),
    ])
    const id = await open()
    const messages = await perch.query(id, promptFor(script))
    const shown = JSON.stringify(messages.flatMap(blocksOf).filter((block) => block.type === "tool_result"))
    expect(shown).toContain("The first note")
    expect(shown).toContain("Remember the milk.")
    expect(shown).toContain("image/png")
    const greeted = scriptName("remote-mcp-prompt")
    await api.set(greeted, [textAnswer("Greeted.")])
    const answer = await perch.query(id, `/mcp__far__greet [[script:${greeted}]] warmly`)
    expect(answer.at(-1)).toMatchObject({ type: "result", result: "Greeted." })
  })

  it("is notified when an interrupt cancels a call", async () => {
    const script = scriptName("remote-mcp-hang")
    await api.set(script, [{ content: [call("mcp__far__hang", {})] }, textAnswer("Done.")])
    const id = await open()
    const asked = perch.query(id, promptFor(script))
    await server.hanging
    await perch.json("POST", `/v1/sessions/${id}/interrupt`)
    await server.cancelled
    expect((await asked).at(-1)).toMatchObject({ type: "result", subtype: "error_during_execution" })
  })
})

// Resources and prompts of MCP servers with the official Node SDK: a server inside the app, and a remote one.
import { type Options, query, type SDKMessage } from "@anthropic-ai/claude-agent-sdk"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { perch as door } from "../../../src/client/spawn.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

/** A server inside the app that has only a resource. */
const notes = (): McpServer => {
  const made = new McpServer({ name: "notes", version: "1.0.0" })
  made.registerResource("milk", "mem://milk", { mimeType: "text/plain" }, async ({ href }) => ({
    contents: [{ uri: href, text: "Buy milk." }],
  }))
  return made
}

it.each(["argv", "initialize"] as const)(
  "a server of the app and a remote one, sent by %s, are read by the model, and the app requests their status",
  async (mcpServersDelivery) => {
    const script = scriptName("sdk-resources")
    const read = (name: string, uri: string) => call("ReadMcpResourceTool", { server: name, uri })
    await api.set(script, [
      { content: [call("ListMcpResourcesTool", {})] },
      { content: [read("notes", "mem://milk"), read("far", "notes://one")] },
      textAnswer("Done."),
    ])
    const options: Options = {
      env: {},
      mcpServersDelivery,
      mcpServers: {
        notes: { type: "sdk", name: "notes", instance: notes() },
        far: { type: "http", url: server.http },
      },
      ...door({ url: shared.url, apiKey: shared.key }),
    }
    const ended = Promise.withResolvers<void>()
    const prompts = async function* () {
      const message = { role: "user" as const, content: promptFor(script) }
      yield { type: "user" as const, message, parent_tool_use_id: null, session_id: "" }
      // The input stays open until the app has made its request.
      await ended.promise
    }
    const session = query({ prompt: prompts(), options })
    const messages: Array<SDKMessage> = []
    for await (const message of session) {
      messages.push(message)
      if (message.type !== "result") continue
      expect(message).toMatchObject({ subtype: "success", result: "Done." })
      expect(await session.mcpServerStatus()).toMatchObject([
        { name: "far", status: "connected", config: { type: "http" }, serverInfo: { name: "thirty" } },
        { name: "notes", status: "connected", source: "sdk", tools: [] },
      ])
      expect(await session.readMcpResource("far", "ui://panel")).toMatchObject({
        contents: [{ uri: "ui://panel", text: "<p>hello</p>" }],
      })
      await expect(session.readMcpResource("far", "notes://one")).rejects.toThrow("must use the ui:// scheme")
      await expect(session.reconnectMcpServer("nope")).rejects.toThrow('no MCP server "nope"')
      ended.resolve()
    }
    const shown = JSON.stringify(messages)
    for (const found of ["mem://milk", "The first note", "Buy milk.", "Remember the milk."])
      expect(shown).toContain(found)
    const init = messages.find((message) => message.type === "system" && message.subtype === "init")
    expect(init).toMatchObject({
      tools: expect.arrayContaining(["ListMcpResourcesTool", "ReadMcpResourceTool"]),
      slash_commands: expect.arrayContaining(["mcp__far__greet"]),
    })
  },
)

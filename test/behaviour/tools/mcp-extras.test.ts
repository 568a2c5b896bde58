// Data that an MCP server returns in addition to its content: clients have it in `tool_use_result`, the model and hooks do not.
import { afterAll, beforeAll, expect, it } from "vitest"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call } from "../../support/session/scripts.ts"

const { finish } = loop()
let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

const JSON_TEXT = '{"colour":"green"}'
const calling = (hooks: Parameters<typeof finish>[1]) =>
  finish([{ content: [call("mcp__far__structured", {})] }, DONE], hooks, {
    ...BYPASS,
    mcpServers: { far: { type: "http", url: server.http } },
  })

it("structured content is in tool_use_result, in addition to the content that the model reads", async () => {
  const { client, events } = await calling({ PostToolUse: {} })
  expect(toolResultsOf(events())[0]?.content).toBe(JSON_TEXT)
  expect(payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]).toEqual({
    content: JSON_TEXT,
    structuredContent: { colour: "green" },
  })
  expect(client.called[0]?.input).toMatchObject({ tool_response: JSON_TEXT })
})

const replacing = async (specific: Readonly<Record<string, unknown>>) => {
  const own = { hookEventName: "PostToolUse", ...specific }
  const { events } = await calling({ PostToolUse: () => ({ hookSpecificOutput: own }) })
  return {
    shown: toolResultsOf(events())[0]?.content,
    result: payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"],
  }
}

it("a hook replaces the content, and the server's other data stays for clients", async () => {
  const structuredContent = { colour: "green" }
  expect(await replacing({ updatedToolOutput: "something else" })).toEqual({
    shown: "something else",
    result: { content: "something else", structuredContent },
  })
  expect(await replacing({ updatedToolOutput: null })).toEqual({
    shown: "(The tool returned no output.)",
    result: { content: null, structuredContent },
  })
})

it("a blank value under the older name replaces nothing", async () => {
  const result = { content: JSON_TEXT, structuredContent: { colour: "green" } }
  expect(await replacing({ updatedMCPToolOutput: "" })).toEqual({ shown: JSON_TEXT, result })
})

it.each([
  ["text", { type: "text", text: "a" }],
  ["an image", { type: "image", source: { type: "url", url: "https://example.com/a.png" } }],
  ["a document", { type: "document", source: { type: "text", media_type: "text/plain", data: "a" }, title: "t" }],
])("%s in a hook's replacement is sent as a block", async (_, block) => {
  const { shown } = await replacing({ updatedMCPToolOutput: [block] })
  expect(shown).toEqual([block])
})

it.each([[[1, 2]], [[{ type: "resource", resource: { uri: "a://b", text: "c" } }]], [{ content: "a" }]])(
  "a replacement that the Messages API would reject is sent as JSON text: %j",
  async (value) => {
    expect((await replacing({ updatedMCPToolOutput: value })).shown).toBe(JSON.stringify(value))
  },
)

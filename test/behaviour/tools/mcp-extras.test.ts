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

it("a hook that replaces the content drops the other data", async () => {
  const own = { hookEventName: "PostToolUse", updatedToolOutput: "something else" }
  const { events } = await calling({ PostToolUse: () => ({ hookSpecificOutput: own }) })
  expect(payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]).toBe("something else")
})

import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { connectMcp } from "../../src/mcp/client-server.ts"
import { parkManifest } from "../../src/mcp/manifest.ts"
import { mcpTool } from "../../src/mcp/mcp-tool.ts"
import { mcpStatus } from "../../src/mcp/status.ts"
import { McpServerStatus } from "../../src/schemas/sdk/options/mcp-config.ts"
import { openContext, run } from "../tools/tool-context.ts"
import { calculator } from "./calculator.ts"
import { HELLO, listing, pipeTo } from "./pipes.ts"

const tools = [{ name: "add", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }]

describe("a greeting that the client had already", () => {
  it("saves every message of connecting, and calls still reach the server", async () => {
    const calc = calculator()
    const test = await pipeTo(calc.server)
    const plain = await Effect.runPromise(connectMcp("calc", test.pipe))
    test.sent.length = 0
    const manifest = { initializeResult: HELLO.result, toolsListResult: { tools: plain.tools } }
    const { fate, pipe } = parkManifest(manifest, test.pipe)
    const connected = await Effect.runPromise(connectMcp("calc", pipe))
    expect(fate).toBe("parked")
    expect(test.sent).toEqual([])
    expect(connected.tools).toEqual(plain.tools)
    const { content } = await run(mcpTool(connected, connected.tools[0]!, pipe), { a: 1, b: 2 }, openContext().context)
    expect(content).toEqual([{ type: "text", text: "3" }])
    expect(test.sent.length).toBe(1)
  })

  it("without a list has the server asked for it", async () => {
    const test = listing(tools)
    const { pipe } = parkManifest({ initializeResult: HELLO.result }, test.pipe)
    expect((await Effect.runPromise(connectMcp("s", pipe))).tools.map((tool) => tool.name)).toEqual(["add"])
    expect(test.sent.map(({ message }) => "method" in message && message.method)).toEqual(["tools/list"])
  })

  it.each<[string, unknown, string]>([
    ["none", "x", "malformed"],
    ["one without a version", { initializeResult: {} }, "malformed"],
    ["a list that is none", { initializeResult: HELLO.result, toolsListResult: { tools: 1 } }, "malformed"],
    [
      "another version",
      { initializeResult: { ...HELLO.result, protocolVersion: "2024-11-05" } },
      "protocol_version_mismatch",
    ],
  ])("is not used when it is %s", (_, manifest, fate) => {
    const { pipe } = listing(tools)
    expect(parkManifest(manifest, pipe)).toEqual({ fate, pipe })
  })
})

it("a connected server is reported with its tools and what it says of them", async () => {
  const connected = await Effect.runPromise(connectMcp("s", listing(tools).pipe))
  const status = mcpStatus(connected)
  expect(status).toEqual({
    name: "s",
    status: "connected",
    source: "sdk",
    serverInfo: { name: "scripted", version: "1.2.3" },
    tools: [{ name: "add", annotations: { readOnly: true } }],
  })
  expect(Schema.is(McpServerStatus)(status)).toBe(true)
})

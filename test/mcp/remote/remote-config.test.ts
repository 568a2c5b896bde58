import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { remoteServersOf } from "../../../src/mcp/remote/remote-config.ts"
import { McpServerEntry } from "../../../src/schemas/sdk/options/mcp-entries.ts"
import { mcpServerRefusal } from "../../../src/schemas/sdk/options/mcp-server-refusal.ts"

const url = "https://mcp.example.com/mcp"

describe("the servers of the options", () => {
  it.each<[string, object, "http" | "sse" | "skipped" | "none"]>([
    ["http", { type: "http", url }, "http"],
    ["sse", { type: "sse", url }, "sse"],
    ["of opencode", { type: "remote", url }, "sse"],
    ["of opencode with a transport", { type: "remote", url, transport: "http" }, "http"],
    ["that are switched on", { type: "remote", url, enabled: true }, "sse"],
    ["that are switched off", { type: "remote", enabled: false }, "skipped"],
    ["that are local and switched off", { type: "local", enabled: false }, "skipped"],
    ["without a type", { enabled: true }, "skipped"],
    ["inside the client", { type: "sdk", name: "calc" }, "none"],
  ])("%s", (_, entry, expected) => {
    const { servers, skipped } = remoteServersOf({ one: Schema.decodeUnknownSync(McpServerEntry)(entry) })
    expect(servers.get("one")?.type ?? (skipped.includes("one") ? "skipped" : "none")).toBe(expected)
  })

  it("keep their headers, policies and time limit", () => {
    const more = { headers: { a: "b" }, tools: [{ name: "x" }], timeout: 5000 }
    expect(remoteServersOf({ one: { type: "http", url, ...more } }).servers.get("one")).toEqual({
      type: "http",
      source: "dynamic",
      url,
      ...more,
    })
  })

  it.each([
    [{ type: "local", command: ["x"] }, /^is a local server: stdio MCP servers need a local process/],
    [{ type: "stdio", command: "x" }, /^is a stdio server: stdio MCP servers need a local process/],
    [{ command: "x" }, /^is a stdio server/],
    [{ type: "ws" }, /of a type that Perch does not know: "ws"/],
  ])("refuse %j", (config, message) => {
    expect(mcpServerRefusal(config)).toMatch(message)
    expect(mcpServerRefusal({ ...config, enabled: false })).toBeUndefined()
  })
})

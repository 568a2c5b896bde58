// MCP servers that a session can't use: refused by name at every route that takes options.
import { describe, expect, it } from "vitest"
import { makeApi } from "../../http/api.ts"

const STDIO =
  "options.mcpServers.files is a stdio server: stdio MCP servers need a local process, and Perch starts none."
const CONFIGS: ReadonlyArray<readonly [config: unknown, message: string]> = [
  [{ command: "npx", args: ["-y", "server"] }, STDIO],
  [{ type: "stdio", command: "npx", env: { A: "b" } }, STDIO],
  [{ type: "stdio" }, STDIO],
  [{ command: 5 }, STDIO],
  [{}, STDIO],
  [{ url: "https://mcp.example.com" }, STDIO],
  [{ type: "http", url: "https://mcp.example.com" }, "options.mcpServers.files is of type http;"],
  [{ type: "sse" }, "options.mcpServers.files is of type sse;"],
  [{ type: "ws", url: "wss://a" }, 'options.mcpServers.files is of a type that Perch does not know: "ws"'],
  [{ type: { deep: true } }, "options.mcpServers.files is of a type that Perch does not know"],
  ["npx server", "options.mcpServers.files must be an object"],
  [null, "options.mcpServers.files must be an object"],
  [{ type: "sdk" }, "options.mcpServers.files.name is missing"],
]

describe("a session's MCP servers", () => {
  it(`of ${CONFIGS.length} kinds that it can't use are refused by five routes, with one issue that names the server`, async () => {
    const api = makeApi()
    const id = await api.create()
    const routes = [
      ["POST", "/v1/sessions", {}],
      ["POST", "/v1/query", { prompt: "Hi" }],
      ["PATCH", `/v1/sessions/${id}`, {}],
      ["POST", `/v1/sessions/${id}/query`, { prompt: "Hi" }],
      ["POST", `/v1/sessions/${id}/fork`, {}],
    ] as const
    for (const [config, message] of CONFIGS) {
      for (const [method, path, body] of routes) {
        const json = { ...body, options: { mcpServers: { files: config } } }
        const { error } = await api.refused(400, method, path, { json })
        expect([path, config, error.message]).toEqual([path, config, expect.stringContaining(message)])
        expect(error.message.split("; options.").length).toBe(1)
        expect(error.field).toMatch(/^options\.mcpServers\.files/)
      }
    }
  })
})

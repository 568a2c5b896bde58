// MCP servers that a session can't use: rejected by name at every route that accepts options.
import { describe, expect, it } from "vitest"
import { makeApi } from "../../http/api.ts"

const STDIO =
  "options.mcpServers.files is a stdio server: stdio MCP servers need a local process, and Perch starts none."
const signingIn = (more: object) => ({
  type: "http",
  url: "https://a.com",
  oauth: { grant: "client_credentials", clientId: "a", clientSecret: "b", ...more },
})
const LONG_NAME = [{ name: "n".repeat(1001) }]
const MANY = Array.from({ length: 1001 }, () => ({ name: "a" }))
const CONFIGS: ReadonlyArray<readonly [config: unknown, message: string]> = [
  [{ command: "npx", args: ["-y", "server"] }, STDIO],
  [{ type: "stdio", command: "npx", env: { A: "b" } }, STDIO],
  [{ type: "stdio" }, STDIO],
  [{ command: 5 }, STDIO],
  [{ type: "local", command: ["npx", "server"] }, "options.mcpServers.files is a local server: stdio MCP servers need"],
  [{ type: "http" }, "options.mcpServers.files.url is missing"],
  [{ type: "sse", url: "ftp://mcp.example.com" }, "options.mcpServers.files.url: expected a URL that"],
  [{ type: "remote", url: "https://a.com", transport: "ws" }, "options.mcpServers.files.transport must be"],
  [{ type: "http", url: "https://10.0.0.1/mcp" }, "options.mcpServers.files.url is not a public address"],
  [{ type: "http", url: "https://me:pass@a.com" }, "options.mcpServers.files.url has a user name or a password"],
  [{ type: "http", url: "https://a.com/?***" }, "options.mcpServers.files.url is masked"],
  [{ type: "http", url: "https://a.com", headers: { host: "b" } }, "options.mcpServers.files.headers.host is set by"],
  [
    { type: "sse", url: "https://a.com", headers: { "Mcp-Session-Id": "b" } },
    "options.mcpServers.files.headers.Mcp-Session-Id is set by the server",
  ],
  [
    { type: "http", url: "https://a.com", headers: { a: "b\r\n" } },
    "options.mcpServers.files.headers.a has a line break",
  ],
  [signingIn({ privateKey: "***", clientSecret: undefined }), "options.mcpServers.files.oauth.privateKey is masked"],
  [signingIn({ clientSecret: undefined }), "options.mcpServers.files.oauth.clientSecret is missing"],
  [signingIn({ privateKey: "a" }), "options.mcpServers.files.oauth.privateKey can't be combined with"],
  [
    signingIn({ privateKey: "canary-4711", clientSecret: undefined }),
    "options.mcpServers.files.oauth.privateKey must be a private key in PKCS #8",
  ],
  [signingIn({ keyId: "k" }), "options.mcpServers.files.oauth.keyId belongs to oauth.privateKey"],
  [signingIn({ signingAlgorithm: "none" }), "options.mcpServers.files.oauth"],
  [signingIn({ clientSecret: "***" }), "options.mcpServers.files.oauth.clientSecret is masked"],
  [
    signingIn({ tokenUrl: "https://10.0.0.1/token" }),
    "options.mcpServers.files.oauth.tokenUrl is not a public address",
  ],
  [
    { ...signingIn({}), headers: { Authorization: "Bearer x" } },
    "options.mcpServers.files.headers.Authorization can't be combined with oauth",
  ],
  [signingIn({ grant: "password" }), "options.mcpServers.files.oauth"],
  [signingIn({ clientId: "" }), "options.mcpServers.files.oauth"],
  [{ type: "http", url: "https://a.com", moon: 1 }, "options.mcpServers.files.moon"],
  [{ type: "ws", url: "wss://a" }, 'options.mcpServers.files is of a type that Perch does not know: "ws"'],
  [{ type: { deep: true } }, "options.mcpServers.files is of a type that Perch does not know"],
  ["npx server", "options.mcpServers.files must be an object"],
  [null, "options.mcpServers.files must be an object"],
  [{ type: "sdk" }, "options.mcpServers.files.name is missing"],
  ...[-1, 0, 1e300].flatMap((timeout) =>
    [
      { type: "http", url: "https://a.com", timeout },
      { type: "sdk", name: "files", timeout },
    ].map((config) => [config, "options.mcpServers.files.timeout must be a number of milliseconds up to"] as const),
  ),
  [{ type: "sdk", name: "files", tools: LONG_NAME }, "options.mcpServers.files.tools[0].name has more than 1000"],
  [{ type: "sdk", name: "files", tools: MANY }, "options.mcpServers.files.tools has more than 1000 entries"],
  [{ type: "sdk", name: "n".repeat(100_001) }, "options.mcpServers.files JSON has more than 100000 characters"],
  [
    { type: "sdk", name: "files", more: "n".repeat(100_001) },
    "options.mcpServers.files JSON has more than 100000 characters",
  ],
  [{ url: "n".repeat(100_001) }, "options.mcpServers.files JSON has more than 100000 characters"],
  [{ enabled: false, more: "n".repeat(100_001) }, "options.mcpServers.files JSON has more than 100000 characters"],
]

describe("a session's MCP servers", () => {
  it("over HTTP are accepted, including opencode's form and entries without a server", async () => {
    const api = makeApi()
    const headers = { authorization: "Bearer a-secret" }
    const mcpServers = {
      http: { type: "http", url: "https://a.com/mcp?key=a-secret", headers, timeout: 5000, alwaysLoad: true },
      sse: { type: "sse", url: "https://a.com/sse", tools: [{ name: "a", permission_policy: "always_ask" }] },
      remote: { type: "remote", url: "https://a.com/mcp", headers, transport: "http", enabled: true },
      off: { type: "local", command: ["x"], environment: { KEY: "a-secret" }, enabled: false },
      empty: {},
      unnamed: { url: "https://a.com/mcp" },
    }
    expect((await api.call("POST", "/v1/sessions", { json: { options: { mcpServers } } })).status).toBe(201)
  })

  it(`of ${CONFIGS.length} kinds that it can't use are rejected by five routes, with one issue that names the server`, async () => {
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

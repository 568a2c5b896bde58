// A tenant's stored MCP servers, over HTTP: what is shown of them, what is rejected, and where their secrets never appear.
import { describe, expect, it } from "vitest"
import { makeApi, ROOT_KEY } from "../../api.ts"

const SECRET = "tok-6161616161-canary"
const TOKEN = "query-7171717171-canary"
const SERVER = {
  type: "http",
  url: `https://mcp.acme.com/mcp?token=${TOKEN}`,
  headers: { "x-key": `Bearer ${SECRET}` },
  oauth: { grant: "client_credentials", clientId: "perch", clientSecret: "secret-5151515151-canary" },
  tools: [{ name: "drop", permission_policy: "always_deny" }],
}
const SETTINGS = { PERCH_ROOT_KEY: ROOT_KEY, PERCH_FETCH_RESOLVER: "off" }
const ROUTE = "/v1/mcp-servers"

describe("an MCP server of a tenant", () => {
  it("is stored, listed, replaced and removed, and its secrets are in no answer and no table", async () => {
    const { call, database } = makeApi(SETTINGS)
    const answers = [
      await call("POST", ROUTE, { json: { name: "issues", ...SERVER }, headers: { "idempotency-key": "k" } }),
      await call("GET", `${ROUTE}/issues`),
      await call("GET", ROUTE),
      await call("PUT", `${ROUTE}/issues`, { json: { ...SERVER, timeout: 5000 } }),
      await call("POST", ROUTE, { json: { name: "issues", ...SERVER } }),
      await call("PUT", `${ROUTE}/wrong`, { json: { ...SERVER, url: `ftp://${TOKEN}`, more: SECRET } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 409, 400])
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(JSON.parse(bodies[1]!)).toMatchObject({
      name: "issues",
      source: "stored",
      type: "http",
      url: "https://mcp.acme.com/mcp?***",
      headers: { "x-key": "***" },
      oauth: { grant: "client_credentials", clientId: "perch", clientSecret: "***" },
      tools: SERVER.tools,
    })
    const tables = await database.d1.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const rows = await Promise.all(
      tables.results.map(({ name }) => database.d1.prepare(`SELECT * FROM "${name}"`).all()),
    )
    expect(JSON.stringify(rows)).toContain("issues")
    for (const secret of [SECRET, TOKEN, SERVER.oauth.clientSecret])
      expect(JSON.stringify([bodies, rows])).not.toContain(secret)
    expect((await call("DELETE", `${ROUTE}/issues`)).status).toBe(204)
    expect((await call("GET", `${ROUTE}/issues`)).status).toBe(404)
  })

  it.each([
    [
      "a local process",
      { type: "stdio", command: "serve" },
      "type",
      "is a stdio server: stdio MCP servers need a local process",
    ],
    ["a local one of opencode", { type: "local", command: ["serve"] }, "type", "is a local server"],
    ["no address", { type: "http" }, "url", "is missing"],
    ["an inner address", { type: "sse", url: "http://10.0.0.1/" }, "url", "is not a public address"],
    [
      "a header of the protocol",
      { ...SERVER, headers: { "mcp-session-id": "a" } },
      "headers.mcp-session-id",
      "is set by",
    ],
    ["a mask", { ...SERVER, headers: { authorization: "***" } }, "headers.authorization", "is masked"],
    [
      "an inner address for tokens",
      { ...SERVER, headers: {}, oauth: { ...SERVER.oauth, tokenUrl: "http://10.0.0.1/" } },
      "oauth.tokenUrl",
      "is not a public address",
    ],
    ["no possible limit of calls", { ...SERVER, timeout: -1 }, "timeout", "must be a number of milliseconds"],
    [
      "a tool's name that is too long",
      { ...SERVER, tools: [{ name: "n".repeat(1001) }] },
      "tools[0].name",
      "more than 1000",
    ],
    ["a masked address", { ...SERVER, url: "https://a.com/?***" }, "url", "is masked"],
    ["a command", { ...SERVER, command: "serve" }, "command", "belongs to a local process"],
    ["a second transport", { ...SERVER, transport: "sse" }, "transport", "is for servers of type remote"],
  ])("with %s is refused by its field", async (_, json, field, message) => {
    const { call, refused } = makeApi(SETTINGS)
    const { error } = await refused(400, "PUT", `${ROUTE}/x`, { json })
    const issues = error.issues ?? [{ field: error.field ?? "", message: error.message }]
    expect(issues).toContainEqual({ field, message: expect.stringContaining(message) })
    expect(issues.filter((issue) => !issue.message.startsWith(issue.field))).toEqual([])
    expect((await call("GET", `${ROUTE}/x`)).status).toBe(404)
  })

  it("has a name that can be part of its tools' names", async () => {
    const { refused } = makeApi(SETTINGS)
    await refused(400, "POST", ROUTE, { json: { name: "my server", ...SERVER } })
  })
})

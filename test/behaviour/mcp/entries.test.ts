// The meaning of each form of an MCP server's entry at every endpoint: the SDK's forms, opencode's, and those that can't be
// used.
import { describe, expect, it } from "vitest"
import { makeApi, ROOT_KEY } from "../../http/api.ts"
import { loop } from "../../support/session/loop.ts"

const { connected } = loop()

const url = "https://mcp.example.com/mcp"
const headers = { authorization: "Bearer token-4711-4711" }
const command = ["npx", "server"]

const LOCAL = /far is a local server: stdio MCP servers need a local process/
const STDIO = /far is a stdio server: stdio MCP servers need a local process/

/**
 * The transport of a usable entry, `disabled` for a skipped one, or the reason for the refusal. A tenant can store only
 * usable entries.
 */
const VARIANTS: ReadonlyArray<readonly [entry: object, meaning: "http" | "sse" | "disabled" | RegExp]> = [
  [{ type: "http", url, headers }, "http"],
  [{ type: "sse", url, headers }, "sse"],
  [{ type: "remote", url, headers }, "sse"],
  [{ type: "remote", url, headers, enabled: true }, "sse"],
  [{ type: "remote", url, headers, transport: "sse" }, "sse"],
  [{ type: "remote", url, headers, transport: "http" }, "http"],
  [{ type: "remote", url, headers, enabled: false }, "disabled"],
  [{ type: "http", url, enabled: false }, "disabled"],
  [{ type: "local", command, enabled: false }, "disabled"],
  [{ type: "local", command, environment: { A: "b" } }, LOCAL],
  [{ type: "local", command, enabled: true }, LOCAL],
  [{ type: "stdio", command: "npx" }, STDIO],
  [{ command: "npx", args: ["server"] }, STDIO],
  [{ url, headers }, "disabled"],
  [{}, "disabled"],
  [{ enabled: true }, "disabled"],
  [{ type: "ws", url }, /far is of a type that Perch does not know: "ws"/],
]

interface Status {
  readonly response: {
    readonly mcpServers: ReadonlyArray<{
      readonly name: string
      readonly status: string
      readonly config?: { readonly type: string }
      readonly error?: string
    }>
  }
}

/** The message of a refusal about one of several servers. */
const bare = (meaning: RegExp) => new RegExp(meaning.source.replace("far", "The server"))

describe.each(VARIANTS)("the entry %j", (entry, meaning) => {
  const mcpServers = { far: entry }

  it("over HTTP: in a new session's options, in PATCH, in a turn's, and as a stored one", async () => {
    const api = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_FETCH_RESOLVER: "off" })
    const good = (await (await api.call("POST", "/v1/sessions", { json: {} })).json()) as { readonly id: string }
    const options = { mcpServers }
    const sent = await Promise.all([
      api.call("POST", "/v1/sessions", { json: { options } }),
      api.call("PATCH", `/v1/sessions/${good.id}`, { json: { options } }),
      api.call("POST", `/v1/sessions/${good.id}/query`, { json: { prompt: "hi", options } }),
      api.call("PUT", "/v1/mcp-servers/far", { json: entry }),
    ])
    const isRefused = meaning instanceof RegExp
    const isUsed = meaning === "http" || meaning === "sse"
    expect(sent.map(({ ok }) => ok)).toEqual([!isRefused, !isRefused, !isRefused, isUsed])
    if (!isRefused) return
    for (const answer of sent.slice(0, 3)) {
      const { error } = (await answer.json()) as { readonly error: { readonly message: string } }
      expect(error.message).toMatch(meaning)
    }
  })

  it("of a client: mcp_set_servers and initialize", async () => {
    const { client, session } = await connected()
    const statusOf = async () => {
      const { response } = (await client.request("mcp_status")) as unknown as Status // the answer to mcp_status
      return response.mcpServers.find(({ name }) => name === "far")
    }
    for (const [subtype, fields] of [
      ["mcp_set_servers", { servers: mcpServers }],
      ["initialize", { mcpServers }],
    ] as const) {
      const answer = await client.request(subtype, fields)
      const found = await statusOf()
      if (!(meaning instanceof RegExp)) expect(found?.config?.type ?? found?.status).toBe(meaning)
      else if (subtype === "initialize") expect(answer).toMatchObject({ error: expect.stringMatching(meaning) })
      else expect(found).toMatchObject({ status: "failed", error: expect.stringMatching(bare(meaning)) })
      await client.request("mcp_set_servers", { servers: {} })
    }
    expect(JSON.stringify(session.info())).not.toContain("token-4711-4711")
  })
})

describe("an entry", () => {
  it("of a client that names how the session signs in is validated with it", async () => {
    const { client } = await connected()
    const server = (oauth: object) => ({ type: "http", url, oauth })
    const answer = await client.request("mcp_set_servers", {
      servers: {
        user: server({ grant: "authorization_code" }),
        own: server({ grant: "client_credentials", clientId: "perch" }),
      },
    })
    expect(answer).toMatchObject({
      response: { errors: { own: expect.stringContaining("The server's oauth.clientSecret is missing") } },
    })
    expect(JSON.stringify(answer)).not.toContain('"user":')
  })
})

// Remote MCP servers in a client's `initialize`, and the answers to the requests about servers.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, finish, scripted } = loop()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const NAMES = "The name of an MCP server must have 1 to 200 characters."
const SECRET = "Bearer tok-5151515151"

describe("servers of initialize", () => {
  it("are connected with their headers, which nothing shows; unusable ones are listed as failed", async () => {
    const { client, session, idle, log } = await connected()
    const mcpServers = {
      far: { type: "http", url: server.http, headers: { authorization: SECRET } },
      inner: { type: "http", url: "http://10.0.0.1/" },
      mine: { type: "sdk", name: "mine" },
    }
    expect(await client.request("initialize", { mcpServers })).toMatchObject({
      subtype: "success",
      response: { mcp_servers_applied: true },
    })
    prompt(session, promptFor(scripted([{ content: [call("mcp__far__echo_3", { text: "hi" })] }, DONE])))
    await idle()
    expect(JSON.stringify(toolResultsOf(eventsOf(log)))).toContain("echo_3:")
    expect(server.asked[0]?.headers).toMatchObject({ authorization: SECRET })
    expect(payloadsOf(eventsOf(log), "sdk:system/init")[0]).toMatchObject({
      mcp_servers: [
        { name: "far", status: "connected" },
        { name: "inner", status: "failed" },
        { name: "mine", status: "failed" },
      ],
    })
    const status = await client.request("mcp_status")
    expect(status).toMatchObject({
      response: {
        mcpServers: [
          {},
          { error: expect.stringContaining("is not a public address") },
          { error: expect.stringContaining("sdkMcpServers") },
        ],
      },
    })
    expect(JSON.stringify([eventsOf(log), status, session.info()])).not.toContain("tok-5151515151")
  })

  it("are refused when one needs a local process, as on the command line", async () => {
    const { client, session } = await connected()
    const mcpServers = { far: { type: "http", url: server.http }, local: { command: "serve" } }
    expect(await client.request("initialize", { mcpServers })).toMatchObject({
      subtype: "error",
      error: expect.stringMatching(/^initialize\.mcpServers\.local is a stdio server: /),
    })
    expect(session.record.options.mcpServers).toBeUndefined()
  })

  it("with a name that no option may have are listed as failed, and in the client they are refused", async () => {
    const { client, session } = await connected()
    const long = "n".repeat(201)
    const far = { type: "http", url: server.http }
    await client.request("initialize", { mcpServers: { [long]: far, "": far, far } })
    expect(Object.keys(session.record.options.mcpServers ?? {})).toEqual(["far"])
    const own = { [long]: { type: "sdk", name: long }, "": far }
    expect(await client.request("mcp_set_servers", { servers: own })).toMatchObject({
      response: { errors: { [long]: NAMES, "": NAMES } },
    })
    expect(await client.request("initialize", { sdkMcpServers: ["calc", long] })).toMatchObject({
      error: `initialize.sdkMcpServers: ${NAMES}`,
    })
  })

  it("inside the client have no configuration without being listed", async () => {
    const { client } = await connected()
    const request = { sdkMcpServers: ["calc"], sdkMcpServerConfigs: { clac: { timeout: 5000 } } }
    expect(await client.request("initialize", request)).toMatchObject({
      error: "initialize.sdkMcpServerConfigs.clac: sdkMcpServers does not list it",
    })
  })

  it.each([
    [{ timeout: -1 }, "timeout"],
    [{ timeout: 1e300 }, "timeout"],
    [{ tools: [{ name: "n".repeat(1001) }] }, "tools[0].name"],
  ])("inside the client are refused with %j", async (config, field) => {
    const { client } = await connected()
    const request = { sdkMcpServers: ["calc"], sdkMcpServerConfigs: { calc: config } }
    expect(await client.request("initialize", request)).toMatchObject({
      error: expect.stringContaining(`initialize.sdkMcpServerConfigs.calc.${field}: `),
    })
    const servers = {
      calc: { type: "sdk", name: "calc", ...config },
      far: { type: "http", url: server.http, ...config },
    }
    const { response } = await client.request("mcp_set_servers", { servers })
    const problem = expect.stringContaining(`The server's ${field} `)
    expect(response).toMatchObject({ errors: { calc: problem, far: problem } })
  })

  it("inside the client have configurations of at most 100,000 characters", async () => {
    const { client } = await connected()
    const tools = Array.from({ length: 120 }, (_, index) => ({ name: `${index}-`.padEnd(900, "n") }))
    const request = { sdkMcpServers: ["calc"], sdkMcpServerConfigs: { calc: { tools } } }
    expect(await client.request("initialize", request)).toMatchObject({
      error: "initialize.sdkMcpServerConfigs.calc: JSON has more than 100000 characters",
    })
  })

  it("stay when a later initialize names none", async () => {
    const { client, session } = await connected()
    await client.request("initialize", { mcpServers: { far: { type: "http", url: server.http } } })
    await client.request("initialize", {})
    await client.request("initialize", { mcpServers: {} })
    expect(Object.keys(session.record.options.mcpServers ?? {})).toEqual(["far"])
  })
})

describe("a server's status", () => {
  const withServer = (url: string): SessionOptions => ({ ...BYPASS, mcpServers: { far: { type: "http", url } } })

  it("has the fields of the official SDK", async () => {
    const { client } = await finish([DONE], {}, withServer(server.http))
    const { response } = (await client.request("mcp_status")) as {
      response: { mcpServers: ReadonlyArray<{ tools: ReadonlyArray<object> }> }
    }
    expect(response.mcpServers).toMatchObject([
      {
        name: "far",
        status: "connected",
        serverInfo: { name: "thirty", version: "3.0.0" },
        transport: "http",
        config: { type: "http", url: server.http },
        scope: "dynamic",
        source: "dynamic",
      },
    ])
    expect(response.mcpServers[0]?.tools).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "hang", description: "Never answers", annotations: { readOnly: true } }),
        expect.objectContaining({ name: "large", annotations: {} }),
      ]),
    )
  })

  it("is the reason in the error of a failed reconnect", async () => {
    const { client } = await finish([DONE], {}, withServer("http://127.0.0.1:1/mcp"))
    expect(await client.request("mcp_reconnect", { serverName: "far" })).toMatchObject({
      error: "127.0.0.1:1 could not be reached.",
    })
    await client.request("mcp_toggle", { serverName: "far", enabled: false })
    expect(await client.request("mcp_reconnect", { serverName: "far" })).toMatchObject({
      error: 'the MCP server "far" is disabled. Send mcp_toggle first.',
    })
    for (const [subtype, fields] of [
      ["mcp_reconnect", {}],
      ["mcp_toggle", { enabled: true }],
      ["mcp_read_resource", { uri: "ui://page" }],
    ] as const) {
      expect(await client.request(subtype, { serverName: "nope", ...fields })).toMatchObject({
        error: `${subtype}.serverName: there is no MCP server "nope" in this session`,
      })
    }
  })
})

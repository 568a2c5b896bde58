// Remote MCP servers of a session, with the whole loop over a scripted model and a real MCP server on loopback.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { PLAIN_TOOLS, startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, resultOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { finish, start, connected, harnessOf, scripted, api } = (() => {
  const made = loop()
  return { ...made, api: () => made.api }
})()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const SECRET = "Bearer tok-4242424242"
const TOKEN = "query-31313131"

const remote = (more: object = {}, type: "http" | "sse" = "http") =>
  ({
    far: { type, url: `${server[type]}?token=${TOKEN}`, headers: { authorization: SECRET }, ...more },
  }) as SessionOptions["mcpServers"] & object

const ECHO = { content: [call("mcp__far__echo_3", { text: "hi" })] }
const offered = (script: string): ReadonlyArray<string> => {
  const entry = api().log.find((one) => one.script === script)
  const { tools = [] } = (entry?.body ?? {}) as { tools?: ReadonlyArray<{ name: string }> }
  return tools.map(({ name }) => name)
}

describe.each(["http", "sse"] as const)("a session's server of type %s", (type) => {
  it("is connected at the first turn, and the model calls its tools", async () => {
    const harness = harnessOf({ ...BYPASS, mcpServers: remote({}, type) })
    const { session, idle, log } = harness.boot()
    expect(server.asked).toEqual([])
    const script = scripted([ECHO, DONE])
    prompt(session, promptFor(script))
    await idle()
    const events = eventsOf(log)
    expect(resultOf(events)).toMatchObject({ subtype: "success", result: "Done." })
    expect(JSON.stringify(toolResultsOf(events))).toContain('echo_3: {\\"text\\":\\"hi\\"}')
    expect(offered(script).filter((name) => name.startsWith("mcp__far__echo_"))).toHaveLength(PLAIN_TOOLS)
    expect(payloadsOf(events, "sdk:system/init")[0]).toMatchObject({
      mcp_servers: [{ name: "far", status: "connected", source: "dynamic" }],
      tools: expect.arrayContaining(["mcp__far__echo_0"]),
    })
    expect(server.asked[0]?.headers).toMatchObject({ authorization: SECRET, "x-perch-fetch": "1" })
  })
})

describe("a remote server's tools", () => {
  it("need permission as a client's do, unless the server's policy or a rule allows them", async () => {
    const options = { permission_prompts: "deny", mcpServers: remote() } as const
    const denied = await finish([ECHO, DONE], {}, options)
    expect(JSON.stringify(toolResultsOf(denied.events()))).not.toContain("echo_3:")
    const policy = { tools: [{ name: "echo_3", permission_policy: "always_allow" }] }
    const allowed = await finish([ECHO, DONE], {}, { permission_prompts: "deny", mcpServers: remote(policy) })
    expect(JSON.stringify(toolResultsOf(allowed.events()))).toContain("echo_3:")
    const ruled = await finish([ECHO, DONE], {}, { ...options, allowedTools: ["mcp__far"] })
    expect(JSON.stringify(toolResultsOf(ruled.events()))).toContain("echo_3:")
  })

  it("fire hooks that match the server", async () => {
    const { client } = await finish([ECHO, DONE], { PreToolUse: {} }, { ...BYPASS, mcpServers: remote() })
    expect(client.called[0]?.input).toMatchObject({
      tool_name: "mcp__far__echo_3",
      mcp_server: { name: "far", source: "dynamic" },
    })
  })

  it("end with the turn: an interrupt cancels the call, and the server is notified", async () => {
    const hang = { content: [call("mcp__far__hang", {})] }
    const { stopTurn, idle, result } = await start([hang, DONE], {}, { ...BYPASS, mcpServers: remote() })
    await server.hanging
    expect(await stopTurn()).toBe(true)
    await server.cancelled
    await idle()
    expect(result()).toMatchObject({ subtype: "error_during_execution" })
  })
})

describe("a server that can't be used", () => {
  it("is listed as failed with its reason, and the turn continues without it", async () => {
    const options = {
      ...BYPASS,
      mcpServers: {
        ...remote(),
        gone: { type: "http", url: "http://127.0.0.1:1/?key=a-secret-31337" },
        off: { type: "local", command: ["x"], enabled: false },
        empty: { enabled: true },
      },
    } as SessionOptions
    const { client, events, result } = await finish([ECHO, DONE], {}, options)
    expect(result()).toMatchObject({ result: "Done." })
    expect(payloadsOf(events(), "sdk:system/init")[0]).toMatchObject({
      mcp_servers: [
        { name: "far", status: "connected" },
        { name: "gone", status: "failed", source: "dynamic" },
        { name: "off", status: "disabled" },
        { name: "empty", status: "disabled" },
      ],
    })
    const status = await client.request("mcp_status")
    expect(status).toMatchObject({
      response: {
        mcpServers: [
          {
            name: "far",
            serverInfo: { name: "thirty" },
            config: { type: "http", url: `${server.http}?***` },
            rejected_tools: [{ name: "unsupported", reason: expect.stringContaining("can't be used") }],
          },
          { name: "gone", error: "127.0.0.1:1 could not be reached." },
          {},
          {},
        ],
      },
    })
    expect(JSON.stringify(status)).not.toContain("a-secret")
  })

  it("does not delay an interrupt while it is connecting", async () => {
    server.intercept = () => true
    const { stopTurn, idle, result } = await start([DONE], {}, { ...BYPASS, mcpServers: remote() })
    await until(() => server.asked.length > 0)
    expect(await stopTurn()).toBe(true)
    await idle()
    expect(result()).toMatchObject({ subtype: "error_during_execution" })
  })

  it("delays a turn no longer than its limit", async () => {
    server.intercept = () => true
    const { result } = await finish([DONE], {}, { ...BYPASS, mcpServers: remote({ timeout: 1000 }) })
    expect(result()).toMatchObject({ result: "Done." })
  })
})

describe("servers", () => {
  it("of one turn apply to that turn only, and survive a restart with their secrets", async () => {
    const harness = harnessOf(BYPASS)
    const first = harness.boot()
    server.intercept = () => true
    prompt(first.session, promptFor(scripted([ECHO, DONE])), { mcpServers: remote() })
    await until(() => server.asked.length === 1)
    harness.crash()
    server.intercept = () => false
    const { session, idle, log } = harness.boot()
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({ result: "Done." })
    expect(server.asked.map(({ headers }) => headers.authorization).every((value) => value === SECRET)).toBe(true)
    const later = scripted([DONE])
    prompt(session, promptFor(later))
    await idle()
    expect(offered(later).some((name) => name.startsWith("mcp__"))).toBe(false)
    expect(harness.twin.sql.exec("SELECT key FROM meta WHERE key = 'turn_servers'").toArray()).toEqual([])
  })

  it("that change are reconnected at the next turn", async () => {
    const { session, idle, log } = await finish([DONE], {}, { ...BYPASS, mcpServers: remote() })
    expect(session.changes.patch({ options: { mcpServers: { other: remote()["far"]! } } })).toBeUndefined()
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(payloadsOf(eventsOf(log), "sdk:system/init").at(-1)).toMatchObject({
      mcp_servers: [{ name: "other", status: "connected" }],
    })
  })

  it("that a client sets are the session's, also after a restart, until it sets others", async () => {
    const { client, harness } = await connected()
    const servers = {
      ...remote(),
      bad: { type: "http", url: "http://10.0.0.1/" },
      wrong: { type: "http", url: "mcp.example.com" },
      local: { type: "stdio", command: "x" },
    }
    const answer = await client.request("mcp_set_servers", { servers })
    expect(answer).toMatchObject({
      response: {
        added: ["far", "bad", "wrong", "local"],
        removed: [],
        errors: {
          bad: "The server's url is not a public address, and only public addresses are called. The server's settings can allow its host.",
          wrong: expect.stringContaining("configuration is invalid for its type"),
          local: expect.stringContaining("is a stdio server"),
        },
      },
    })
    const failed = { name: "bad", status: "failed", scope: "dynamic" }
    expect(await client.request("mcp_status")).toMatchObject({
      response: {
        mcpServers: expect.arrayContaining([
          expect.objectContaining({ name: "far", status: "pending" }),
          expect.objectContaining(failed),
        ]),
      },
    })
    harness.crash()
    const { session, idle, log } = harness.boot()
    prompt(session, promptFor(scripted([ECHO, DONE])))
    await idle()
    expect(JSON.stringify(toolResultsOf(eventsOf(log)))).toContain("echo_3:")
    expect(await client.request("mcp_set_servers", { servers: {} })).toMatchObject({
      response: { added: [], removed: ["far"], errors: {} },
    })
    expect(await client.request("mcp_status")).toMatchObject({ response: { mcpServers: [] } })
  })

  // As recorded.
  it("are removed and added when their configuration changes, also if they can't be used", async () => {
    const { client } = await connected()
    const names = async (servers: object) => {
      const { response } = await client.request("mcp_set_servers", { servers })
      const { added, removed } = response as Readonly<Record<string, unknown>>
      return { added, removed }
    }
    const bad = (path: string) => ({ type: "http", url: `http://10.0.0.1/${path}` })
    const inClient = { type: "sdk", name: "bad" }
    expect(await names({ ...remote(), bad: bad("a") })).toEqual({ added: ["far", "bad"], removed: [] })
    expect(await names({ ...remote(), bad: bad("a") })).toEqual({ added: [], removed: [] })
    expect(await names({ ...remote(), bad: bad("b") })).toEqual({ added: ["bad"], removed: ["bad"] })
    expect(await names({ bad: inClient })).toEqual({ added: ["bad"], removed: ["bad", "far"] })
    expect(await names({ bad: inClient })).toEqual({ added: [], removed: [] })
    expect(await names({ bad: bad("a") })).toEqual({ added: ["bad"], removed: ["bad"] })
    expect(await names({})).toEqual({ added: [], removed: ["bad"] })
  })

  it("can be switched off and on, and reconnected, by name", async () => {
    const { client, session, idle } = await finish([DONE], {}, { ...BYPASS, mcpServers: remote() })
    const status = async () => (await client.request("mcp_status"))["response"]
    await client.request("mcp_toggle", { serverName: "far", enabled: false })
    expect(await status()).toMatchObject({ mcpServers: [{ status: "disabled" }] })
    const script = scripted([DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(offered(script).some((name) => name.startsWith("mcp__"))).toBe(false)
    await client.request("mcp_toggle", { serverName: "far", enabled: true })
    await server.forget()
    const before = server.asked.length
    await client.request("mcp_reconnect", { serverName: "far" })
    expect(server.asked.slice(before).map(({ rpc }) => rpc)).toContain("initialize")
    expect(await status()).toMatchObject({ mcpServers: [{ status: "connected" }] })
  })
})

describe("an elicitation of a server", () => {
  it("is sent to the session's client", async () => {
    const ask = { content: [call("mcp__far__ask", {})] }
    const { client, idle, events } = await start([ask, DONE], { Stop: {} }, { ...BYPASS, mcpServers: remote() })
    await until(() => client.asked("elicitation").length === 1)
    const [asked] = client.asked("elicitation")
    expect(asked?.request).toMatchObject({ mcp_server_name: "far", message: "Which colour?" })
    client.answer(asked!.id, { action: "accept", content: { colour: "blue" } })
    await idle()
    expect(JSON.stringify(toolResultsOf(events()))).toContain("blue")
  })

  it("is declined when no client can be asked, and a sampling request is refused", async () => {
    const calls = { content: [call("mcp__far__ask", {}), call("mcp__far__sample", {})] }
    const harness = harnessOf({ ...BYPASS, permission_prompts: "deny", mcpServers: remote() })
    const { session, idle, log } = harness.boot()
    prompt(session, promptFor(scripted([calls, DONE])))
    await idle()
    const results = JSON.stringify(toolResultsOf(eventsOf(log)))
    expect(results).toContain("decline: null")
    expect(results).toContain("-32601")
  })
})

describe("a secret", () => {
  it("of a remote server is in no event, only in the session's own record", async () => {
    const headers = { content: [call("mcp__far__headers", {})] }
    const { harness, log, client, session } = await finish([headers, DONE], {}, { ...BYPASS, mcpServers: remote() })
    session.changes.patch({ options: { mcpServers: remote({ timeout: 5000 }) } })
    const shown = JSON.stringify([eventsOf(log), await client.request("mcp_status"), session.info()])
    for (const secret of ["tok-4242424242", TOKEN]) expect(shown).not.toContain(secret)
    expect(shown).toContain("[secret]")
    const rows = harness.twin.sql.exec("SELECT key, json FROM meta").toArray()
    expect(rows.filter((row) => JSON.stringify(row).includes(TOKEN)).map(({ key }) => key)).toEqual(["session"])
  })
})

// MCP servers of an agent's definition: available only to that agent, while it runs, and their secrets are never readable.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, scripted, messagesSent } = loop()

const SECRET = "Bearer token-4711-of-the-agent"

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const inner = (more: object = {}) => ({
  inner: { type: "http" as const, url: server.http, headers: { authorization: SECRET }, ...more },
})

const withServers = (mcpServers: ReadonlyArray<unknown>, more: object = {}): SessionOptions =>
  ({
    ...BYPASS,
    agents: { helper: { description: "Helps.", prompt: "You help.", tools: ["Read"], mcpServers, ...more } },
  }) as SessionOptions

const delegate = (script: string, more: object = {}) => ({
  content: [
    call("Agent", {
      description: "d",
      subagent_type: "helper",
      prompt: promptFor(script),
      run_in_background: false,
      ...more,
    }),
  ],
})

const ECHO = () => ({ content: [call("mcp__inner__echo_3", { text: "hi" })] })
const SAYS = { content: [text("Sub result.")] }

/** A turn in which the helper runs `turns`. */
const run = async (
  options: SessionOptions,
  turns: ReadonlyArray<object> = [ECHO(), SAYS],
  own: SessionOptions = {},
) => {
  const opened = await connected({}, options)
  const sub = scripted(turns as never)
  prompt(opened.session, promptFor(scripted([delegate(sub), DONE])), own)
  await opened.idle()
  const events = eventsOf(opened.log)
  return { ...opened, events, sub, inside: JSON.stringify(messagesSent(sub).at(-1)) }
}

const notices = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:system/informational").map(({ content }) => content)

describe("a server of an agent's own", () => {
  it("is connected with its headers while the agent runs, and only the agent has its tools", async () => {
    const { events, inside } = await run(withServers([inner()]))
    expect(inside).toContain("echo_3:")
    expect(server.asked.filter(({ rpc }) => rpc === "tools/call").map(({ headers }) => headers.authorization)).toEqual([
      SECRET,
    ])
    const [init] = payloadsOf(events, "sdk:system/init")
    expect(init?.["mcp_servers"]).toEqual([])
    expect(JSON.stringify(init?.["tools"])).not.toContain("mcp__inner")
  })

  it("returns results whose metadata is the only part that their messages repeat", async () => {
    const meta = { _meta: { page: 1 } }
    const uses = [call("mcp__inner__structured", meta), call("mcp__inner__structured", {})]
    const { events } = await run(withServers([inner()]), [...uses.map((use) => ({ content: [use] })), SAYS])
    const results = payloadsOf(events, "sdk:user").filter(({ subagent_tool_result: result }) => result !== undefined)
    expect(results).toMatchObject([
      { tool_use_result: meta, subagent_tool_result: { ...meta, structuredContent: { colour: "green" } } },
      { subagent_tool_result: { structuredContent: { colour: "green" } } },
    ])
    expect(results[0]!.tool_use_result).toEqual(meta)
    expect(results[1]).not.toHaveProperty("tool_use_result")
  })

  it("is connected for each run, including one that continues in the background", async () => {
    const opened = await connected({}, withServers([inner()]))
    const sub = scripted([ECHO(), SAYS])
    prompt(opened.session, promptFor(scripted([delegate(sub, { run_in_background: true }), DONE, DONE])))
    await opened.idle()
    const other = scripted([ECHO(), SAYS])
    prompt(opened.session, promptFor(scripted([delegate(other), DONE])))
    await opened.idle()
    expect(JSON.stringify(messagesSent(sub).at(-1))).toContain("echo_3:")
    expect(JSON.stringify(messagesSent(other).at(-1))).toContain("echo_3:")
    expect(server.asked.filter(({ rpc }) => rpc === "initialize")).toHaveLength(2)
  })

  it("replaces the session's server of that name for the agent only", async () => {
    const options = {
      ...withServers([inner()], { tools: undefined }),
      mcpServers: { inner: { type: "http", url: server.http } },
    }
    const { events } = await run(options as SessionOptions)
    const calls = server.asked.filter(({ rpc }) => rpc === "tools/call")
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([SECRET])
    expect(payloadsOf(events, "sdk:system/init")[0]?.["mcp_servers"]).toMatchObject([
      { name: "inner", source: "dynamic" },
    ])
  })

  it("loses the tools that the definition disallows or the server's policy denies", async () => {
    const tools = [{ name: "echo_3", permission_policy: "always_deny" }]
    const denied = await run(withServers([inner({ tools })]))
    const disallowed = await run(withServers([inner()], { disallowedTools: ["mcp__inner__echo_3"] }))
    for (const { inside } of [denied, disallowed]) expect(inside).toContain("No such tool available")
  })

  it("is asked about as its policy says, with the server's name and its source", async () => {
    const tools = [{ name: "echo_3", permission_policy: "always_allow" }]
    const options = {
      ...withServers([inner({ tools })]),
      permissionMode: "default",
      permission_prompts: "deny",
    } as const
    expect((await run(options)).inside).toContain("echo_3:")
    const asked = await run({ ...withServers([inner()]), permissionMode: "default", permission_prompts: "deny" })
    expect(asked.inside).not.toContain("echo_3:")
  })

  it("that can't be connected is reported to clients, and the agent continues without it", async () => {
    const { events, inside } = await run(withServers([inner({ url: "http://127.0.0.1:1/mcp?key=k-4711-8" })]), [SAYS])
    expect(inside).toContain("[[script:")
    expect(notices(events)).toEqual([expect.stringContaining("runs without its MCP server inner: ")])
    expect(JSON.stringify(events)).not.toContain("k-4711-8")
  })

  it("can also be defined in a turn's own options", async () => {
    const { agents } = withServers([inner()])
    const {
      inside,
      session: opened,
      harness,
    } = await run(BYPASS, [ECHO(), SAYS], agents === undefined ? {} : { agents })
    expect(inside).toContain("echo_3:")
    expect(JSON.stringify(opened.info())).not.toContain(SECRET)
    const meta = JSON.stringify(harness.twin.sql.exec("SELECT key, json FROM meta").toArray())
    expect(meta).not.toContain(SECRET)
  })
})

describe("the secrets of an agent's own servers", () => {
  it("are in no event, answer or row, except the session's own record", async () => {
    const opened = await run(withServers([inner()]), [{ content: [call("mcp__inner__headers", {})] }, SAYS])
    const shown = JSON.stringify([opened.events, opened.session.info(), opened.client.frames])
    const [scheme, token] = SECRET.split(" ")
    expect([scheme, token]).toEqual(["Bearer", "token-4711-of-the-agent"])
    expect(shown).not.toContain(token)
    expect(shown).toContain('"authorization":"***"')
    const { sql } = opened.harness.twin
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
    const holding = tables.flatMap(({ name }) =>
      sql
        .exec(`SELECT * FROM ${name}`)
        .toArray()
        .filter((row) => JSON.stringify(row).includes(String(token)))
        .map((row) => [name, row["key"]]),
    )
    expect(holding).toEqual([["meta", "session"]])
  })
})

// MCP servers that a client adds, removes or switches off while a turn runs, with the whole loop over a scripted model.
import { expect, it, vi } from "vitest"
import { call, promptFor } from "../../support/session/scripts.ts"
import type { SessionClient } from "../../support/session/session-client.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, hooksOf, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"

const { api, connected, scripted } = (() => {
  const made = loop()
  return { ...made, api: () => made.api }
})()

const CALC = { calc: { type: "sdk", name: "calc" } }

const INFO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "calc", version: "1" },
}

const resultFor = (method: string): unknown => {
  if (method === "initialize") return INFO
  if (method === "tools/list") return { tools: [{ name: "add", inputSchema: { type: "object" } }] }
  return { content: [{ type: "text", text: "three" }] }
}

type Asked = ReturnType<SessionClient["asked"]>[number]

/** Answers the messages to the client's server until `ended`, except those that are `left`. */
const serve = async (
  client: SessionClient,
  ended: () => boolean,
  left: (asked: Asked) => boolean = () => false,
  result: (method: string, server: string) => unknown = resultFor,
): Promise<void> => {
  const answered = new Set<string>()
  await until(() => {
    for (const asked of client.asked("mcp_message")) {
      const { id, request } = asked
      if (answered.has(id) || left(asked)) continue
      answered.add(id)
      const { id: rpc, method } = request["message"] as { readonly id?: number; readonly method: string }
      client.answer(id, {
        mcp_response: { jsonrpc: "2.0", id: rpc ?? 0, result: result(method, String(request["server_name"])) },
      })
    }
    return ended()
  })
}

/** What a call of the server's tool returns after one of Glob, during whose hook the client made `change`. */
const during = async (change: (client: SessionClient) => Promise<unknown>, before: object) => {
  const script = scripted([
    { content: [call("Glob", { pattern: "*" })] },
    { content: [call("mcp__calc__add", {})] },
    DONE,
  ])
  let ended = false
  const { client, session, idle, log } = await connected(
    {
      PreToolUse: async (input) => {
        if (input["tool_name"] === "Glob") await change(client)
        return {}
      },
    },
    BYPASS,
  )
  const served = serve(client, () => ended)
  await client.request("mcp_set_servers", { servers: before })
  prompt(session, promptFor(script))
  await idle()
  ended = true
  await served
  const offered = api()
    .log.filter((entry) => entry.script === script)
    .map(({ body }) => JSON.stringify(body["tools"]).includes("mcp__calc__add"))
  const hooks = hooksOf(eventsOf(log)).filter((name) => name === "PreToolUse").length
  return { offered, hooks, result: JSON.stringify(toolResultsOf(eventsOf(log))[1]) }
}

const isConnected = async (client: SessionClient): Promise<void> => {
  for (;;) if (JSON.stringify(await client.request("mcp_status")).includes('"connected"')) return
}

it("a server that is added has its tools in the turn's next request", async () => {
  const added = await during(async (client) => {
    await client.request("mcp_set_servers", { servers: CALC })
    await isConnected(client)
  }, {})
  expect(added).toMatchObject({ offered: [false, true, true], hooks: 2, result: expect.stringContaining("three") })
})

it.each([
  ["removed", "mcp_set_servers", { servers: {} }],
  ["switched off", "mcp_toggle", { serverName: "calc", enabled: false }],
] as const)("a server that is %s is not called any more, also in the turn that runs", async (_, subtype, fields) => {
  const gone = await during((client) => client.request(subtype, fields), CALC)
  expect(gone).toMatchObject({ offered: [true, false, false], hooks: 1 })
  expect(gone.result).toContain("No such tool available: mcp__calc__add")
})

it.each(["mcp__calc", "mcp__calc__add", "mcp__*"])(
  "a tool that the added deny rule %s names as a whole stays in requests, but does not exist for the calls of the next answer",
  async (rule) => {
    const settings = { permissions: { deny: [rule] } }
    const denied = await during((client) => client.request("apply_flag_settings", { settings }), CALC)
    expect(denied).toMatchObject({ offered: [true, true, true], hooks: 1 })
    expect(denied.result).toContain("No such tool available: mcp__calc__add")
  },
)

it("a deny rule in an answer applies to the other calls of the same message, whose hooks run", async () => {
  const add = () => call("mcp__calc__add", {})
  const update = { type: "addRules", rules: [{ toolName: "mcp__calc" }], behavior: "deny", destination: "session" }
  const decision = { behavior: "allow", updatedPermissions: [update] }
  const { client, session, idle, log } = await connected(
    {
      PreToolUse: async () => ({}),
      PermissionRequest: async () => ({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }),
    },
    {},
  )
  let ended = false
  const served = serve(client, () => ended)
  await client.request("mcp_set_servers", { servers: CALC })
  prompt(session, promptFor(scripted([{ content: [add(), add()] }, { content: [add()] }, DONE])))
  await idle()
  ended = true
  await served
  expect(toolResultsOf(eventsOf(log)).map(({ content }) => JSON.stringify(content))).toEqual([
    expect.stringContaining("three"),
    expect.stringContaining("denied by a permission rule"),
    expect.stringContaining("No such tool available: mcp__calc__add"),
  ])
  expect(hooksOf(eventsOf(log)).filter((name) => name === "PreToolUse")).toHaveLength(2)
})

it("the client's servers are listed after those that are reached over the network, and disabled ones last", async () => {
  const mcpServers = { far: { type: "http" as const, url: "http://127.0.0.1:1/mcp" } }
  const { client, session, idle, log } = await connected({}, { ...BYPASS, mcpServers })
  let ended = false
  const served = serve(client, () => ended)
  await client.request("mcp_set_servers", {
    servers: { calc: CALC.calc, one: { type: "sdk", name: "one" }, two: { type: "sdk", name: "two" } },
  })
  await client.request("mcp_toggle", { serverName: "two", enabled: false })
  await client.request("mcp_toggle", { serverName: "calc", enabled: false })
  prompt(session, promptFor(scripted([DONE])))
  await idle()
  ended = true
  await served
  expect(payloadsOf(eventsOf(log), "sdk:system/init")[0]).toMatchObject({
    mcp_servers: [
      { name: "far", status: "failed" },
      { name: "one", status: "connected" },
      { name: "two", status: "disabled" },
      { name: "calc", status: "disabled" },
    ],
  })
})

it("a call ends with an error when its server is removed while it runs, and is withdrawn from the client", async () => {
  const script = scripted([{ content: [call("mcp__calc__add", {})] }, DONE])
  const { client, session, idle, log } = await connected({}, BYPASS)
  let called = false
  const isCall = ({ request }: Asked) => JSON.stringify(request["message"]).includes("tools/call")
  const served = serve(client, () => (called = client.asked("mcp_message").some(isCall)), isCall)
  await client.request("mcp_set_servers", { servers: CALC })
  prompt(session, promptFor(script))
  await until(() => called)
  await client.request("mcp_set_servers", { servers: {} })
  await idle()
  await served
  const [result] = toolResultsOf(eventsOf(log))
  expect(result).toMatchObject({ is_error: true, content: expect.stringContaining("removed this server") })
  expect(client.cancelled).toContain(client.asked("mcp_message").find(isCall)?.id)
  expect(hooksOf(eventsOf(log))).toContain("PostToolUseFailure")
})

it("a server that is switched off is not called by an agent that runs", async () => {
  const sub = scripted([{ content: [call("Glob", { pattern: "*" })] }, { content: [call("mcp__calc__add", {})] }, DONE])
  const use = call("Agent", {
    description: "d",
    subagent_type: "helper",
    prompt: promptFor(sub),
    run_in_background: false,
  })
  let ended = false
  const { client, session, idle, log } = await connected(
    {
      PreToolUse: async (input) => {
        if (input["tool_name"] === "Glob") await client.request("mcp_toggle", { serverName: "calc", enabled: false })
        return {}
      },
    },
    { ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } },
  )
  const served = serve(client, () => ended)
  await client.request("mcp_set_servers", { servers: CALC })
  prompt(session, promptFor(scripted([{ content: [use] }, DONE])))
  await idle()
  ended = true
  await served
  expect(JSON.stringify(eventsOf(log))).toContain("No such tool available: mcp__calc__add")
})

it("a turn starts even if the servers' tools are too large to be stored", async () => {
  const { client, session, harness, idle, log } = await connected({}, BYPASS)
  const { sql } = harness.twin
  const exec = sql.exec.bind(sql)
  // The size of a row of a Durable Object.
  vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
    if (bindings.some((value) => typeof value === "string" && value.length > 2_000_000)) throw new Error("too big")
    return exec(query, ...bindings)
  })
  const inputSchema = { type: "object", properties: { a: { type: "string", description: "x".repeat(60_000) } } }
  const tools = Array.from({ length: 20 }, (_, index) => ({ name: `tool${index}`, inputSchema }))
  const large = (method: string) => (method === "tools/list" ? { tools } : resultFor(method))
  let ended = false
  const served = serve(client, () => ended, undefined, large)
  await client.request("mcp_set_servers", { servers: { ...CALC, more: { type: "sdk", name: "more" } } })
  prompt(session, promptFor(scripted([{ content: [call("mcp__more__tool1", {})] }, DONE])))
  await until(() => session.inbox.head() === undefined)
  await idle()
  ended = true
  await served
  expect(JSON.stringify(toolResultsOf(eventsOf(log)))).toContain("three")
})

it("a server's tool whose name belongs to another server is not offered, and listed with the reason", async () => {
  const tools = (server: string) => (server === "a" ? ["t", "b__t", "b__other"] : ["t"])
  const inputSchema = { type: "object" }
  const script = scripted([{ content: ["t", "b__t", "b__other"].map((name) => call(`mcp__a__${name}`, {})) }, DONE])
  let ended = false
  const { client, session, idle, log } = await connected({}, { allowedTools: ["mcp__a__b__*", "mcp__a__t"] })
  const called: Array<string> = []
  const served = serve(
    client,
    () => ended,
    () => false,
    (method, server) => {
      if (method === "tools/call") called.push(server)
      return method === "tools/list"
        ? { tools: tools(server).map((name) => ({ name, inputSchema })) }
        : resultFor(method)
    },
  )
  const sdk = (name: string) => ({ type: "sdk", name })
  await client.request("mcp_set_servers", { servers: { a: sdk("a"), a__b: sdk("a__b") } })
  prompt(session, promptFor(script))
  await idle()
  ended = true
  await served
  expect(called.toSorted()).toEqual(["a", "a__b"])
  expect(toolResultsOf(eventsOf(log))[2]).toMatchObject({ content: expect.stringContaining("No such tool available") })
  const [sent] = api().log.filter((entry) => entry.script === script)
  const offered = (sent!.body["tools"] as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)
  expect(offered.filter((name) => name.startsWith("mcp__")).toSorted()).toEqual(["mcp__a__b__t", "mcp__a__t"])
  const reason = (name: string) => `has the name mcp__a__${name}, which belongs to a tool of another server`
  expect(session.mcp.rejected()).toEqual(
    ["b__t", "b__other"].map((name) => ({ server: "a", name, reason: reason(name) })),
  )
})

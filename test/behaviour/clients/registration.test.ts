// Whose hooks and MCP servers a session uses when several clients connect and disconnect.
import { describe, expect, it } from "vitest"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { DONE, loop, payloadsOf, resultOf, until } from "../../support/session/loop.ts"

const { connected, harnessOf, scripted } = loop()

const HOOKS = { Stop: {} }

describe("initialize", () => {
  it("describes the session", async () => {
    const { client } = await connected({}, { model: "claude-opus-5-5" })
    const answer = await client.initialize()
    expect(answer).toMatchObject({
      subtype: "success",
      response: { hooks_applied: true, session_state: "idle", current_permission_mode: "default" },
    })
    expect(answer).not.toHaveProperty("pending_permission_requests")
  })

  it("sets its options, and keeps those that it does not name", async () => {
    const { client, session } = await connected({}, { maxTurns: 3 })
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    }
    await client.initialize({ appendSystemPrompt: "Be brief.", jsonSchema: schema, title: "Mine" })
    expect(session.record).toMatchObject({
      title: "Mine",
      options: {
        maxTurns: 3,
        systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." },
        outputFormat: { type: "json_schema", schema },
      },
    })
  })

  it("with the same options again writes nothing", async () => {
    const { client, log } = await connected()
    await client.initialize({ systemPrompt: ["Be kind."] })
    const before = log.lastSeq
    await client.initialize({ systemPrompt: ["Be kind."] })
    expect(log.lastSeq).toBe(before)
  })

  it("again sends the running background tasks, as recorded", async () => {
    const { client, session } = await connected()
    const listed = () => client.frames.filter(({ subtype }) => subtype === "background_tasks_changed")
    const task = { agentId: "a1", runId: "r1", toolUseId: "t1", description: "d", type: "helper" }
    const { commit } = session.background.beginAgent(task)
    session.append([], commit)
    expect(listed()).toEqual([])
    await client.initialize()
    await until(() => listed().length > 0)
    expect(listed()).toMatchObject([{ tasks: [{ task_id: "a1", task_type: "local_agent", description: "d" }] }])
  })

  it.each([
    [
      "more hooks than a client may bring",
      { hooks: { Stop: [{ hookCallbackIds: Array.from({ length: 1001 }, (_, n) => `h${n}`) }] } },
    ],
    ["more servers than a client may bring", { sdkMcpServers: Array.from({ length: 51 }, (_, n) => `s${n}`) }],
    ["a schema that can't be used", { jsonSchema: { type: "string" } }],
    ["a system prompt without an end", { systemPrompt: ["x".repeat(1_000_001)] }],
  ])("with %s is refused, and nothing of it holds", async (_, fields) => {
    const harness = harnessOf({})
    const { clients, log } = harness.boot()
    const client = harness.connect()
    expect(await client.request("initialize", fields)).toMatchObject({ subtype: "error" })
    expect(clients.owner).toBeNull()
    expect(log.lastSeq).toBe(0)
  })
})

describe("a second client", () => {
  it("does not replace the hooks while the first is connected", async () => {
    const { client, harness, session, idle } = await connected(HOOKS)
    const second = harness.connect(HOOKS)
    expect(await second.initialize()).toMatchObject({ response: { hooks_applied: false } })
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect([client.called.length, second.called.length]).toEqual([1, 0])
  })

  it("without hooks or servers is accepted, and changes nothing", async () => {
    const { client, harness, session, idle } = await connected(HOOKS)
    const second = harness.connect()
    expect(await second.initialize()).toMatchObject({ response: { hooks_applied: true } })
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(client.called).toHaveLength(1)
  })

  it("takes over when the first has closed its connection", async () => {
    const { client, harness, session, idle, clients } = await connected(HOOKS)
    harness.detach(client, true)
    const second = harness.connect(HOOKS)
    expect(await second.initialize()).toMatchObject({ response: { hooks_applied: true } })
    expect(clients.owner).toBe(second.name)
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect([client.called.length, second.called.length]).toEqual([0, 1])
  })

  it("does not take over while the first may reconnect", async () => {
    const { client, harness, clients } = await connected(HOOKS)
    harness.detach(client, false)
    const second = harness.connect(HOOKS)
    expect(await second.initialize()).toMatchObject({ response: { hooks_applied: false } })
    expect(clients.owner).toBe(client.name)
  })

  it("may not change the first one's servers", async () => {
    const { harness } = await connected(HOOKS)
    const second = harness.connect()
    expect(await second.request("mcp_set_servers", { servers: { mine: { type: "sdk", name: "mine" } } })).toMatchObject(
      {
        subtype: "error",
      },
    )
  })

  it("are pending until they are connected, and one that can't be used here has failed", async () => {
    const { client } = await connected()
    const servers = { mine: { type: "sdk", name: "mine" }, far: { type: "http", url: "https://mcp.example/" } }
    expect(await client.request("mcp_set_servers", { servers })).toMatchObject({
      response: { added: ["mine", "far"], removed: [], errors: { far: expect.any(String) } },
    })
    expect(await client.request("mcp_status")).toMatchObject({
      response: {
        mcpServers: [
          { name: "far", status: "failed" },
          { name: "mine", status: "pending" },
        ],
      },
    })
  })

  it("are limited to fifty, whichever request registers them", async () => {
    const { client } = await connected()
    const servers = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`s${at}`, { type: "http", url: "https://mcp.example/" }]),
      )
    const refused = (field: string) => ({
      subtype: "error",
      error: `${field}: a client can have at most 50 MCP servers`,
    })
    expect(await client.request("mcp_set_servers", { servers: servers(51) })).toMatchObject(
      refused("mcp_set_servers.servers"),
    )
    expect(await client.request("initialize", { mcpServers: servers(51) })).toMatchObject(
      refused("initialize.mcpServers"),
    )
    expect(await client.request("mcp_status")).toMatchObject({ response: { mcpServers: [] } })
    expect(await client.request("mcp_set_servers", { servers: servers(50) })).toMatchObject({ subtype: "success" })
  })

  it("that are unregistered before they answer do not delay a turn", async () => {
    const { client, session, idle, log } = await connected()
    await client.request("mcp_set_servers", { servers: { mute: { type: "sdk", name: "mute" } } })
    await client.request("mcp_set_servers", { servers: {} })
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({ result: "Done." })
    expect(await client.request("mcp_status")).toMatchObject({ response: { mcpServers: [] } })
  })

  it("can't answer a hook of the first", async () => {
    let asked = 0
    const { client, harness, session, idle, log } = await connected({ Stop: () => ((asked += 1) > 0 ? undefined : {}) })
    const second = harness.connect()
    prompt(session, promptFor(scripted([DONE])))
    while (client.called.length === 0) await new Promise((resolve) => setImmediate(resolve))
    second.answer(client.called[0]!.requestId, { decision: "block", reason: "mine" })
    expect(resultOf(eventsOf(log))).toBeUndefined()
    client.answer(client.called[0]!.requestId, {})
    await idle()
    expect(payloadsOf(eventsOf(log), "turn:nudged")).toEqual([])
  })
})

describe("the same client again", () => {
  it("replaces what it registered before", async () => {
    const { client, session, idle, clients } = await connected({ Stop: {}, UserPromptSubmit: {} })
    await client.initialize({ hooks: { Stop: [{ hookCallbackIds: ["Stop"] }] } })
    expect(Object.keys(clients.registration.hooks)).toEqual(["Stop"])
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(client.called.map((one) => one.callbackId)).toEqual(["Stop"])
  })

  it("owns its hooks after a restart of the process", async () => {
    const { client, harness } = await connected(HOOKS)
    harness.crash()
    const { session, idle } = harness.boot()
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(client.called).toHaveLength(1)
  })
})

describe("a security hook whose client has disconnected", () => {
  it("blocks if it is configured to", async () => {
    const { client, harness, session, idle, log } = await connected()
    await client.initialize({
      hooks: { UserPromptSubmit: [{ hookCallbackIds: ["UserPromptSubmit"], onFailure: "block" }] },
    })
    harness.detach(client, true)
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(payloadsOf(eventsOf(log), "sdk:system/informational")).toMatchObject([
      { prompt_submit_outcome: { kind: "blocked_by_hook", prompt_kept: false } },
    ])
  })
})

describe("a client whose first stream opens late", () => {
  it("is sent the asks that were opened since its `initialize`", async () => {
    const { client, harness, session, idle } = await connected({}, { permission_prompts: "ask" })
    harness.detach(client, false)
    client.onAsk = () => ({ behavior: "deny", message: "no" })
    const write = call("Write", { file_path: "/workspace/a", content: "1" })
    prompt(session, promptFor(scripted([{ content: [write] }, DONE])))
    await idle()
    expect(session.askStore.open).toHaveLength(1)
    harness.attach(client, 0)
    await idle()
    expect(client.asked("can_use_tool")).toHaveLength(1)
    expect(session.askStore.open).toEqual([])
  })

  it("is not sent them before its `initialize`, whose answer has them", async () => {
    const harness = harnessOf({ permission_prompts: "ask" })
    const { session, idle } = harness.boot()
    const write = call("Write", { file_path: "/workspace/a", content: "1" })
    prompt(session, promptFor(scripted([{ content: [write] }, DONE])))
    await idle()
    const late = harness.connect()
    harness.attach(late, 0)
    expect(late.asked("can_use_tool")).toEqual([])
    expect(await late.initialize()).toMatchObject({
      pending_permission_requests: [{ request: { tool_name: "Write" } }],
    })
  })
})

describe("an answer without a pending request", () => {
  it("that is repeated or late changes nothing", async () => {
    const { client, session, idle, log } = await connected(HOOKS)
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    const { requestId } = client.called[0]!
    const before = log.lastSeq
    client.answer(requestId, { decision: "block", reason: "late" })
    client.answer(requestId, { decision: "block", reason: "later" })
    client.answer("hook:never:asked", {})
    client.send({ type: "control_response", response: { subtype: "error", request_id: requestId, error: "late" } })
    expect(log.lastSeq).toBe(before)
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(payloadsOf(eventsOf(log), "turn:nudged")).toEqual([])
  })

  it("that is unreadable counts as a failure of the client that was asked", async () => {
    const { client, session, idle, log } = await connected({ Stop: () => undefined })
    prompt(session, promptFor(scripted([DONE])))
    while (client.called.length === 0) await new Promise((resolve) => setImmediate(resolve))
    client.send({ type: "control_response", response: { request_id: client.called[0]!.requestId } })
    await idle()
    expect(payloadsOf(eventsOf(log), "sdk:system/informational")).toMatchObject([{ tag: "hook_callback_failed" }])
    expect(resultOf(eventsOf(log))).toMatchObject({ result: "Done." })
  })
})

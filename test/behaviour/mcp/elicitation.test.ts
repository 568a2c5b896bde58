// Elicitations of a remote MCP server as asks of its session: who is asked, what counts as an answer, and when they are
// cancelled.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { pendingAsk } from "../../../src/session/storage/ask-store.ts"
import type { Booted } from "../../support/session/session-harness.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, hooksOf, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, harnessOf, scripted, start } = loop()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const remote = (type: "http" | "sse" = "http", more: SessionOptions = {}): SessionOptions => ({
  ...BYPASS,
  mcpServers: { far: { type, url: server[type] } },
  ...more,
})

const FORM = {
  message: "Who are you?",
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "integer", minimum: 0, default: 36 } },
    required: ["name"],
  },
}

/** A session without clients whose turn calls the tool that elicits; resolves when the ask is open. */
const asked = async (input: Readonly<Record<string, unknown>> = {}, options = remote()) => {
  const harness = harnessOf(options)
  const booted = harness.boot()
  const use = call("mcp__far__ask", input)
  const turn = prompt(booted.session, promptFor(scripted([{ content: [use] }, DONE])))
  await until(() => booted.session.askStore.open.length === 1)
  const ask = pendingAsk(booted.session.askStore.open[0]!)
  return { ...booted, harness, turn, use, ask }
}

const resultsOf = ({ log }: Pick<Booted, "log">) => JSON.stringify(toolResultsOf(eventsOf(log)))

describe.each(["http", "sse"] as const)("an elicitation of a server of type %s", (type) => {
  it("is an ask of the call during which it arrived, and the turn waits for its answer", async () => {
    const { ask, idle, log, session, turn, use, feed } = await asked({ params: FORM }, remote(type))
    expect(ask).toMatchObject({
      kind: "elicitation",
      turn_id: turn,
      tool_name: "mcp__far__ask",
      tool_use_id: use.id,
      input: { mcp_server_name: "far", message: "Who are you?", mode: "form", requested_schema: FORM.requestedSchema },
    })
    expect(session.state).toBe("requires_action")
    expect(feed.listeners.current()).toEqual([])
    const bad = session.asks.answer(ask.request_id, { action: "accept", content: { name: "Ada", age: -1 } })
    expect(bad).toMatchObject({ refused: { type: "invalid_request_error", field: "content.age" } })
    const good = { action: "accept", content: { name: "Ada" } }
    expect(session.asks.answer(ask.request_id, good)).toBeUndefined()
    expect(session.asks.answer(ask.request_id, good)).toBeUndefined()
    expect(session.asks.answer(ask.request_id, { action: "decline" })).toMatchObject({
      refused: { type: "conflict_error" },
    })
    await idle()
    expect(resultsOf({ log })).toContain(String.raw`accept: {\"name\":\"Ada\",\"age\":36}`)
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([
      { by: "client", answer: { action: "accept", content: { name: "Ada", age: 36 } } },
    ])
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
  })

  it("is cancelled when the server withdraws it", async () => {
    const { idle, log, session } = await asked({}, remote(type))
    server.withdrawQuestions()
    await idle()
    expect(session.askStore.open).toEqual([])
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([{ by: "interrupt", answer: { action: "cancel" } }])
    expect(resultsOf({ log })).toContain("failed")
  })
})

describe("an elicitation", () => {
  it.each(["decline", "cancel"])("is answered with %s, which has no content", async (action) => {
    const { ask, idle, log, session } = await asked()
    expect(session.asks.answer(ask.request_id, { action, content: {} })).toMatchObject({
      refused: { field: "content" },
    })
    expect(session.asks.answer(ask.request_id, { behavior: "deny", message: "no" })).toMatchObject({
      refused: { message: expect.stringContaining('the answer to an elicitation must be {action:"accept"') },
    })
    session.asks.answer(ask.request_id, { action })
    await idle()
    expect(resultsOf({ log })).toContain(`${action}: null`)
  })

  it("to visit a page accepts no content, and clients are notified when the server has completed it", async () => {
    const params = { mode: "url", message: "Sign in", url: "https://far.example/in", elicitationId: "e-1" }
    const { ask, idle, log, session } = await asked({ params })
    expect(ask.input).toMatchObject({ mode: "url", url: "https://far.example/in", elicitation_id: "e-1" })
    expect(session.asks.answer(ask.request_id, { action: "accept", content: { a: "b" } })).toMatchObject({
      refused: { field: "content" },
    })
    session.asks.answer(ask.request_id, { action: "accept" })
    await idle()
    expect(resultsOf({ log })).toContain("accept: null")
    expect(payloadsOf(eventsOf(log), "sdk:system/elicitation_complete")).toMatchObject([
      { mcp_server_name: "far", elicitation_id: "e-1" },
    ])
  })

  it.each([
    ["to visit what is no page", { mode: "url", message: "m", url: "javascript:alert(1)", elicitationId: "e" }],
    ["with a form that is not flat", { message: "m", requestedSchema: { type: "object", properties: { a: {} } } }],
  ])("%s is refused", async (_, params) => {
    const harness = harnessOf(remote())
    const { idle, log, session } = harness.boot()
    prompt(session, promptFor(scripted([{ content: [call("mcp__far__ask", { params })] }, DONE])))
    await idle()
    expect(resultsOf({ log })).toContain("-32602")
    expect(payloadsOf(eventsOf(log), "ask:opened")).toEqual([])
  })

  it("without an answer in time is cancelled", async () => {
    const { ask, idle, log, session } = await asked({}, remote("http", { ask_timeout_ms: 1000 }))
    await until(() => Date.now() > Date.parse(ask.expires_at))
    session.asks.expire()
    await idle()
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([{ by: "expiry", answer: { action: "cancel" } }])
    expect(resultsOf({ log })).toContain("cancel: null")
  })

  it("ends with its turn", async () => {
    const { log, session, stopTurn } = await asked()
    expect(await stopTurn()).toBe(true)
    expect(session.askStore.open).toEqual([])
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([{ by: "interrupt", answer: { action: "cancel" } }])
  })

  it("is cancelled by a restart, after which the outcome of its call is unknown", async () => {
    const { ask, harness } = await asked()
    harness.crash()
    const { idle, log, session } = harness.boot()
    expect(session.asks.answer(ask.request_id, { action: "accept", content: {} })).toMatchObject({
      refused: { type: "conflict_error" },
    })
    await idle()
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([{ by: "interrupt", answer: { action: "cancel" } }])
    expect(resultsOf({ log })).toMatch(/outcome/i)
  })
})

describe("an elicitation outside any turn", () => {
  /** A session without a turn, whose client makes a call that elicits. */
  const direct = async (more: SessionOptions = {}) => {
    const harness = harnessOf(remote("http", more))
    const booted = harness.boot()
    await booted.session.remoteMcp.reconnect("far")
    const answer = booted.directCalls.call("mcp__far__ask", {})
    return { ...booted, harness, answer, open: () => booted.session.askStore.open }
  }

  it("is an ask of no turn, which any client may answer", async () => {
    const { answer, log, open, session } = await direct()
    await until(() => open().length === 1)
    const { requestId } = open()[0]!
    expect(pendingAsk(open()[0]!)).toMatchObject({
      kind: "elicitation",
      turn_id: requestId,
      tool_name: "mcp__far__ask",
    })
    expect(session.state).toBe("requires_action")
    expect(session.asks.answer(requestId, { action: "accept", content: { colour: "red" } })).toBeUndefined()
    expect(JSON.stringify(await answer)).toContain("red")
    expect(session.state).toBe("idle")
    expect(payloadsOf(eventsOf(log), "ask:opened")).toMatchObject([{ detached: true }])
    const asks = eventsOf(log).filter(({ name }) => name.startsWith("ask:"))
    expect(asks.map(({ turn }) => turn)).toEqual([null, null])
  })

  it("is cancelled at its timeout, and by a restart", async () => {
    const late = await direct({ ask_timeout_ms: 1000 })
    await until(() => late.open().length === 1)
    const { expiresAt } = late.open()[0]!
    await until(() => Date.now() > expiresAt)
    late.session.asks.expire()
    expect(JSON.stringify(await late.answer)).toContain("cancel")
    const lost = await direct()
    // Its process ends before the call does.
    lost.answer.catch(() => undefined)
    await until(() => lost.open().length === 1)
    lost.harness.crash()
    const { log, session } = lost.harness.boot()
    expect(session.askStore.open).toEqual([])
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([{ by: "interrupt", answer: { action: "cancel" } }])
  })

  it("is declined when no one can be asked", async () => {
    const { answer, open } = await direct({ permission_prompts: "deny" })
    expect(JSON.stringify(await answer)).toContain("decline")
    expect(open()).toEqual([])
  })
})

describe("clients of the control protocol", () => {
  it("are all asked, also one that connects later, and the first answer counts", async () => {
    const use = call("mcp__far__ask", {})
    const { client, harness, idle, log } = await start([{ content: [use] }, DONE], {}, remote())
    await until(() => client.asked("elicitation").length === 1)
    const late = harness.connect()
    await late.initialize()
    await until(() => late.asked("elicitation").length === 1)
    const { id, request } = late.asked("elicitation")[0]!
    expect(request).toEqual(client.asked("elicitation")[0]?.request)
    late.answer(id, { action: "accept", content: { colour: "red" } })
    await idle()
    expect(resultsOf({ log })).toContain("red")
    expect(client.cancelled).toEqual([id])
  })

  it("cancel with an answer that can't be read, or an error", async () => {
    const use = () => call("mcp__far__ask", {})
    const { client, idle, log } = await start([{ content: [use()] }, { content: [use()] }, DONE], {}, remote())
    await until(() => client.asked("elicitation").length === 1)
    client.answer(client.asked("elicitation")[0]!.id, { action: "accept", content: { colour: 1 } })
    await until(() => client.asked("elicitation").length === 2)
    const response = { subtype: "error", request_id: client.asked("elicitation")[1]!.id, error: "no window" }
    client.send({ type: "control_response", response })
    await idle()
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([
      { by: "failure", answer: { action: "cancel" } },
      { by: "failure", answer: { action: "cancel" } },
    ])
  })

  it("are asked even if permissions are denied at once", async () => {
    const options = remote("http", { permission_prompts: "deny" })
    const { client, idle, session, log } = await connected({}, options)
    prompt(session, promptFor(scripted([{ content: [call("mcp__far__ask", {})] }, DONE])))
    await until(() => client.asked("elicitation").length === 1)
    client.answer(client.asked("elicitation")[0]!.id, { action: "decline" })
    await idle()
    expect(resultsOf({ log })).toContain("decline: null")
  })
})

describe("hooks", () => {
  it("answer before clients are asked, and may change what clients answer", async () => {
    const specific = (hookEventName: string, answer: object) => ({ hookSpecificOutput: { hookEventName, ...answer } })
    const first = specific("Elicitation", { action: "accept", content: { colour: "hooked" } })
    const use = () => call("mcp__far__ask", {})
    const hooked = await start([{ content: [use()] }, DONE], { Elicitation: first }, remote())
    await hooked.idle()
    expect(resultsOf(hooked)).toContain("hooked")
    expect(payloadsOf(hooked.events(), "ask:opened")).toEqual([])
    expect(hooksOf(hooked.events())).not.toContain("ElicitationResult")
    const last = specific("ElicitationResult", { action: "decline" })
    const changed = await start([{ content: [use()] }, DONE], { ElicitationResult: last }, remote())
    await until(() => changed.client.asked("elicitation").length === 1)
    changed.client.answer(changed.client.asked("elicitation")[0]!.id, { action: "accept", content: { colour: "red" } })
    await changed.idle()
    expect(resultsOf(changed)).toContain("decline: null")
    expect(hooksOf(changed.events())).toEqual(expect.arrayContaining(["Elicitation", "ElicitationResult"]))
  })

  it("get a request of their own for each elicitation of a turn", async () => {
    const use = () => call("mcp__far__ask", {})
    const turns = [{ content: [use()] }, { content: [use()] }, DONE]
    const { client, idle } = await start(turns, { Elicitation: {}, ElicitationResult: {} }, remote())
    for (const count of [1, 2]) {
      await until(() => client.asked("elicitation").length === count)
      client.answer(client.asked("elicitation").at(-1)!.id, { action: "decline" })
    }
    await idle()
    // The official SDK answers a request only once.
    const ids = client.asked("hook_callback").map(({ id }) => id)
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(4)
  })

  it("are notified of the answer and of the page's completion", async () => {
    const params = { mode: "url", message: "Sign in", url: "https://far.example/in", elicitationId: "e-1" }
    const turns = [{ content: [call("mcp__far__ask", { params })] }, DONE]
    const { client, events, idle } = await start(turns, { Notification: {}, ElicitationResult: {} }, remote())
    await until(() => client.asked("elicitation").length === 1)
    client.answer(client.asked("elicitation")[0]!.id, { action: "accept" })
    await idle()
    const inputOf = (event: string) =>
      payloadsOf(events(), "hook:fired").flatMap(({ hook_event_name: name, input }) => (name === event ? [input] : []))
    expect(inputOf("ElicitationResult")).toMatchObject([{ mode: "url" }])
    expect(inputOf("Notification")).toMatchObject([
      { notification_type: "elicitation_response", message: expect.stringContaining("accept") },
      { notification_type: "elicitation_complete" },
    ])
    const ids = client.asked("hook_callback").map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    expect(ids).toHaveLength(3)
  })

  it("that block decline, and no further hooks are called", async () => {
    const turns = [{ content: [call("mcp__far__ask", {})] }, DONE]
    const hooks = { Elicitation: { decision: "block", reason: "no" }, ElicitationResult: {}, Notification: {} }
    const { events, idle, log } = await start(turns, hooks, remote())
    await idle()
    expect(resultsOf({ log })).toContain("decline: null")
    expect(hooksOf(events())).toContain("Elicitation")
    expect(hooksOf(events())).not.toEqual(expect.arrayContaining(["ElicitationResult"]))
    expect(hooksOf(events())).not.toEqual(expect.arrayContaining(["Notification"]))
  })
})

describe("a server inside a client", () => {
  it("receives the answer as a message, as the official SDK passes it on", async () => {
    const { client } = await connected({}, BYPASS)
    await client.initialize({ sdkMcpServers: ["near"] })
    const message = { jsonrpc: "2.0", id: 0, method: "elicitation/create", params: FORM }
    const asked = client.request("mcp_message", { server_name: "near", message })
    await until(() => client.asked("elicitation").length === 1)
    client.answer(client.asked("elicitation")[0]!.id, { action: "accept", content: { name: "Ada", age: 30 } })
    const response = { jsonrpc: "2.0", id: 0, result: { action: "accept", content: { name: "Ada", age: 30 } } }
    expect(await asked).toMatchObject({ response: { mcp_response: response } })
    const sent = () => client.asked("mcp_message").map(({ request }) => request["message"])
    await until(() => sent().some((one) => JSON.stringify(one).includes("Ada")))
    expect(sent().at(-1)).toEqual(response)
  })
})

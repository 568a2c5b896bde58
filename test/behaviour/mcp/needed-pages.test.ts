// A call that a server executes only after its user has visited a page (error -32042): the page is an ask, after which the call
// is made again.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { pendingAsk } from "../../../src/session/storage/ask-store.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const asked = async (type: "http" | "sse" = "http", more: SessionOptions = {}) => {
  const options: SessionOptions = { ...BYPASS, mcpServers: { far: { type, url: server[type] } }, ...more }
  const harness = harnessOf(options)
  const booted = harness.boot()
  const turn = prompt(booted.session, promptFor(scripted([{ content: [call("mcp__far__paid", {})] }, DONE])))
  const open = () => booted.session.askStore.open
  await until(() => open().length === 1)
  const result = () => JSON.stringify(toolResultsOf(eventsOf(booted.log)))
  const calls = () => server.asked.filter(({ rpc }) => rpc === "tools/call").length
  const accept = () => booted.session.asks.answer(open()[0]!.requestId, { action: "accept" })
  return { ...booted, harness, turn, open, result, calls, accept }
}

describe.each(["http", "sse"] as const)("a page that a server of type %s needs visited", (type) => {
  it("is an ask of the call, which is repeated once the user accepts", async () => {
    const { accept, calls, idle, open, result, session, turn } = await asked(type)
    expect(pendingAsk(open()[0]!)).toMatchObject({
      kind: "elicitation",
      turn_id: turn,
      tool_name: "mcp__far__paid",
      input: { mode: "url", message: "Pay first", url: "https://far.example/pay", elicitation_id: "pay-1" },
    })
    expect(session.state).toBe("requires_action")
    await server.pageVisited()
    expect(accept()).toBeUndefined()
    await idle()
    expect(result()).toContain("paid")
    expect(calls()).toBe(2)
  })

  it("is settled when the server announces it, without an answer of a client", async () => {
    const { idle, log, result } = await asked(type)
    await server.pageVisited(true)
    await idle()
    expect(result()).toContain("paid")
    expect(payloadsOf(eventsOf(log), "ask:settled")).toMatchObject([{ answer: { action: "accept" } }])
    expect(payloadsOf(eventsOf(log), "sdk:system/elicitation_complete")).toMatchObject([{ elicitation_id: "pay-1" }])
  })

  it("that the user has only opened is waited for", async () => {
    const { accept, calls, idle, open, result } = await asked(type)
    accept()
    await until(() => calls() === 2)
    expect(open()).toEqual([])
    await server.pageVisited(true)
    await idle()
    expect(result()).toContain("paid")
    expect(calls()).toBe(3)
  })
})

describe("the call", () => {
  it.each(["decline", "cancel"])("fails when the user's answer is %s", async (action) => {
    const { calls, idle, open, result, session } = await asked()
    session.asks.answer(open()[0]!.requestId, { action })
    await idle()
    expect(result()).toContain("Payment is required. The user did not visit the page")
    expect(calls()).toBe(1)
  })

  it("ends with its turn", async () => {
    const { calls, open, stopTurn } = await asked()
    expect(await stopTurn()).toBe(true)
    expect(open()).toEqual([])
    expect(calls()).toBe(1)
  })
})

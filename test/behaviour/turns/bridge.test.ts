// The MCP server `mechacoder` of routed runs: which turns have its tools, what each tool does, and that each call is an event.
import { describe, expect, it } from "vitest"
import type { TurnQueued } from "../../../src/schemas/log/event-payloads.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { SessionCore } from "../../../src/session/core.ts"
import { readProgress, writeProgress } from "../../../src/session/progress.ts"
import { typeOf } from "../../../src/webhooks/webhook-event.ts"
import { rebuiltRows } from "../outages/rebuilt-rows.ts"
import { DONE, loop, payloadsOf, resultOf, toolResultsOf, type Turns, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf } from "../../support/session/session-harness.ts"

const { connected, harnessOf, messagesSent, scripted } = loop()

type Routing = NonNullable<TurnQueued["routing"]>

const FULL: Routing = { route: "claude-code", subtask: { id: "t1", description: "Refactor the parser" } }
const BRIDGE_TOOLS = [
  "mcp__mechacoder__subtask_complete",
  "mcp__mechacoder__request_help",
  "mcp__mechacoder__read_progress",
]
const WRITE = call("Write", { file_path: "/workspace/a.txt", content: "a" })
const complete = (filesModified: ReadonlyArray<string> = []) =>
  call("mcp__mechacoder__subtask_complete", { summary: "All parsed.", filesModified })
const ISSUE = "Which grammar is it?"
const help = () => call("mcp__mechacoder__request_help", { issue: ISSUE, suggestion: "Take the newer one." })
const read = () => call("mcp__mechacoder__read_progress", {})

const submit = (session: SessionCore, script: string, routing: Routing | null, options: SessionOptions = {}) => {
  const prompt = promptFor(script)
  const turn = crypto.randomUUID()
  const args = { turn, prompt, onBusy: "queue" as const, options, fingerprint: prompt }
  session.prompts.submit(routing === null ? args : { ...args, routing })
  return turn
}

const ended = (booted: Pick<Booted, "log">, turn: string) => {
  const events = eventsOf(booted.log)
  expect(problemsOf(events, [turn])).toEqual([])
  return { events, init: payloadsOf(events, "sdk:system/init")[0], result: resultOf(events) }
}

const routed = async (turns: Turns, routing: Routing | null = FULL, options: SessionOptions = {}) => {
  const harness = harnessOf({})
  const booted = harness.boot()
  const script = scripted(turns)
  const turn = submit(booted.session, script, routing, options)
  await booted.idle()
  return { ...ended(booted, turn), turn, script, booted, harness }
}

const toolsOf = ({ tools }: Readonly<Record<string, unknown>> = {}) =>
  (tools as ReadonlyArray<string>).filter((name) => name.startsWith("mcp__"))

describe("the bridge of a routed run", () => {
  it("is listed when the full agent runs", async () => {
    const { init } = await routed([DONE])
    expect(toolsOf(init)).toEqual(BRIDGE_TOOLS)
    expect(init?.["mcp_servers"]).toEqual([{ name: "mechacoder", status: "connected", source: "sdk" }])
  })

  it.each<[string, Routing | null, SessionOptions]>([
    ["in a turn without a route", null, {}],
    ["where the minimal agent runs", { route: "minimal" }, {}],
    ["where the options deny the server", FULL, { disallowedTools: ["mcp__mechacoder"] }],
  ])("has no tools %s", async (_, routing, options) => {
    const { init } = await routed([DONE], routing, options)
    expect(toolsOf(init)).toEqual([])
  })

  it("has no request_help tool when no client can answer", async () => {
    const { init } = await routed([DONE], FULL, { permission_prompts: "deny" })
    expect(toolsOf(init)).toEqual([BRIDGE_TOOLS[0], BRIDGE_TOOLS[2]])
  })

  it("is listed by mcp_status while such a run is in progress", async () => {
    const { client, session, idle } = await connected({}, {})
    const status = async () =>
      client.request("mcp_status").then(({ response }) => (response as { mcpServers: unknown }).mcpServers)
    expect(await status()).toEqual([])
    submit(session, scripted([{ content: [help()] }, DONE]), FULL)
    await until(() => client.asked("can_use_tool").length === 1)
    expect(await status()).toMatchObject([
      { name: "mechacoder", status: "connected", serverInfo: { name: "mechacoder", version: "1.0.0" } },
    ])
    session.asks.answer(session.askStore.open[0]!.requestId, { answers: { [ISSUE]: "Neither." } })
    await idle()
    expect(await status()).toEqual([])
  })

  it("is not available to subagents", async () => {
    const agent = scripted([{ content: [complete()] }, textAnswer("The report.")])
    const input = { description: "look", prompt: promptFor(agent), subagent_type: "general-purpose" }
    const { events, result } = await routed([
      { content: [call("Agent", { ...input, run_in_background: false })] },
      DONE,
    ])
    expect(result).toMatchObject({ subtype: "success", result: "Done." })
    expect(payloadsOf(events, "bridge:called")).toEqual([])
    const refused = "<tool_use_error>Error: No such tool available: mcp__mechacoder__subtask_complete</tool_use_error>"
    expect(toolResultsOf(events)[0]).toMatchObject({ is_error: true, content: refused })
  })

  it("yields to another server of that name", async () => {
    const mcpServers = { mechacoder: { type: "http", url: "http://127.0.0.1:1/" } } as const
    const { init } = await routed([DONE], FULL, { mcpServers })
    expect(toolsOf(init)).toEqual([])
    expect(init?.["mcp_servers"]).toMatchObject([{ name: "mechacoder", status: "failed" }])
  })
})

describe("subtask_complete", () => {
  it("ends the run with its summary, and its files in addition to those that were changed", async () => {
    const { events, result, turn } = await routed([
      { content: [WRITE, complete(["a.txt", "/workspace/b.txt"])] },
      { content: [] },
    ])
    expect(result).toMatchObject({ subtype: "success", is_error: false, result: "All parsed." })
    expect(result["subagent_result"]).toMatchObject({
      success: true,
      summary: "All parsed.",
      filesModified: ["/workspace/a.txt", "/workspace/b.txt"],
      turns: 1,
      mode: "claude-code",
    })
    expect(events.filter(({ name }) => name === "bridge:called")).toMatchObject([
      { turn, payload: { tool: "subtask_complete", input: { summary: "All parsed." } } },
    ])
  })

  it("ends a run whose process dies right after the call", async () => {
    const harness = harnessOf({})
    const first = harness.boot()
    harness.onCommit = () => {
      if (eventsOf(first.log).some(({ name }) => name === "bridge:called")) harness.crash()
    }
    const turn = submit(first.session, scripted([{ content: [complete()] }]), FULL)
    await first.idle()
    harness.onCommit = () => undefined
    const again = harness.boot()
    await again.idle()
    const { events, result } = ended(again, turn)
    expect(result).toMatchObject({ subtype: "success", result: "All parsed." })
    expect(payloadsOf(events, "bridge:called")).toHaveLength(1)
  })

  it("does not end a run whose rules deny it", async () => {
    const booted = harnessOf({}).boot()
    const options = { settings: { permissions: { ask: ["mcp__mechacoder__subtask_complete"] } } }
    const turn = submit(booted.session, scripted([{ content: [complete()] }, DONE]), FULL, options)
    await booted.idle()
    const [ask] = booted.session.askStore.open
    expect(ask?.ask).toMatchObject({ kind: "permission", tool_name: "mcp__mechacoder__subtask_complete" })
    booted.session.asks.answer(ask!.requestId, { behavior: "deny", message: "Not yet." })
    await booted.idle()
    const { events, result } = ended(booted, turn)
    expect(result).toMatchObject({ subtype: "success", result: "Done." })
    expect(payloadsOf(events, "bridge:called")).toEqual([])
  })

  it("does not replace the value that the output format requires", async () => {
    const outputFormat = {
      type: "json_schema",
      schema: { type: "object", properties: { n: { type: "number" } } },
    } as const
    const value = call("StructuredOutput", { n: 1 })
    const { result } = await routed([{ content: [complete()] }, { content: [value] }], FULL, { outputFormat })
    expect(result).toMatchObject({ subtype: "success", structured_output: { n: 1 } })
    expect(result["subagent_result"]).toMatchObject({ summary: "All parsed.", turns: 2 })
  })
})

describe("request_help", () => {
  const opened = async (options: SessionOptions = {}) => {
    const harness = harnessOf({})
    const booted = harness.boot()
    const script = scripted([{ content: [help()] }, DONE])
    const turn = submit(booted.session, script, FULL, options)
    await booted.idle()
    return { harness, booted, script, turn }
  }
  const answered = (script: string) =>
    messagesSent(script)
      .at(-1)
      ?.flatMap(({ content }) => content)
      .find(({ type }) => type === "tool_result")

  it("opens an ask, whose answer is the tool's result", async () => {
    const { booted, script, turn } = await opened()
    const [ask] = booted.session.askStore.open
    expect(ask?.ask).toMatchObject({
      kind: "question",
      tool_name: "mcp__mechacoder__request_help",
      input: { issue: ISSUE, questions: [{ question: ISSUE, options: [{ description: "Take the newer one." }, {}] }] },
    })
    const before = eventsOf(booted.log).map(({ name }) => name)
    expect(before.indexOf("bridge:called")).toBeLessThan(before.indexOf("ask:opened"))
    expect(booted.session.asks.answer(ask!.requestId, { answers: { [ISSUE]: "The older one." } })).toBeUndefined()
    await booted.idle()
    const { events } = ended(booted, turn)
    expect(answered(script)).toMatchObject({ content: "The older one." })
    expect(payloadsOf(events, "bridge:called")).toHaveLength(1)
  })

  it("is answered through canUseTool like AskUserQuestion", async () => {
    const { client, session, idle } = await connected({}, {})
    const script = scripted([{ content: [help()] }, DONE])
    submit(session, script, FULL)
    await until(() => client.asked("can_use_tool").length === 1)
    const [frame] = client.asked("can_use_tool")
    const { input } = frame!.request as { input: Record<string, unknown> }
    client.answer(frame!.id, { behavior: "allow", updatedInput: { ...input, answers: { [ISSUE]: "Do as suggested" } } })
    await idle()
    expect(answered(script)).toMatchObject({ content: "Do as suggested" })
  })

  it("waits through a restart", async () => {
    const { harness, script, turn } = await opened()
    harness.crash()
    const again = harness.boot()
    await again.idle()
    const [ask] = again.session.askStore.open
    again.session.asks.answer(ask!.requestId, { answers: { [ISSUE]: "The older one." } })
    await again.idle()
    const { events } = ended(again, turn)
    expect(answered(script)).toMatchObject({ content: "The older one." })
    expect(payloadsOf(events, "ask:opened")).toHaveLength(1)
    expect(payloadsOf(events, "bridge:called")).toHaveLength(1)
  })

  it("fails when no answer arrives in time, and the run continues", async () => {
    const { booted, turn } = await opened({ ask_timeout_ms: 0 })
    booted.session.asks.expire()
    await booted.idle()
    const { events, result } = ended(booted, turn)
    expect(toolResultsOf(events)).toMatchObject([{ is_error: true }])
    expect(result).toMatchObject({ subtype: "success", result: "Done." })
  })
})

describe("read_progress", () => {
  it("returns what the app wrote last, even during the run", async () => {
    const booted = harnessOf({}).boot()
    expect(readProgress(booted.session)).toEqual({ text: "", updated_at: null })
    writeProgress(booted.session, "One.")
    const turn = submit(
      booted.session,
      scripted([{ content: [read()] }, { content: [help()] }, { content: [read()] }, DONE]),
      FULL,
    )
    await booted.idle()
    writeProgress(booted.session, "Two.")
    booted.session.asks.answer(booted.session.askStore.open[0]!.requestId, { answers: { [ISSUE]: "x" } })
    await booted.idle()
    const { events } = ended(booted, turn)
    expect(toolResultsOf(events).map(({ content }) => content)).toEqual(["One.", "x", "Two."])
  })

  it("writes nothing when the text is the same", () => {
    const { session } = harnessOf({}).boot()
    writeProgress(session, "One.")
    const before = session.log.lastSeq
    writeProgress(session, "One.")
    expect(session.log.lastSeq).toBe(before)
  })
})

describe("calls of the bridge", () => {
  it("reach the Queue and D1 together with the hook events", async () => {
    const { booted, harness } = await routed([{ content: [read()] }, { content: [complete(["a.txt"])] }])
    const called = eventsOf(booted.log).filter(({ name }) => name === "bridge:called")
    const { before, after } = await rebuiltRows(harness, booted)
    const stored = before.hook_events.filter((row) => row["hook_event_name"] === "bridge:called")
    expect(stored.map(({ seq, id }) => [seq, id])).toEqual(called.map(({ seq, uuid }) => [seq, uuid]))
    expect(stored.map(({ input }) => JSON.parse(String(input)) as unknown)).toMatchObject([
      { hook_event_name: "bridge:called", tool: "read_progress", input: {} },
      { tool: "subtask_complete", input: { summary: "All parsed.", filesModified: ["a.txt"] } },
    ])
    expect(after.hook_events).toEqual(before.hook_events)
    expect(called.map(typeOf)).toEqual(["bridge:called/read_progress", "bridge:called/subtask_complete"])
  })
})

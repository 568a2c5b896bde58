// Routed turns: the decision is made once and kept, the chosen agent has its options, and the minimal agent takes over when the
// full one fails.
import { describe, expect, it } from "vitest"
import type { TurnQueued } from "../../../src/schemas/log/event-payloads.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { SessionCore } from "../../../src/session/core.ts"
import { DONE, loop, payloadsOf, resultOf, type Turns, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf } from "../../support/session/session-harness.ts"

const { harnessOf, messagesSent, scripted } = loop()

type Routing = NonNullable<TurnQueued["routing"]>

const REFACTOR = { id: "t1", description: "Refactor the parser" }
const TYPO = { id: "t2", description: "Fix the typo" }

const submit = (session: SessionCore, turns: Turns | string, routing: Routing, options: SessionOptions = {}) => {
  const prompt = promptFor(typeof turns === "string" ? turns : scripted(turns))
  const turn = crypto.randomUUID()
  const args = { turn, prompt, onBusy: "queue" as const, options, fingerprint: prompt, routing }
  expect(session.prompts.submit(args)).not.toHaveProperty("refused")
  return turn
}

const routed = async (turns: Turns, routing: Routing, options: SessionOptions = {}) => {
  const booted = harnessOf({}).boot()
  const turn = submit(booted.session, turns, routing, options)
  await booted.idle()
  const events = eventsOf(booted.log)
  expect(problemsOf(events, [turn])).toEqual([])
  const init = payloadsOf(events, "sdk:system/init")[0]
  return { events, init, result: resultOf(events), turn }
}

const WRITE = { content: [call("Write", { file_path: "/workspace/a.txt", content: "a" })] }

describe("a routed turn", () => {
  it("runs on the full agent if the subtask is complex", async () => {
    const { events, init, result } = await routed([WRITE, DONE], { route: "auto", subtask: REFACTOR })
    expect(payloadsOf(events, "route:decided")).toEqual([
      { mode: "claude-code", reason: "complex", score: 0.688, threshold: 0.6 },
    ])
    expect(init).toMatchObject({ permissionMode: "acceptEdits", tools: expect.arrayContaining(["Glob"]) as unknown })
    expect(result["subagent_result"]).toMatchObject({
      success: true,
      subtaskId: "t1",
      filesModified: ["/workspace/a.txt"],
      turns: 2,
      mode: "claude-code",
      claudeCodeSessionId: expect.any(String),
    })
  })

  it("runs on the minimal agent if the subtask is simple", async () => {
    const { init, result } = await routed([DONE], { route: "auto", subtask: TYPO })
    expect(init).toMatchObject({ tools: ["Read", "Write", "Edit", "Bash"], model: expect.stringContaining("haiku") })
    expect(result["subagent_result"]).toMatchObject({ success: true, subtaskId: "t2", mode: "minimal", turns: 1 })
    expect(result["subagent_result"]).not.toHaveProperty("claudeCodeSessionId")
  })

  it("on the minimal agent has none of the session's other tools, and only those of its list", async () => {
    const clientTools = [{ name: "set_light", description: "Lights.", inputSchema: { type: "object" } }]
    const mcpServers = { far: { type: "http", url: "http://127.0.0.1:1/" } } as const
    const minimal: Routing = { route: "minimal" }
    const { init } = await routed([DONE], minimal, { clientTools, mcpServers, tools: ["Read", "Glob", "Bash"] })
    expect(init).toMatchObject({ tools: ["Read", "Bash"], mcp_servers: [] })
  })

  it("uses the prompt as the subtask if none is given", async () => {
    const { result, turn } = await routed([DONE], { route: "minimal" })
    expect(result["subagent_result"]).toMatchObject({ subtaskId: turn, mode: "minimal" })
  })

  it("ends after ten requests of the minimal agent", async () => {
    const { result } = await routed(
      Array.from({ length: 12 }, () => WRITE),
      { route: "minimal" },
    )
    expect(result).toMatchObject({ subtype: "error_max_turns" })
    expect(result["subagent_result"]).toMatchObject({ success: false, turns: 10, filesModified: ["/workspace/a.txt"] })
  })

  it("uses the configuration of its options", async () => {
    const claudeCode = { forceClaudeCodeLabels: ["big"], maxTurnsPerSubtask: 1, fallbackToMinimal: false }
    const subtask = { ...TYPO, labels: ["big"] }
    const { events, result } = await routed([WRITE, DONE], { route: "auto", subtask }, { claudeCode })
    expect(payloadsOf(events, "route:decided")).toMatchObject([{ reason: "claude_code_label", label: "big" }])
    expect(result).toMatchObject({ subtype: "error_max_turns" })
    expect(payloadsOf(events, "route:fell_back")).toEqual([])
  })

  it("continues with the minimal agent when the full one fails, and its result covers both", async () => {
    const claudeCode = { maxTurnsPerSubtask: 1 }
    const edit = { content: [call("Write", { file_path: "/workspace/b.txt", content: "b" })] }
    const { events, result } = await routed([WRITE, edit, DONE], { route: "auto", subtask: REFACTOR }, { claudeCode })
    expect(payloadsOf(events, "route:fell_back")).toEqual([{ error: "Reached maximum number of turns (1)" }])
    expect(result).toMatchObject({ subtype: "success", result: "Done." })
    expect(result["subagent_result"]).toMatchObject({
      success: true,
      mode: "minimal",
      turns: 3,
      filesModified: ["/workspace/a.txt", "/workspace/b.txt"],
      total_cost_usd: result["total_cost_usd"],
      claudeCodeSessionId: expect.any(String),
    })
  })

  it("runs on the minimal agent if the model's name means none", async () => {
    const { events } = await routed([DONE], { route: "claude-code", subtask: REFACTOR }, { model: "nonsense-9" })
    expect(payloadsOf(events, "route:decided")).toMatchObject([{ mode: "minimal", reason: "unavailable" }])
  })

  it.each([
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
  ])("ends where the minimal agent could do no better: %i %s", async (status, type) => {
    const { events, result } = await routed([{ error: { status, type, message: "no" } }], { route: "claude-code" })
    expect(payloadsOf(events, "route:fell_back")).toEqual([])
    expect(result).toMatchObject({ is_error: true, subagent_result: { success: false, mode: "claude-code" } })
  })

  it("ends when it is interrupted", async () => {
    const booted = harnessOf({}).boot()
    const script = scripted([{ ...DONE, hold: {} }])
    submit(booted.session, script, { route: "claude-code", subtask: REFACTOR })
    await until(() => messagesSent(script).length === 1)
    await booted.stopTurn()
    const events = eventsOf(booted.log)
    expect(payloadsOf(events, "route:fell_back")).toEqual([])
    expect(resultOf(events)["subagent_result"]).toMatchObject({
      success: false,
      error: "The run was interrupted.",
      mode: "claude-code",
    })
  })

  it("keeps its decision over a restart between the decision and the run", async () => {
    const harness = harnessOf({})
    const first = harness.boot()
    harness.onCommit = () => {
      if (eventsOf(first.log).some(({ name }) => name === "route:decided")) harness.crash()
    }
    submit(first.session, [DONE], { route: "auto", subtask: REFACTOR })
    await first.idle()
    harness.onCommit = () => undefined
    const { session, idle, log } = harness.boot()
    // These would now produce a different decision.
    session.changes.patch({ options: { claudeCode: { enabled: false } } })
    await idle()
    const events = eventsOf(log)
    expect(payloadsOf(events, "route:decided")).toHaveLength(1)
    expect(resultOf(events)["subagent_result"]).toMatchObject({ mode: "claude-code" })
  })

  it("leaves a turn without a route unchanged", async () => {
    const { session, idle, log } = harnessOf({ claudeCode: { enabled: false } }).boot()
    const prompt = promptFor(scripted([DONE]))
    session.prompts.submit({ turn: crypto.randomUUID(), prompt, onBusy: "queue", options: {}, fingerprint: prompt })
    await idle()
    expect(payloadsOf(eventsOf(log), "route:decided")).toEqual([])
    expect(resultOf(eventsOf(log))).not.toHaveProperty("subagent_result")
  })
})

// Sessions and turns with a budget: when it ends a turn, and what happens to the calls.
import { describe, expect, it } from "vitest"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { user } from "../prompts/busy-sessions.ts"
import { BYPASS, DONE, hooksOf, loop, namesOf, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"

const made = loop()
const { finish, start, scripted } = made

const bash = (command: string) => call("Bash", { command, description: "d" })

describe("a session with a budget", () => {
  const dear = { usage: { input_tokens: 1_000_000 } }

  it("ends its turn when an answer exceeds the budget, and its calls do not run", async () => {
    const { result, workspace, sent, events } = await finish(
      [{ content: [bash("echo x >> f")], ...dear }, DONE],
      {},
      {
        ...BYPASS,
        maxBudgetUsd: 0.01,
      },
    )
    expect(workspace.exists("/workspace/f")).toBe(false)
    expect(sent()).toHaveLength(1)
    expect(hooksOf(events())).not.toContain("Stop")
    expect(result()).toMatchObject({
      subtype: "error_max_budget_usd",
      is_error: true,
      terminal_reason: "budget_exhausted",
      errors: ["Reached maximum budget ($0.01)"],
      usage: { input_tokens: 0, output_tokens: 0 },
    })
  })

  it("calls the hooks of such a call and asks about it, as in the official SDK, and does not run it", async () => {
    const { client, result, workspace, events, session } = await finish(
      [{ content: [bash("touch f")], ...dear }, DONE],
      { PreToolUse: {} },
      { maxBudgetUsd: 0.01 },
    )
    expect(client.called.map(({ input }) => input["tool_input"])).toMatchObject([{ command: "touch f" }])
    expect(result()).toMatchObject({ subtype: "error_max_budget_usd", num_turns: 1 })
    expect(namesOf(events())).not.toContain("sdk:user")
    expect(workspace.exists("/workspace/f")).toBe(false)
    expect(session.state).toBe("idle")
  })

  it("runs a call that users allow while the answer streams once the answer's cost is known", async () => {
    const { client, idle, events, workspace } = await start(
      [{ content: [bash("touch f")] }, DONE],
      { PreToolUse: {} },
      { maxBudgetUsd: 1 },
    )
    await until(() => client.asked("can_use_tool").length === 1)
    client.answer(client.asked("can_use_tool")[0]!.id, { behavior: "allow" })
    await idle()
    expect(workspace.exists("/workspace/f")).toBe(true)
    expect(namesOf(events()).indexOf("sdk:user")).toBeGreaterThan(namesOf(events()).indexOf("call:finished"))
  })

  it("refuses a call of a tool that does not exist before the answer's cost is known", async () => {
    const { result, events } = await finish(
      [{ content: [call("Nope", {})], ...dear }, DONE],
      {},
      { ...BYPASS, maxBudgetUsd: 0.01 },
    )
    expect(result()).toMatchObject({ subtype: "error_max_budget_usd", num_turns: 2 })
    expect(toolResultsOf(events())).toMatchObject([{ is_error: true }])
  })

  it("reports in its result the usage of the requests before that answer", async () => {
    const { result } = await finish(
      [
        { content: [bash("echo x")], usage: { input_tokens: 7, output_tokens: 3 } },
        { ...DONE, ...dear },
      ],
      {},
      { ...BYPASS, maxBudgetUsd: 0.01 },
    )
    expect(result()).toMatchObject({
      subtype: "error_max_budget_usd",
      usage: { input_tokens: 7, output_tokens: 3 },
    })
  })

  it("reports in its result the usage of all answers when a subagent exceeds the budget", async () => {
    const sub = scripted([{ ...DONE, ...dear }])
    const use = { description: "help me", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
    const { result } = await finish(
      [{ content: [call("Agent", use)], usage: { input_tokens: 7, output_tokens: 3 } }, DONE],
      {},
      { ...BYPASS, maxBudgetUsd: 0.01, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } },
    )
    expect(result()).toMatchObject({
      subtype: "error_max_budget_usd",
      usage: { input_tokens: 7, output_tokens: 3 },
    })
  })

  it("also ends a turn whose last answer is a text", async () => {
    const { result } = await finish([{ ...DONE, ...dear }], {}, { ...BYPASS, maxBudgetUsd: 0.01 })
    expect(result()).toMatchObject({ subtype: "error_max_budget_usd" })
  })

  it.each([
    ["raised", 0.01, 100, "success"],
    ["removed", 0.01, null, "success"],
    ["lowered", 100, 0.0001, "error_max_budget_usd"],
  ])("that is %s while a turn runs applies to that turn", async (_, before, maxBudgetUsd, subtype) => {
    const { client, session, idle, result } = await start(
      [{ content: [bash("touch f")] }, { ...DONE, ...dear }],
      {},
      { maxBudgetUsd: before },
    )
    await until(() => client.asked("can_use_tool").length === 1)
    session.changes.patch({ options: { maxBudgetUsd } })
    client.answer(client.asked("can_use_tool")[0]!.id, { behavior: "allow" })
    await idle()
    expect(result()).toMatchObject({ subtype })
  })

  it("requests nothing from the model for the next prompt, and calls that never ran get a result for the model", async () => {
    const { session, idle, events, turn } = await start(
      [{ content: [bash("echo x >> f")], ...dear }, DONE],
      {},
      { ...BYPASS, maxBudgetUsd: 0.01 },
    )
    await idle()
    const next = scripted([DONE])
    const second = prompt(session, promptFor(next))
    await idle()
    expect(made.api.log.filter((entry) => entry.script === next)).toEqual([])
    expect(payloadsOf(events(), "sdk:result/error_max_budget_usd")).toHaveLength(2)
    expect(session.changes.patch({ options: { maxBudgetUsd: null } })).toBeUndefined()
    expect(session.record.options).not.toHaveProperty("maxBudgetUsd")
    const third = scripted([DONE])
    prompt(session, promptFor(third))
    await idle()
    expect(payloadsOf(events(), "sdk:result/success")).toMatchObject([{ result: "Done." }])
    expect(new Set([turn, second]).size).toBe(2)
  })

  it("in a turn's own options limits only that turn", async () => {
    // An answer of this cost also fills the window: the next turn would pay for a compaction.
    const options = { ...BYPASS, settings: { autoCompactEnabled: false } }
    const { session, idle, events } = await start([{ ...DONE, ...dear }], {}, options)
    await idle()
    const own = prompt(session, promptFor(scripted([{ ...DONE, ...dear }])), { maxBudgetUsd: 0.01 })
    await idle()
    const after = prompt(session, promptFor(scripted([DONE])), { maxBudgetUsd: 0.01 })
    await idle()
    prompt(session, promptFor(scripted([{ ...DONE, ...dear }])))
    await idle()
    const results = events().filter(({ name }) => name.startsWith("sdk:result"))
    expect(results.map(({ name }) => name)).toEqual([
      "sdk:result/success",
      "sdk:result/error_max_budget_usd",
      "sdk:result/success",
      "sdk:result/success",
    ])
    expect(results.slice(1, 3).map(({ turn }) => turn)).toEqual([own, after])
  })

  it("of the session and of a turn apply together; the first to be spent ends the turn", async () => {
    const { session, idle, events } = await start([{ ...DONE, ...dear }], {}, { ...BYPASS, maxBudgetUsd: 100 })
    await idle()
    prompt(session, promptFor(scripted([{ ...DONE, ...dear }])), { maxBudgetUsd: 0.02 })
    await idle()
    session.changes.setOptions({ maxBudgetUsd: 0.03 })
    const next = scripted([DONE])
    prompt(session, promptFor(next), { maxBudgetUsd: 1000 })
    await idle()
    expect(payloadsOf(events(), "sdk:result/error_max_budget_usd").map(({ errors }) => errors)).toEqual([
      ["Reached maximum budget ($0.02)"],
      ["Reached maximum budget ($0.03)"],
    ])
    expect(made.api.log.filter((entry) => entry.script === next)).toEqual([])
  })

  it("runs the calls that it can pay for", async () => {
    const { result, workspace } = await finish(
      [{ content: [bash("echo x >> f")] }, DONE],
      {},
      { ...BYPASS, maxBudgetUsd: 1 },
    )
    expect(workspace.readText("/workspace/f")).toBe("x\n")
    expect(result()).toMatchObject({ result: "Done." })
  })
})

describe("a limit of turns", () => {
  const glob = () => ({ content: [call("Glob", { pattern: "*" })] })
  const cut = { content: [text("one ")], stop_reason: "max_tokens" }
  const blank = { content: [] }
  const refused = { content: [], stop_reason: "refusal" }
  const error = { type: "overloaded_error", message: "busy" }
  const lost = { content: [text("lost words here")], mid_error: { after: 4, ...error } }

  // As the official SDK.
  it.each([
    ["an answer that is cut at its length goes on", [cut, DONE], 1, 2],
    ["an answer that was blank is given again", [[blank, DONE]], 1, 2],
    ["an answer that was refused is given otherwise", [[refused, DONE]], 1, 2],
    ["an answer that broke off and was asked for again is one", [[lost, glob()], DONE], 2, 3],
  ] as const)("%s, whatever the limit", async (_, answers, maxTurns, requests) => {
    const { result, events } = await finish([...answers], {}, { ...BYPASS, maxTurns })
    expect(result()).toMatchObject({ subtype: "success", result: "Done." })
    expect(payloadsOf(events(), "call:finished")).toHaveLength(requests)
  })

  it.each([
    ["continued", [cut, glob(), glob(), glob()]],
    ["blank", [[blank, glob()], glob(), glob()]],
    ["refused", [[refused, glob()], glob(), glob()]],
  ] as const)("counts no answer that was %s", async (_, answers) => {
    const { result, events } = await finish([...answers], {}, { ...BYPASS, maxTurns: 2 })
    expect(result()).toMatchObject({ subtype: "error_max_turns", num_turns: 3 })
    expect(payloadsOf(events(), "call:finished")).toHaveLength(3)
  })

  it("is also reached by a turn that a prompt replaces during the calls of its last answer", async () => {
    const { client, events, idle } = await start([{ content: [bash("sleep 4")] }, DONE], {}, { ...BYPASS, maxTurns: 1 })
    await until(() => namesOf(events()).includes("call:finished"))
    client.send(user(promptFor(scripted([DONE])), { priority: "now" }))
    await until(() => namesOf(events()).includes("sdk:result/success"))
    await idle()
    expect(payloadsOf(events(), "sdk:result/error_max_turns")).toMatchObject([
      { num_turns: 2, terminal_reason: "aborted_tools" },
    ])
  })

  it("is also reached by a turn that is interrupted during the calls of its last answer", async () => {
    const { events, idle, result, stopTurn } = await start(
      [{ content: [bash("sleep 30")] }, DONE],
      {},
      { ...BYPASS, maxTurns: 1 },
    )
    await until(() => namesOf(events()).includes("call:finished"))
    await stopTurn()
    await idle()
    expect(result()).toMatchObject({
      subtype: "error_max_turns",
      num_turns: 2,
      terminal_reason: "aborted_tools",
      errors: ["Reached maximum number of turns (1)"],
    })
  })
})

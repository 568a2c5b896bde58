// Subagents whose process dies, whose calls need permission, and whose turn is interrupted.
import { describe, expect, it } from "vitest"
import { pendingAsk } from "../../../src/session/storage/ask-store.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { BYPASS, DONE, loop, payloadsOf, resultOf, until } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { runKilled } from "../../support/values/killed.ts"

const { connected, finish, harnessOf, messagesSent, scripted, start } = loop()

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const bash = (command: string) => call("Bash", { command, description: "d" })
const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper." } }
const OPTIONS = { ...BYPASS, agents: AGENTS }
const delegate = (name: string, more: object = {}) =>
  call("Agent", { description: "help me", subagent_type: "helper", prompt: promptFor(name), ...more })

/** Every call of every conversation, with its number of results. */
const resultsByCall = (events: ReadonlyArray<LogEvent>) => {
  const counts = new Map<string, number>()
  for (const event of events) {
    const message = event.name === "message:withheld" ? event.payload.message : event.payload
    const content = (message as { message?: { content?: unknown } }).message?.content
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === "tool_use") counts.set(block.id, counts.get(block.id) ?? 0)
      if (block.type === "tool_result") counts.set(block.tool_use_id, (counts.get(block.tool_use_id) ?? 0) + 1)
    }
  }
  return counts
}

const agentCalls = (events: ReadonlyArray<LogEvent>): number =>
  events
    .map((event) => (event.name === "message:withheld" ? event.payload.message : event.payload))
    .flatMap((message) => (message as { message?: { content?: unknown } }).message?.content ?? [])
    .filter((block) => (block as { name?: unknown }).name === "Agent").length

const expectWhole = (events: ReadonlyArray<LogEvent>) => {
  expect([...resultsByCall(events).values()].filter((count) => count !== 1)).toEqual([])
  const costs = payloadsOf(events, "call:finished").map(({ usd }) => Number(usd))
  expect(resultOf(events)["total_cost_usd"]).toBeCloseTo(
    costs.reduce((sum, usd) => sum + usd, 0),
    10,
  )
}

describe("a process that dies while subagents run", () => {
  it("leaves each call with exactly one result, whatever transaction it dies after", async () => {
    for (let dieAfter = 1; ; dieAfter += 3) {
      const harness = harnessOf(OPTIONS)
      const deep = scripted([calls(bash("echo deep > deep.txt")), textAnswer("Deep.")])
      const one = scripted([calls(bash("echo one"), delegate(deep)), textAnswer("First.")])
      const two = scripted([calls(bash("echo two > two.txt")), textAnswer("Second.")])
      const script = scripted([calls(delegate(one), delegate(two)), DONE])
      const killed = await runKilled(harness, dieAfter, ({ session }) => prompt(session, promptFor(script)))
      const { begun: turn, booted: next, died } = killed
      const all = eventsOf(next.log)
      expect(problemsOf(all, [turn])).toEqual([])
      expectWhole(all)
      // An answer that was interrupted may have lost its last call.
      const begun = payloadsOf(all, "agent:started").map(({ tool_use_id: id }) => id)
      expect(new Set(begun).size).toBe(begun.length)
      expect(begun.length).toBe(agentCalls(all))
      const ends = payloadsOf(all, "agent:ended").map(({ status }) => status)
      expect(ends).toEqual(begun.map(() => "completed"))
      await harness.dispose()
      if (!died) break
    }
  })
})

describe("an ask of a subagent", () => {
  it("names the agent, and parks the turn until it is answered", async () => {
    const sub = scripted([calls(bash("touch zz")), textAnswer("Made.")])
    const script = scripted([calls(delegate(sub)), DONE])
    const harness = harnessOf({ agents: AGENTS })
    const booted = harness.boot()
    const turn = prompt(booted.session, promptFor(script))
    await booted.idle()
    const [ask] = booted.session.askStore.open
    const [started] = payloadsOf(eventsOf(booted.log), "agent:started")
    expect(ask?.ask).toMatchObject({ tool_name: "Bash", agent_id: started?.["agent_id"] })
    expect(pendingAsk(ask!)).toMatchObject({ agent_id: started?.["agent_id"], turn_id: turn })
    harness.crash()
    const next = harness.boot()
    expect(next.session.asks.answer(String(ask?.requestId), { behavior: "allow" })).toBeUndefined()
    await next.idle()
    const all = eventsOf(next.log)
    expect(problemsOf(all, [turn])).toEqual([])
    expectWhole(all)
    expect(payloadsOf(all, "hook:fired").filter(({ hook_event_name: name }) => name === "SubagentStart")).toHaveLength(
      1,
    )
    expect(next.workspace.exists("/workspace/zz")).toBe(true)
  })

  it("that is denied is listed in the result of the turn", async () => {
    const sub = scripted([calls(bash("touch zz")), textAnswer("Not made.")])
    const { result } = await finish([calls(delegate(sub)), DONE], {}, { agents: AGENTS, permission_prompts: "deny" })
    expect(result()["permission_denials"]).toMatchObject([{ tool_name: "Bash", tool_input: { command: "touch zz" } }])
  })

  it("that is denied with an interrupt stops only the agent", async () => {
    const { session, client, idle, log } = await connected({}, { agents: AGENTS })
    client.onAsk = () => ({ behavior: "deny", message: "no", interrupt: true })
    const sub = scripted([calls(bash("touch zz")), textAnswer("Never.")])
    prompt(session, promptFor(scripted([calls(delegate(sub)), DONE])))
    await idle()
    const all = eventsOf(log)
    expect(payloadsOf(all, "agent:ended")).toMatchObject([{ status: "stopped" }])
    expect(resultOf(all)).toMatchObject({ subtype: "success", result: "Done." })
    expectWhole(all)
  })
})

it("an interrupt also ends the turn's agents, in the middle of an answer and of a call", async () => {
  // Its answer does not end by itself, however long the other agent takes to make its call.
  const held = scripted([{ content: [text("A long answer that is held back.")], chunk: 2, pause: { after: 8 } }])
  const calling = scripted([calls(bash("sleep 30"))])
  const { events, stopTurn, idle, turn, result } = await start(
    [calls(delegate(held), delegate(calling)), DONE],
    {},
    OPTIONS,
  )
  await until(() => messagesSent(held).length === 1 && resultsByCall(events()).size === 3)
  await stopTurn()
  await idle()
  expect(problemsOf(events(), [turn])).toEqual([])
  expectWhole(events())
  expect(payloadsOf(events(), "agent:ended").map(({ status }) => status)).toEqual(["stopped", "stopped"])
  expect(result()).toMatchObject({ subtype: "error_during_execution", terminal_reason: "aborted_tools" })
  expect(payloadsOf(events(), "sdk:system/task_notification")).toMatchObject([
    { status: "stopped", summary: "help me" },
    { status: "stopped", summary: "help me" },
  ])
})

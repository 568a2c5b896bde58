// Summaries of what subagents do (`agentProgressSummaries`): when the model is asked for one, what clients are sent, and the
// cost.
import { expect, it, vi } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { HeldClock } from "../../support/values/held-clock.ts"
import { BYPASS, loop, payloadsOf, resultOf, textOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const kit = loop()
const { harnessOf, messagesSent, scripted } = kit

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const inside = () => calls(call("Bash", { command: "echo inside", description: "d" }))
const OPTIONS: SessionOptions = {
  ...BYPASS,
  agents: { helper: { description: "Helps.", prompt: "You are a helper." } },
  agentProgressSummaries: true,
}

type Answers = Parameters<typeof scripted>[0]

/** An agent that has run a command and waits for the model's next answer; `answers` are the model's summaries. */
const running = async (
  last: ReadonlyArray<object>,
  { background = true, options = OPTIONS }: { readonly background?: boolean; readonly options?: SessionOptions } = {},
) => {
  const clock = new HeldClock(30_000)
  const sub = scripted([inside(), [{ ...textAnswer("The report."), hold: {} }, ...last]] as Answers)
  const harness = harnessOf(options, clock.clock)
  const booted = harness.boot()
  const use = call("Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: promptFor(sub),
    run_in_background: background,
  })
  prompt(booted.session, promptFor(scripted([calls(use), textAnswer("Launched."), textAnswer("Seen.")])))
  const asked = () => messagesSent(sub).length
  await until(() => asked() === 2)
  const events = () => eventsOf(booted.log)
  const summaries = () =>
    payloadsOf(events(), "sdk:system/task_progress").filter(({ summary }) => summary !== undefined)
  const finish = async () => {
    kit.api.release(`${sub}#1`)
    await until(() => payloadsOf(events(), "sdk:result/success").length === (background ? 2 : 1))
    await booted.idle()
    const costs = payloadsOf(events(), "call:finished").map(({ usd }) => Number(usd))
    expect(resultOf(events())["total_cost_usd"]).toBeCloseTo(
      costs.reduce((sum, usd) => sum + usd, 0),
      10,
    )
    return events()
  }
  return { ...booted, clock, sub, asked, events, summaries, finish, use }
}

it("sends what the agent has just done, and requests another only when something has happened since", async () => {
  const { clock, sub, asked, summaries, finish, use } = await running([textAnswer("Echoing inside\nand more")])
  await until(() => clock.sleeping === 1)
  clock.pass()
  await until(() => summaries().length === 1)
  expect(summaries()[0]).toMatchObject({
    description: "Echoing inside",
    summary: "Echoing inside",
    subagent_type: "helper",
    tool_use_id: use.id,
    usage: { tool_uses: 1, total_tokens: 110 },
  })
  expect(summaries()[0]).not.toHaveProperty("last_tool_name")
  const [own, question] = kit.api.log.filter(({ script }) => script === sub).slice(1)
  const shared = ["model", "system", "tools", "max_tokens", "thinking"] as const
  for (const field of shared)
    expect(Reflect.get(question?.body ?? {}, field)).toEqual(Reflect.get(own?.body ?? {}, field))
  const [before, last] = messagesSent(sub).slice(1)
  expect(last?.slice(0, -1)).toEqual(before?.slice(0, -1))
  expect(last?.at(-1)?.content).toHaveLength(2)
  expect(textOf(last?.at(-1))).toMatch(/three to five words/)
  await until(() => clock.sleeping === 1)
  clock.pass()
  await until(() => clock.sleeping === 1)
  expect(asked()).toBe(3)
  const all = await finish()
  expect(clock.sleeping).toBe(0)
  expect(payloadsOf(all, "call:finished").filter(({ purpose }) => purpose === "progress_summary")).toHaveLength(1)
  // The agent's own conversation contains nothing of it.
  expect(payloadsOf(all, "agent:ended")).toMatchObject([{ report: "The report.", output: { totalTokens: 110 } }])
})

it("also works for an agent whose call waits for it, inside its turn", async () => {
  const { clock, summaries, finish, events } = await running([textAnswer("Echoing inside")], { background: false })
  await until(() => clock.sleeping === 1)
  clock.pass()
  await until(() => summaries().length === 1)
  const all = await finish()
  const [turn] = new Set(events().map((event) => event.turn))
  const summary = all.find((event) => event.name === "sdk:system/task_progress" && event.payload.summary !== undefined)
  expect(summary?.turn).toBe(turn)
  const asked = all.find((event) => event.name === "call:finished" && event.payload.purpose !== undefined)
  expect(asked?.turn).toBe(turn)
})

it("does not affect the agent when the request fails, and logs the failure", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
  const error = { status: 400, type: "invalid_request_error", message: "something is off" }
  const { clock, asked, summaries, finish } = await running([{ error }])
  await until(() => clock.sleeping === 1)
  clock.pass()
  await until(() => asked() === 3 && clock.sleeping === 1)
  const all = await finish()
  expect(summaries()).toEqual([])
  expect(payloadsOf(all, "agent:ended")).toMatchObject([{ status: "completed", report: "The report." }])
  expect(JSON.stringify(log.mock.calls)).toContain("could not be summarized")
  log.mockRestore()
})

it("does not delay an agent that ends first, and sends nothing once it has ended", async () => {
  const { clock, asked, summaries, finish } = await running([{ ...textAnswer("Too late"), hold: { gate: "for-good" } }])
  await until(() => clock.sleeping === 1)
  clock.pass()
  await until(() => asked() === 3)
  const all = await finish()
  expect(summaries()).toEqual([])
  expect(clock.sleeping).toBe(0)
  expect(payloadsOf(all, "agent:ended")).toMatchObject([{ report: "The report." }])
})

it("makes no request without the option", async () => {
  const { agentProgressSummaries: _, ...off } = OPTIONS
  const quiet = await running([textAnswer("Never")], { options: off })
  expect(quiet.clock.sleeping).toBe(0)
  await quiet.finish()
  expect(quiet.asked()).toBe(2)
})

it("can be enabled by a client's initialize", async () => {
  const { client, session } = await kit.connected({}, BYPASS)
  expect(await client.request("initialize", { agentProgressSummaries: true })).toMatchObject({ subtype: "success" })
  expect(session.record.options.agentProgressSummaries).toBe(true)
})

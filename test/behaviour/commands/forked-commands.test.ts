// Commands that run as a subagent: the agent's report is the answer, and the conversation contains it from the next prompt on.
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import {
  BYPASS,
  DONE,
  hooksOf,
  loop,
  namesOf,
  payloadsOf,
  resultOf,
  textOf,
  until,
} from "../../support/session/loop.ts"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import type { HookTable } from "../../support/session/session-client.ts"

const setting = loop()

const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper.", tools: ["Bash"] } }
const REPORT = { content: [text("The report.")] }
const bash = (command: string) => call("Bash", { command, description: "d" })

interface Setting extends Omit<SessionOptions, "hooks"> {
  readonly hooks?: HookTable
}

const forking = async (template = "[[script:$1]] do $2", { hooks = {}, ...more }: Setting = {}) => {
  const commands = [{ name: "do", template, agent: "helper", model: "haiku" }]
  const opened = await setting.connected(hooks, { ...BYPASS, agents: AGENTS, commands, ...more })
  return { ...opened, events: () => eventsOf(opened.log) }
}

it("the agent receives the template, its report is the answer, and the next prompt adds both to the conversation", async () => {
  const { session, idle, events } = await forking()
  const sub = setting.scripted([{ content: [bash("echo inner")] }, REPORT])
  const main = setting.scripted([DONE])
  const turn = prompt(session, `/do ${sub} this`)
  await idle()
  const next = prompt(session, promptFor(main))
  await idle()
  expect(problemsOf(events(), [turn, next])).toEqual([])
  const [begun] = setting.messagesSent(sub)
  expect(textOf(begun?.at(-1))).toBe(`[[script:${sub}]] do this`)
  const asked = setting.api.log.filter(({ script }) => script === sub)
  expect(asked.map(({ body }) => body.model)).toEqual([
    expect.stringContaining("haiku"),
    expect.stringContaining("haiku"),
  ])
  expect(JSON.stringify(asked[0]?.body)).toContain("You are a helper.")
  const [result, other] = payloadsOf(events(), "sdk:result/success")
  expect(result).toMatchObject({ result: "The report.", num_turns: 0, local_command: "custom" })
  const costs = payloadsOf(events(), "call:finished").map(({ usd }) => Number(usd))
  expect(costs).toHaveLength(3)
  expect(other?.["total_cost_usd"]).toBeCloseTo(
    costs.reduce((sum, usd) => sum + usd, 0),
    10,
  )
  expect(textOf(setting.messagesSent(main)[0]?.[0])).toMatch(
    /local-command-caveat.*\/do \S+ this.*<local-command-stdout>The report\.<\/local-command-stdout>.*\[\[script/s,
  )
})

it("clients are sent the same messages as by the official SDK", async () => {
  const { session, idle, events } = await forking()
  const sub = setting.scripted([{ content: [bash("echo inner")] }, REPORT])
  prompt(session, `/do ${sub} this`)
  await idle()
  const [started] = payloadsOf(events(), "sdk:system/task_started")
  expect(started).toMatchObject({ description: "/do", subagent_type: "helper", skip_transcript: true, ambient: true })
  expect(started).not.toHaveProperty("tool_use_id")
  expect(namesOf(events())).not.toContain("sdk:system/task_updated")
  expect(payloadsOf(events(), "sdk:system/task_notification")).toEqual([
    expect.objectContaining({ status: "completed", summary: "/do", ambient: true }),
  ])
  const inner = events().filter((event) => event.parent_tool_use_id !== null && event.name.startsWith("sdk:"))
  expect([...new Set(inner.map((event) => event.parent_tool_use_id))]).toEqual(["forked-command-do"])
  const answer = payloadsOf(events(), "sdk:assistant").at(-1)
  expect(answer).toMatchObject({ local_command_source: "<local-command-stdout>The report.</local-command-stdout>" })
  expect(hooksOf(events()).filter((name) => name.startsWith("Subagent") || name === "Stop")).toEqual([
    "SubagentStart",
    "SubagentStop",
    "Stop",
  ])
})

it("scripts run first, and their output is in the agent's prompt", async () => {
  const { session, idle } = await forking("[[script:$1]] has !`echo printed`")
  const sub = setting.scripted([REPORT])
  prompt(session, `/do ${sub}`)
  await idle()
  expect(textOf(setting.messagesSent(sub)[0]?.at(-1))).toBe(`[[script:${sub}]] has printed`)
})

it("the error of an agent that fails is the answer", async () => {
  const { session, idle, events } = await forking()
  const sub = setting.scripted([{ error: { status: 400, type: "invalid_request_error", message: "bad" } }])
  const turn = prompt(session, `/do ${sub}`)
  await idle()
  expect(problemsOf(events(), [turn])).toEqual([])
  expect(resultOf(events())).toMatchObject({ is_error: false, result: expect.stringContaining("bad") })
})

it("a Stop hook that blocks the answer continues the turn with the conversation's own model", async () => {
  const main = setting.scripted([DONE])
  let blocked = false
  const { session, idle, events } = await forking(undefined, {
    hooks: {
      Stop: () => {
        if (blocked) return {}
        blocked = true
        return { decision: "block", reason: promptFor(main) }
      },
    },
  })
  const sub = setting.scripted([REPORT])
  prompt(session, `/do ${sub}`)
  await idle()
  expect(resultOf(events())).toMatchObject({ result: "Done." })
  expect(setting.messagesSent(main)).toHaveLength(1)
})

it("a crash inside the agent continues with the same agent", async () => {
  const commands = [{ name: "do", template: "[[script:$1]]", agent: "helper" }]
  const harness = setting.harnessOf({ agents: AGENTS, commands })
  const booted = harness.boot()
  const sub = setting.scripted([{ content: [bash("touch made")] }, REPORT])
  const turn = prompt(booted.session, `/do ${sub}`)
  await until(() => booted.session.askStore.open.length === 1)
  harness.crash()
  const next = harness.boot()
  const [ask] = next.session.askStore.open
  expect(ask?.ask).toMatchObject({ tool_name: "Bash" })
  expect(next.session.asks.answer(String(ask?.requestId), { behavior: "allow" })).toBeUndefined()
  await next.idle()
  const all = eventsOf(next.log)
  expect(problemsOf(all, [turn])).toEqual([])
  expect(payloadsOf(all, "agent:started")).toHaveLength(1)
  expect(resultOf(all)).toMatchObject({ result: "The report.", local_command: "custom" })
  expect(next.workspace.exists("/workspace/made")).toBe(true)
})

it("an interrupt ends the agent and the turn", async () => {
  const { session, idle, events, client } = await forking()
  const sub = setting.scripted([{ hold: {}, content: [text("never")] }])
  prompt(session, `/do ${sub}`)
  await until(() => setting.messagesSent(sub).length === 1)
  void client.request("interrupt")
  await idle()
  expect(resultOf(events())).toMatchObject({ subtype: "error_during_execution" })
  expect(payloadsOf(events(), "agent:ended")).toEqual([expect.objectContaining({ status: "stopped" })])
})

it.each([
  ["agent: helper", "helper"],
  ["context: fork\nagent: helper", "helper"],
  ["context: fork", "general-purpose"],
])("a file with %j runs as %s", async (field, type) => {
  const { session, idle, events, workspace } = await forking()
  const sub = setting.scripted([REPORT])
  workspace.writeBytes("/workspace/.claude/commands/fk.md", `---\n${field}\n---\n[[script:$1]] go`)
  prompt(session, `/fk ${sub}`)
  await idle()
  expect(payloadsOf(events(), "agent:started")).toEqual([expect.objectContaining({ agent_type: type, depth: 1 })])
  expect(resultOf(events())).toMatchObject({ result: "The report." })
})

it.each([
  ["UserPromptExpansion", ["UserPromptExpansion"]],
  ["UserPromptSubmit", ["UserPromptExpansion", "UserPromptSubmit"]],
])("hooks of its expansion are called before those of its prompt, and %s hooks can block it", async (by, called) => {
  const { session, idle, events, client } = await forking(undefined, {
    hooks: { UserPromptSubmit: {}, UserPromptExpansion: {}, [by]: { decision: "block", reason: "not now" } },
  })
  const sub = setting.scripted([REPORT])
  const turn = prompt(session, `/do ${sub} this`)
  await idle()
  expect(problemsOf(events(), [turn])).toEqual([])
  expect(client.called.map(({ input }) => input["hook_event_name"])).toEqual(called)
  expect(resultOf(events())).toMatchObject({ num_turns: 0, result: expect.stringContaining("not now") })
  expect(setting.messagesSent(sub)).toEqual([])
})

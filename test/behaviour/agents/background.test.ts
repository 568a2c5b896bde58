// Subagents that continue after their call: what clients are sent, how their end reaches the model, and what remains after a
// crash.
import { describe, expect, it } from "vitest"
import { BYPASS, DONE, loop, namesOf, payloadsOf, resultOf, textOf, until } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import type { HookTable } from "../../support/session/session-client.ts"

const { connected, finish, harnessOf, messagesSent, scripted, start } = loop()

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const bash = (command: string) => call("Bash", { command, description: "d" })
const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper." } }
const OPTIONS = { ...BYPASS, agents: AGENTS }
const launch = (name: string, more: object = {}) =>
  call("Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: promptFor(name),
    run_in_background: true,
    ...more,
  })

type Events = Parameters<typeof payloadsOf>[0]

const results = (events: Events) => payloadsOf(events, "sdk:result/success").map(({ result }) => result)

/** The texts in the user messages of agents, as clients get them. */
const textsOfAgents = (events: Events) =>
  events.flatMap((event) => {
    if (event.name !== "sdk:user" || event.parent_tool_use_id === null) return []
    const { content } = event.payload.message
    return typeof content === "string" ? [content] : content.flatMap((block) => ("text" in block ? [block.text] : []))
  })

const expectPaid = (events: Events) => {
  const costs = payloadsOf(events, "call:finished").map(({ usd }) => Number(usd))
  expect(resultOf(events)["total_cost_usd"]).toBeCloseTo(
    costs.reduce((sum, usd) => sum + usd, 0),
    10,
  )
}

it("returns at once, and its report arrives in a separate turn", async () => {
  const sub = scripted([{ content: [text("Looking."), bash("echo x > made")] }, textAnswer("The report.")])
  const { events, sent, idle, turn, workspace, background } = await start(
    [calls(launch(sub)), textAnswer("Launched."), textAnswer("I have it.")],
    {},
    OPTIONS,
  )
  await until(() => results(events()).length === 2)
  await idle()
  const all = events()
  expect(problemsOf(all, [...new Set(all.flatMap((event) => event.turn ?? []))])).toEqual([])
  expect(results(all)).toEqual(["Launched.", "I have it."])
  expect(background.running()).toEqual([])
  const [started] = payloadsOf(all, "sdk:system/task_started")
  const id = String(started?.["task_id"])
  expect(started).toMatchObject({ is_backgrounded: true, task_type: "local_agent", spawn_depth: 1 })
  expect(payloadsOf(all, "sdk:system/background_tasks_changed").map(({ tasks }) => tasks)).toEqual([
    [expect.objectContaining({ task_id: id, task_type: "local_agent", subagent_type: "helper" })],
    [],
  ])
  const inside = all.filter((event) => event.parent_tool_use_id !== null && event.name === "sdk:assistant")
  expect(inside.map(({ turn: of }) => of)).toEqual([null, null, null])
  const [notified] = payloadsOf(all, "sdk:system/task_notification")
  expect(notified).toMatchObject({ task_id: id, status: "completed", summary: "The report." })
  expect(workspace.readText(String(notified?.["output_file"]))).toBe("The report.")
  expect(workspace.readText("/workspace/made")).toBe("x\n")
  expect(textOf(sent().at(-1)?.at(-1))).toMatch(/<status>completed<\/status>.*<result>The report\.<\/result>/s)
  expect(payloadsOf(all, "sdk:result/success")[1]).toMatchObject({ origin: { kind: "task-notification" } })
  expect(turn).toBe(all.find(({ name }) => name === "agent:started")?.turn)
  expectPaid(all)
})

describe("with the budget used up", () => {
  const dear = { usage: { input_tokens: 1_000_000 } }
  const limited = { ...OPTIONS, maxBudgetUsd: 0.1 }
  const ended = async (sub: Parameters<typeof scripted>[0], hooks: HookTable = {}) => {
    const { events, idle } = await start([calls(launch(scripted(sub))), textAnswer("Launched.")], hooks, limited)
    await until(() => namesOf(events()).includes("sdk:system/task_notification"))
    await idle()
    return payloadsOf(events(), "sdk:system/task_notification")[0]
  }

  it("completes with the answer that exceeded it", async () => {
    expect(await ended([calls(bash("echo x")), { ...textAnswer("The report."), ...dear }])).toMatchObject({
      status: "completed",
      summary: "The report.",
    })
  })

  it("fails before a call of that answer runs, and when a hook wants a further answer", async () => {
    const last = { ...textAnswer("The report."), ...dear }
    expect(await ended([{ ...calls(bash("echo x")), ...dear }, textAnswer("No.")])).toMatchObject({ status: "failed" })
    const blocked = { SubagentStop: { decision: "block", reason: "More." } }
    expect(await ended([last, textAnswer("No.")], blocked)).toMatchObject({ status: "failed" })
  })
})

it("opens asks outside of any turn, and continues with the answer", async () => {
  const sub = scripted([calls(bash("touch zz")), textAnswer("The report.")])
  const harness = harnessOf({ agents: AGENTS })
  const booted = harness.boot()
  const script = scripted([calls(launch(sub)), textAnswer("Launched."), textAnswer("I have it.")])
  prompt(booted.session, promptFor(script))
  await until(() => booted.session.askStore.open.length === 1 && results(eventsOf(booted.log)).length === 1)
  expect(booted.session.state).toBe("requires_action")
  harness.crash()
  const next = harness.boot()
  const [ask] = next.session.askStore.open
  expect(ask?.ask).toMatchObject({ tool_name: "Bash", detached: true })
  expect(next.session.asks.answer(String(ask?.requestId), { behavior: "allow" })).toBeUndefined()
  await until(() => results(eventsOf(next.log)).length === 2)
  expect(next.workspace.exists("/workspace/zz")).toBe(true)
  expectPaid(eventsOf(next.log))
})

it("is stopped by a client: its open call gets a result, and a turn starts in which the model is informed", async () => {
  const sub = scripted([calls(bash("sleep 30")), textAnswer("Never.")])
  const { session, client, log, background, idle } = await connected({}, OPTIONS)
  const main = scripted([calls(launch(sub)), textAnswer("Launched."), textAnswer("Noticed.")])
  prompt(session, promptFor(main))
  await until(() => messagesSent(sub).length === 1 && results(eventsOf(log)).length === 1)
  await until(() => namesOf(eventsOf(log)).includes("sdk:system/task_progress"))
  const [task] = background.running()
  expect(await client.request("stop_task", { task_id: task?.task_id })).toMatchObject({ subtype: "success" })
  await idle()
  const all = eventsOf(log)
  expect(payloadsOf(all, "agent:ended")).toMatchObject([{ status: "stopped" }])
  expect(payloadsOf(all, "sdk:system/task_notification")).toMatchObject([{ status: "stopped", summary: "help me" }])
  expect(results(all)).toEqual(["Launched.", "Noticed."])
  expect(payloadsOf(all, "sdk:result/success").at(-1)).toMatchObject({ origin: { kind: "task-notification" } })
  expect(JSON.stringify(messagesSent(main).at(-1))).toContain("was stopped by a client")
  expect(textsOfAgents(all)).toEqual(["[Request interrupted by user for tool use]"])
  expect(background.running()).toEqual([])
})

it("clients get no partial answer of one that is stopped, but a message that marks the interruption", async () => {
  const sub = scripted([{ ...textAnswer("A text in many pieces."), chunk: 3, hold: { after: 4 } }])
  const { client, log, background, idle, session } = await connected({}, OPTIONS)
  prompt(session, promptFor(scripted([calls(launch(sub)), textAnswer("Launched."), textAnswer("Noticed.")])))
  await until(() => messagesSent(sub).length === 1 && results(eventsOf(log)).length === 1)
  await client.request("stop_task", { task_id: background.running()[0]?.task_id })
  await idle()
  const all = eventsOf(log)
  expect(textsOfAgents(all)).toEqual(["[Request interrupted by user]"])
  expect(all.filter(({ name, parent_tool_use_id: of }) => of !== null && name === "sdk:assistant")).toEqual([])
})

it("the model that stops one is notified of it as of the end of a task", async () => {
  const sub = scripted([{ ...textAnswer("Never."), hold: {} }])
  const { session, log, background, idle } = await connected({}, OPTIONS)
  prompt(session, promptFor(scripted([calls(launch(sub)), textAnswer("Launched.")])))
  await until(() => messagesSent(sub).length === 1 && results(eventsOf(log)).length === 1)
  const stopping = scripted([calls(call("TaskStop", { task_id: background.running()[0]?.task_id })), DONE])
  prompt(session, promptFor(stopping))
  await idle()
  const all = eventsOf(log)
  expect(results(all)).toEqual(["Launched.", "Done."])
  expect(JSON.stringify(messagesSent(stopping).at(-1))).toContain("was stopped by this conversation")
  expect(payloadsOf(all, "sdk:system/task_notification")).toMatchObject([{ status: "stopped" }])
  expect(textsOfAgents(all)).toEqual(["[Request interrupted by user]"])
})

it("is also an agent in the results of TaskOutput and TaskStop", async () => {
  const sub = scripted([calls(bash("sleep 30")), textAnswer("Never.")])
  const { session, log, background, idle } = await connected({}, OPTIONS)
  prompt(session, promptFor(scripted([calls(launch(sub)), textAnswer("Launched.")])))
  await until(() => messagesSent(sub).length === 1 && results(eventsOf(log)).length === 1)
  const task_id = background.running()[0]?.task_id
  const look = call("TaskOutput", { task_id, block: false })
  prompt(session, promptFor(scripted([calls(look), calls(call("TaskStop", { task_id })), calls(look), DONE])))
  await idle()
  const outputs = payloadsOf(eventsOf(log), "sdk:user").flatMap((message) =>
    typeof message["tool_use_result"] === "object" ? [message["tool_use_result"]] : [],
  )
  expect(outputs).toMatchObject([
    { status: "async_launched" },
    { task: { task_type: "local_agent", status: "running", description: "help me" } },
    { message: `The task ${task_id} was stopped (help me)`, task_type: "local_agent", command: "help me" },
    { task: { task_type: "local_agent", status: "stopped" } },
  ])
})

it("continues after a crash, whatever transaction its process dies after, and reports once", async () => {
  for (let dieAfter = 1; ; dieAfter += 3) {
    const harness = harnessOf(OPTIONS)
    const inner = scripted([calls(bash("echo deep > deep.txt")), textAnswer("Deep.")])
    const sub = scripted([
      calls(call("Agent", { description: "inner", subagent_type: "helper", prompt: promptFor(inner) })),
      textAnswer("The report."),
    ])
    const script = scripted([calls(launch(sub)), textAnswer("Launched."), textAnswer("I have it."), DONE])
    const first = harness.boot()
    prompt(first.session, promptFor(script))
    harness.transactions = 0
    harness.dieAfter = dieAfter
    await until(() => harness.transactions >= dieAfter || results(eventsOf(first.log)).length === 2)
    const died = harness.transactions >= dieAfter
    harness.crash()
    const next = harness.boot()
    const ended = () => eventsOf(next.log).filter(({ name }) => name === "agent:ended").length === 2
    await until(() => ended() && next.session.inbox.head() === undefined)
    const all = eventsOf(next.log)
    expect(payloadsOf(all, "agent:started")).toHaveLength(2)
    expect(payloadsOf(all, "sdk:system/task_notification")).toHaveLength(2)
    expect(next.workspace.readText("/workspace/deep.txt")).toBe("deep\n")
    expect(next.background.running()).toEqual([])
    expectPaid(all)
    await harness.dispose()
    if (!died) break
  }
})

it("is the default for a call if a client of the control protocol sent the prompt", async () => {
  const sub = scripted([textAnswer("The report.")])
  const { session, client, log } = await connected({}, OPTIONS)
  const use = call("Agent", { description: "d", subagent_type: "helper", prompt: promptFor(sub) })
  const script = scripted([calls(use), textAnswer("Launched."), textAnswer("I have it.")])
  client.send({ type: "user", message: { role: "user", content: promptFor(script) }, parent_tool_use_id: null })
  await until(() => results(eventsOf(log)).length === 2)
  expect(payloadsOf(eventsOf(log), "agent:started")).toMatchObject([{ background: true }])
  expect(session.background.running()).toEqual([])
})

it("is where an agent runs whose definition says so, whatever its call says", async () => {
  const sub = scripted([textAnswer("The report.")])
  const helper = { description: "Helps", prompt: "You help.", background: true }
  const { session, log } = await connected({}, { ...OPTIONS, agents: { helper } })
  prompt(
    session,
    promptFor(scripted([calls(launch(sub, { run_in_background: false })), textAnswer("Launched."), DONE])),
  )
  await until(() => results(eventsOf(log)).length === 2)
  expect(payloadsOf(eventsOf(log), "agent:started")).toMatchObject([{ background: true }])
})

it("can be resumed by its id with what it knows, once it has ended", async () => {
  const sub = scripted([textAnswer("First report.")])
  const more = scripted([textAnswer("Second report.")])
  const first = launch(sub, { run_in_background: false, name: "bob" })
  const again = { description: "more", prompt: promptFor(more), run_in_background: false }
  const { events, idle } = await start(
    [
      calls(first),
      calls(call("Agent", { ...again, resume: "bob" })),
      calls(call("Agent", { ...again, resume: "nobody" })),
      DONE,
    ],
    {},
    OPTIONS,
  )
  await idle()
  const all = events()
  const [one, two] = payloadsOf(all, "agent:started")
  expect(two).toMatchObject({ agent_id: one?.["agent_id"], thread: first.id })
  expect(messagesSent(more)).toMatchObject([[{ role: "user" }, { role: "assistant" }, { role: "user" }]])
  expect(payloadsOf(all, "agent:ended").map(({ report }) => report)).toEqual(["First report.", "Second report."])
  expect(JSON.stringify(payloadsOf(all, "sdk:user").at(-1))).toContain('no agent \\"nobody\\"')
  expectPaid(all)
})

it("is stopped by an interrupt of the session, also between turns", async () => {
  const sub = scripted([calls(bash("touch zz")), textAnswer("Never.")])
  const harness = harnessOf({ agents: AGENTS })
  const booted = harness.boot()
  const client = harness.connect()
  await client.initialize({})
  prompt(booted.session, promptFor(scripted([calls(launch(sub)), textAnswer("Launched."), textAnswer("Seen.")])))
  await until(() => results(eventsOf(booted.log)).length === 1 && booted.session.askStore.open.length === 1)
  await client.request("interrupt", {})
  await until(() => booted.session.background.running().length === 0)
  await booted.idle()
  const all = eventsOf(booted.log)
  expect(payloadsOf(all, "sdk:system/task_notification")).toMatchObject([{ status: "stopped" }])
  expect(results(all)).toEqual(["Launched."])
  expect(booted.session.askStore.open).toEqual([])
})

it("agents that start in parallel list each other", async () => {
  const [one, two] = [scripted([textAnswer("One.")]), scripted([textAnswer("Two.")])]
  const both = Promise.withResolvers<Record<string, unknown>>()
  let starting = 0
  const hold = {
    SubagentStart: () => {
      starting += 1
      if (starting === 2) both.resolve({})
      return both.promise
    },
  }
  const { events, idle } = await start(
    [calls(launch(one), launch(two)), textAnswer("Launched."), DONE, DONE],
    hold,
    OPTIONS,
  )
  await until(() => payloadsOf(events(), "agent:ended").length === 2)
  await idle()
  const listed = payloadsOf(events(), "sdk:system/background_tasks_changed").map(({ tasks }) => tasks)
  expect(listed.map((tasks) => (Array.isArray(tasks) ? tasks.length : null))).toEqual([1, 2, 1, 0])
})

it("starts after its call's result, however long the call's PostToolUse hooks take", async () => {
  const sub = scripted([textAnswer("The report.")])
  const held = Promise.withResolvers<Record<string, unknown>>()
  const slow = { PostToolUse: () => held.promise }
  const { client, events, idle } = await start([calls(launch(sub)), textAnswer("Launched."), DONE], slow, OPTIONS)
  await until(() => client.called.some(({ callbackId }) => callbackId === "PostToolUse"))
  // Meanwhile another session runs a whole turn.
  await finish([DONE])
  expect(messagesSent(sub)).toEqual([])
  held.resolve({})
  await until(() => payloadsOf(events(), "agent:ended").length === 1)
  await idle()
  const shown = events().filter(
    ({ name, parent_tool_use_id: parent }) => name === "sdk:user" || (name === "sdk:assistant" && parent !== null),
  )
  const result = shown.findIndex(
    (event) => event.parent_tool_use_id === null && JSON.stringify(event).includes("tool_result"),
  )
  const first = shown.findIndex((event) => event.name === "sdk:assistant")
  expect(result).toBeGreaterThan(-1)
  expect(first).toBeGreaterThan(result)
})

it("counts as running for the hooks of another agent, although its call has no result yet", async () => {
  const [behind, front] = [scripted([textAnswer("The report.")]), scripted([textAnswer("Front.")])]
  const held = Promise.withResolvers<Record<string, unknown>>()
  const listed: Array<unknown> = []
  const background = launch(behind)
  const hooks: HookTable = {
    PostToolUse: ({ tool_use_id: id }) => (id === background.id ? held.promise : {}),
    SubagentStop: ({ background_tasks: tasks }) => {
      listed.push(tasks)
      held.resolve({})
      return {}
    },
  }
  const foreground = launch(front, { run_in_background: false })
  const { events, idle } = await start([calls(background, foreground), textAnswer("Launched."), DONE], hooks, OPTIONS)
  await until(() => payloadsOf(events(), "agent:ended").length === 2)
  await idle()
  expect(listed[0]).toMatchObject([{ type: "subagent", status: "running", agent_type: "helper" }])
})

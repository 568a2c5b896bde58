// The control request stop_task for subagents that their turn waits for.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { DONE, loop, payloadsOf, toolResultsOf, type Turns, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const loops = loop()
const { harnessOf, messagesSent, scripted, start } = loops

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const bash = (command: string) => call("Bash", { command, description: "d" })
const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper." } }
const delegate = (name: string) =>
  call("Agent", { description: "help me", subagent_type: "helper", prompt: promptFor(name), run_in_background: false })

type Events = Parameters<typeof payloadsOf>[0]

const idOf = (events: Events) => payloadsOf(events, "agent:started").at(-1)?.agent_id
const results = (events: Events) => payloadsOf(events, "sdk:result/success").map(({ result }) => result)
/** What clients see from the end of an agent on. */
const endingOf = (events: Events) =>
  events
    .slice(events.findIndex(({ name }) => name === "sdk:system/task_updated"))
    .flatMap(({ name, parent_tool_use_id: parent }) =>
      name.startsWith("sdk:") ? [`${parent === null ? "" : "in "}${name}`] : [],
    )

it("an agent with a pending request ends at once, and its call with an error", async () => {
  const sub = scripted([calls(bash("echo a")), { ...textAnswer("Never."), hold: {} }])
  const use = delegate(sub)
  const { client, events, idle } = await start(
    [calls(use), DONE],
    {},
    { permissionMode: "bypassPermissions", agents: AGENTS },
  )
  await until(() => messagesSent(sub).length === 2)
  expect(await client.request("stop_task", { task_id: idOf(events()) })).toMatchObject({ subtype: "success" })
  await idle()
  const all = events()
  expect(payloadsOf(all, "agent:ended")).toMatchObject([{ status: "stopped" }])
  expect(toolResultsOf(all).filter(({ tool_use_id: id }) => id === use.id)).toMatchObject([{ is_error: true }])
  expect(results(all)).toEqual(["Done."])
  expect(endingOf(all).slice(0, 3)).toEqual(["sdk:system/task_updated", "sdk:system/task_notification", "sdk:user"])
})

it("what an agent asks is withdrawn when it is stopped, and the result of its call follows its end", async () => {
  const sub = scripted([calls(bash("touch made")), textAnswer("Never.")])
  const { client, events, idle, sent } = await start(
    [calls(delegate(sub)), DONE],
    {},
    { permission_prompts: "ask", agents: AGENTS },
  )
  await until(() => payloadsOf(events(), "ask:opened").length === 1)
  await client.request("stop_task", { task_id: idOf(events()) })
  await idle()
  const all = events()
  expect(payloadsOf(all, "ask:settled")).toMatchObject([{ by: "interrupt" }])
  expect(results(all)).toEqual(["Done."])
  expect(endingOf(all).slice(0, 4)).toEqual([
    "sdk:system/task_updated",
    "sdk:system/task_notification",
    "in sdk:user",
    "sdk:user",
  ])
  expect(JSON.stringify(sent().at(-1))).toContain("is_error")
})

it("an agent that a stopped agent started ends before it", async () => {
  const inner = scripted([calls(bash("sleep 30")), textAnswer("Never.")])
  const sub = scripted([calls(delegate(inner)), textAnswer("Never.")])
  const { client, events, idle } = await start(
    [calls(delegate(sub)), DONE],
    {},
    { permissionMode: "bypassPermissions", agents: AGENTS },
  )
  await until(() => payloadsOf(events(), "sdk:system/task_progress").length === 2)
  const [{ agent_id: outer } = {}, { agent_id: below } = {}] = payloadsOf(events(), "agent:started")
  await client.request("stop_task", { task_id: outer })
  await idle()
  expect(payloadsOf(events(), "agent:ended")).toMatchObject([
    { agent_id: below, status: "stopped" },
    { agent_id: outer, status: "stopped" },
  ])
  expect(results(events())).toEqual(["Done."])
})

describe("an agent whose turn has stopped running to wait for an answer", () => {
  /** The agents' turn, parked on what they ask; the client connects afterwards. */
  const parked = async (turns: Turns) => {
    const harness = harnessOf({ permission_prompts: "ask", agents: AGENTS })
    const { session, log, idle } = harness.boot()
    prompt(session, promptFor(scripted(turns)))
    await idle()
    const client = harness.connect()
    await client.initialize()
    return { session, client, idle, events: () => eventsOf(log) }
  }

  it("ends when it is stopped, and its turn continues", async () => {
    const sub = scripted([calls(bash("touch made")), textAnswer("Never.")])
    const use = delegate(sub)
    const { client, events, idle, session } = await parked([calls(use), DONE])
    await client.request("stop_task", { task_id: idOf(events()) })
    await idle()
    expect(payloadsOf(events(), "ask:settled")).toMatchObject([{ by: "interrupt" }])
    expect(payloadsOf(events(), "agent:ended")).toMatchObject([{ status: "stopped" }])
    expect(toolResultsOf(events()).filter(({ tool_use_id: id }) => id === use.id)).toMatchObject([{ is_error: true }])
    expect(results(events())).toEqual(["Done."])
    expect(session.asks.parkedEntry()).toBeUndefined()
  })

  it("leaves what another agent asks open", async () => {
    const [one, other] = ["touch one", "touch other"].map((command) =>
      scripted([calls(bash(command)), textAnswer("Made.")]),
    )
    const { client, events, idle, session } = await parked([calls(delegate(one ?? ""), delegate(other ?? "")), DONE])
    const [first] = session.askStore.open
    await client.request("stop_task", { task_id: first?.ask.agent_id })
    const [left, ...more] = session.askStore.open
    expect([left?.ask.input, ...more]).toMatchObject([{ command: "touch other" }])
    expect(session.asks.answer(left?.requestId ?? "", { behavior: "allow" })).toBeUndefined()
    await idle()
    expect(payloadsOf(events(), "agent:ended")).toMatchObject([{ status: "stopped" }, { status: "completed" }])
    expect(results(events())).toEqual(["Done."])
  })

  it.each([
    { title: "ends with the agents that it started", stops: "outer", outerEnds: "stopped" },
    { title: "ends without the agent that started it, which continues", stops: "inner", outerEnds: "completed" },
  ])("$title", async ({ stops, outerEnds }) => {
    const inner = scripted([calls(bash("touch made")), textAnswer("Never.")])
    const sub = scripted([calls(delegate(inner)), textAnswer("Without it.")])
    const { client, events, idle } = await parked([calls(delegate(sub)), DONE])
    const [{ agent_id: outer } = {}, { agent_id: below } = {}] = payloadsOf(events(), "agent:started")
    await client.request("stop_task", { task_id: stops === "outer" ? outer : below })
    await idle()
    expect(payloadsOf(events(), "agent:ended")).toMatchObject([
      { agent_id: below, status: "stopped" },
      { agent_id: outer, status: outerEnds },
    ])
    expect(results(events())).toEqual(["Done."])
  })
})

describe("an agent that executes a command or a skill", () => {
  const FORKED = {
    permissionMode: "bypassPermissions",
    agents: AGENTS,
    commands: [{ name: "do", template: "[[script:$1]] do it", agent: "helper" }],
  } as const
  const running = () => scripted([calls(bash("echo a")), { ...textAnswer("Never."), hold: {} }])

  it("ends when it is stopped; the command then has no answer, and the next prompt contains that it was interrupted", async () => {
    const sub = running()
    const { client, idle, log, session } = await loops.connected({}, FORKED)
    prompt(session, `/do ${sub}`)
    await until(() => messagesSent(sub).length === 2)
    await client.request("stop_task", { task_id: idOf(eventsOf(log)) })
    await idle()
    const all = eventsOf(log)
    expect(payloadsOf(all, "agent:ended")).toMatchObject([{ status: "stopped" }])
    expect(endingOf(all)).toEqual(expect.arrayContaining(["sdk:system/task_updated", "sdk:system/task_notification"]))
    expect(endingOf(all)).not.toContain("sdk:assistant")
    expect(payloadsOf(all, "sdk:result/success")).toMatchObject([{ result: "", is_error: false, num_turns: 0 }])

    const main = scripted([DONE])
    prompt(session, promptFor(main))
    await idle()
    const texts = messagesSent(main)[0]?.flatMap(({ content }) =>
      typeof content === "string" ? [content] : content.map(({ text }) => text),
    )
    expect(texts).toContain("[Request interrupted by user]")
    expect(JSON.stringify(texts)).not.toContain("local-command-stdout")
  })

  it("ends when it is stopped; the call of the skill then ends with an error, and the turn continues", async () => {
    const sub = running()
    const { client, idle, log, session, workspace } = await loops.connected(
      {},
      { ...FORKED, settingSources: ["project"] },
    )
    const skill = "---\ncontext: fork\nagent: helper\n---\n[[script:$0]] do it"
    workspace.writeBytes("/workspace/.claude/skills/one/SKILL.md", skill)
    const use = call("Skill", { skill: "one", args: sub })
    prompt(session, promptFor(scripted([calls(use), DONE])))
    await until(() => messagesSent(sub).length === 2)
    await client.request("stop_task", { task_id: idOf(eventsOf(log)) })
    await idle()
    const all = eventsOf(log)
    expect(payloadsOf(all, "agent:ended")).toMatchObject([{ status: "stopped" }])
    expect(toolResultsOf(all).filter(({ tool_use_id: id }) => id === use.id)).toMatchObject([{ is_error: true }])
    expect(endingOf(all).slice(0, 3)).toEqual(["sdk:system/task_updated", "sdk:system/task_notification", "sdk:user"])
    expect(results(all)).toEqual(["Done."])
  })
})

it("what waits for the answer to an ask of a stopped background agent goes on", async () => {
  const sub = scripted([calls(bash("touch made")), textAnswer("Never.")])
  const use = call("Agent", {
    description: "d",
    subagent_type: "helper",
    prompt: promptFor(sub),
    run_in_background: true,
  })
  const { client, events, idle, session } = await start(
    [calls(use), DONE, DONE],
    {},
    { permission_prompts: "ask", agents: AGENTS },
  )
  await until(() => session.askStore.open.length === 1)
  const [ask] = session.askStore.open
  const answered = Effect.runPromise(session.askStore.answerTo(ask?.requestId ?? ""))
  await client.request("stop_task", { task_id: idOf(events()) })
  expect(await answered).toMatchObject({ by: "interrupt" })
  await idle()
  expect(payloadsOf(events(), "agent:ended")).toMatchObject([{ status: "stopped" }])
})

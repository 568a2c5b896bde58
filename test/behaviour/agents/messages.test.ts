// SendMessage: messages for running agents, for ended ones, and for unknown ones.
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const loops = loop()
const { harnessOf, messagesSent, scripted, start } = loops

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const OPTIONS = { ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } }
const launch = (name: string, more: object = {}) =>
  call("Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: promptFor(name),
    run_in_background: true,
    name: "bob",
    ...more,
  })
const send = (message: string, to = "bob") => call("SendMessage", { to, message, summary: "more" })

type Events = Parameters<typeof payloadsOf>[0]

const results = (events: Events) => payloadsOf(events, "sdk:result/success").map(({ result }) => result)
const answersTo = (events: Events, id: string) =>
  toolResultsOf(events)
    .filter((block) => block.tool_use_id === id)
    .map((block) => JSON.parse(String((block.content as ReadonlyArray<{ text: string }>)[0]?.text)))

it.each<readonly [string, SessionOptions]>([
  ["deny", { settings: { permissions: { deny: ["Agent(helper)"] } } }],
  ["ask", { settings: { permissions: { ask: ["Agent(helper)"] } } }],
  ["opencode's deny", { permission: { task: { helper: "deny" } } }],
])("a rule for agents of a type (%s) also applies to what continues one of them", async (_, rules) => {
  const sub = scripted([textAnswer("First."), textAnswer("Second.")])
  const resume = call("Agent", { description: "d", prompt: "again", resume: "bob" })
  const { events, session, idle } = await start(
    [calls(launch(sub, { run_in_background: false })), DONE],
    {},
    { agents: OPTIONS.agents, permission_prompts: "deny" },
  )
  await idle()
  prompt(session, promptFor(scripted([calls(resume), calls(send("again")), DONE])), rules)
  await idle()
  const [, ...refused] = toolResultsOf(events())
  expect(refused.map(({ is_error: isError }) => isError)).toEqual([true, true])
  expect(payloadsOf(events(), "agent:started")).toHaveLength(1)
})

it("a message for an agent that has ended resumes it in the background with what it knows", async () => {
  const sub = scripted([textAnswer("First."), textAnswer("Second.")])
  const use = send("go on with it")
  const { events, idle } = await start(
    [calls(launch(sub, { run_in_background: false })), calls(use), textAnswer("Sent."), textAnswer("Seen.")],
    {},
    OPTIONS,
  )
  await until(() => results(events()).length === 2)
  await idle()
  const all = events()
  const [one, two] = payloadsOf(all, "agent:started")
  expect(two).toMatchObject({
    agent_id: one?.["agent_id"],
    tool_use_id: use.id,
    background: true,
    prompt: "go on with it",
  })
  expect(answersTo(all, use.id)).toMatchObject([{ success: true, resumedAgentId: one?.["agent_id"] }])
  expect(
    messagesSent(sub)
      .at(-1)
      ?.map(({ content }) => content.at(-1)?.text),
  ).toEqual([promptFor(sub), "First.", "go on with it"])
  expect(payloadsOf(all, "sdk:system/task_notification").map(({ tool_use_id: id, summary }) => [id, summary])).toEqual([
    [one?.["tool_use_id"], "First."],
    [use.id, "Second."],
  ])
  expect(results(all)).toEqual(["Sent.", "Seen."])
})

it("a message for a running agent reaches it after its next calls, once", async () => {
  const sub = scripted([
    { ...calls(call("Bash", { command: "echo a", description: "d" })), hold: {} },
    textAnswer("Report."),
  ])
  const use = send("also do this")
  const { events, idle } = await start(
    [calls(launch(sub)), calls(use), textAnswer("Sent."), textAnswer("Seen.")],
    {},
    OPTIONS,
  )
  await until(() => results(events()).length === 1)
  loops.api.release(`${sub}#0`)
  await until(() => results(events()).length === 2)
  await idle()
  expect(answersTo(events(), use.id)).toMatchObject([{ success: true, pin: { name: "bob" } }])
  const last = messagesSent(sub).at(-1) ?? []
  expect(last.at(-1)?.content.map(({ type }) => type)).toEqual(["tool_result", "text"])
  expect(last.at(-1)?.content.at(-1)?.text).toContain("\nalso do this\n")
  expect(payloadsOf(events(), "agent:started")).toHaveLength(1)
  // Clients are sent what the agent does, not its instructions.
  expect(
    JSON.stringify(payloadsOf(events(), "sdk:user").filter((one) => one["parent_tool_use_id"] !== null)),
  ).not.toContain("also do this")
})

it("a message that arrives too late for a run starts the next one, whatever transaction the process dies after", async () => {
  for (let dieAfter = 1; ; dieAfter += 4) {
    const harness = harnessOf(OPTIONS)
    const sub = scripted([{ ...textAnswer("First."), hold: {} }, textAnswer("Second.")])
    const script = scripted([calls(launch(sub)), calls(send("one more")), textAnswer("Sent."), DONE, DONE])
    const first = harness.boot()
    prompt(first.session, promptFor(script))
    harness.transactions = 0
    harness.dieAfter = dieAfter
    const over = (events: Events) => payloadsOf(events, "agent:ended").length === 2
    const isSent = (events: Events) => payloadsOf(events, "agent:messaged").length === 1
    await until(() => harness.transactions >= dieAfter || isSent(eventsOf(first.log)))
    loops.api.release(`${sub}#0`)
    await until(() => harness.transactions >= dieAfter || over(eventsOf(first.log)))
    const died = harness.transactions >= dieAfter
    harness.crash()
    const next = harness.boot()
    await until(() => over(eventsOf(next.log)) && next.session.inbox.head() === undefined)
    const all = eventsOf(next.log)
    expect(payloadsOf(all, "agent:started")).toHaveLength(2)
    expect(messagesSent(sub).at(-1)?.at(-1)?.content.at(-1)?.text).toContain("one more")
    expect(next.background.running()).toEqual([])
    await harness.dispose()
    if (!died) break
  }
})

it("a message for an unknown agent says so, and is no error", async () => {
  const use = send("hello", "nope")
  const { events, idle } = await start([calls(use), DONE], {}, OPTIONS)
  await idle()
  expect(answersTo(events(), use.id)).toMatchObject([{ success: false, message: expect.stringContaining("'nope'") }])
  expect(toolResultsOf(events())[0]?.is_error).toBeUndefined()
})

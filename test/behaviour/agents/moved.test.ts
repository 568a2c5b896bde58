// The control request background_tasks: subagents and commands that their turn waits for continue in the background.
import { expect, it } from "vitest"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"

const loops = loop()
const { messagesSent, scripted, start } = loops

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const bash = (command: string) => call("Bash", { command, description: "d" })
const HELPER = { description: "Helps.", prompt: "You are a helper." }
const OPTIONS = { ...BYPASS, agents: { helper: HELPER } }
const delegate = (name: string) =>
  call("Agent", { description: "help me", subagent_type: "helper", prompt: promptFor(name), run_in_background: false })

type Events = Parameters<typeof payloadsOf>[0]

const results = (events: Events) => payloadsOf(events, "sdk:result/success").map(({ result }) => result)
const asksFor = (script: string, step: number) => () =>
  loops.api.log.some((entry) => entry.script === script && entry.step === step)

it("an agent with a pending request moves to the background at once, and reports in a separate turn", async () => {
  const sub = scripted([calls(bash("echo a > made")), { ...textAnswer("The report."), hold: {} }])
  const use = delegate(sub)
  const { client, events, idle, workspace, background } = await start(
    [calls(use), textAnswer("Begun."), textAnswer("Seen.")],
    {},
    OPTIONS,
  )
  await until(asksFor(sub, 1))
  expect(await client.request("background_tasks", { tool_use_id: use.id })).toMatchObject({
    response: { backgrounded: true },
  })
  await until(() => results(events()).length === 1)
  loops.api.release(`${sub}#1`)
  await until(() => results(events()).length === 2)
  await idle()
  const all = events()
  expect(results(all)).toEqual(["Begun.", "Seen."])
  expect(toolResultsOf(all).filter((block) => block.tool_use_id === use.id)).toHaveLength(1)
  expect(payloadsOf(all, "sdk:system/task_updated").map(({ patch }) => patch)).toMatchObject([
    { is_backgrounded: true },
    { status: "completed" },
  ])
  expect(payloadsOf(all, "sdk:system/task_notification")).toMatchObject([
    { summary: "The report.", tool_use_id: use.id },
  ])
  expect(payloadsOf(all, "agent:started")).toHaveLength(1)
  expect(workspace.readText("/workspace/made")).toBe("a\n")
  // The command ran once, and the request that was aborted was made again.
  expect(messagesSent(sub).map((messages) => messages.length)).toEqual([1, 3, 3])
  expect(background.running()).toEqual([])
})

it("an agent that runs a call moves after the call, so that nothing is done twice", async () => {
  const sub = scripted([calls(bash("echo a >> made; sleep 0.3; echo b >> made")), textAnswer("The report.")])
  const { client, events, idle, workspace } = await start(
    [calls(delegate(sub)), textAnswer("Begun."), textAnswer("Seen.")],
    {},
    OPTIONS,
  )
  await until(() => payloadsOf(events(), "sdk:system/task_progress").length === 1)
  const answered = client.request("background_tasks")
  expect(await answered).toMatchObject({ response: { backgrounded: true } })
  await until(() => results(events()).length >= 1)
  await idle()
  await until(() => payloadsOf(events(), "agent:ended").length === 1)
  expect(workspace.readText("/workspace/made")).toBe("a\nb\n")
})

it("a command continues, and its changes are there when it has ended", async () => {
  const use = bash("sleep 0.4; echo late > made; echo printed")
  const { client, events, idle, workspace, background } = await start(
    [calls(use), textAnswer("Begun."), textAnswer("Seen.")],
    {},
    OPTIONS,
  )
  await until(() => background.foreground.leave(use.id))
  await until(() => results(events()).length === 2)
  await idle()
  expect(toolResultsOf(events())[0]?.content).toContain("The user moved the command to the background")
  expect(payloadsOf(events(), "sdk:user").flatMap(({ tool_use_result: output }) => output ?? [])).toMatchObject([
    { stdout: "", backgroundedByUser: true },
  ])
  expect(workspace.readText("/workspace/made")).toBe("late\n")
  expect(payloadsOf(events(), "sdk:system/task_notification")).toMatchObject([
    { status: "completed", tool_use_id: use.id },
  ])
  expect(await client.request("background_tasks", { tool_use_id: use.id })).toMatchObject({
    response: { backgrounded: false },
  })
})

it("a call that there is not is not moved", async () => {
  const { client, idle } = await start([DONE], {}, OPTIONS)
  await idle()
  expect(await client.request("background_tasks", { tool_use_id: "toolu_nope" })).toMatchObject({
    response: { backgrounded: false },
  })
  expect(await client.request("background_tasks")).toMatchObject({ response: { backgrounded: true } })
})

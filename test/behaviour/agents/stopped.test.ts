// The control request stop_task for subagents that their turn waits for.
import { expect, it } from "vitest"
import { DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"

const loops = loop()
const { messagesSent, scripted, start } = loops

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

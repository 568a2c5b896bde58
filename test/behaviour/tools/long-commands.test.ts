// Commands that their turn waits for and that take long: as the official SDK, clients are shown them as tasks in the foreground.
import { expect, it } from "vitest"
import { BYPASS, DONE, loop, namesOf, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { closedDoor } from "../../support/values/closed-door.ts"
import { holdTimers } from "../../support/values/held-timers.ts"

const { finish, scripted, start } = loop()

const NETWORK = { ...BYPASS, shell_network: true }

/** When a command has taken long; no other timer has it. */
const LONG_MS = 3_000
/** A time limit that is over this long after that. */
const REST_MS = 1_001

const bash = (command: string, more: object = {}) => call("Bash", { command, description: "d", ...more })
const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })

type Frames = Awaited<ReturnType<typeof start>>["client"]["frames"]

const tasksOf = (frames: Frames) =>
  frames.filter(({ subtype }) => subtype === "task_started" || subtype === "task_notification")
const idsOf = (frames: Frames) => tasksOf(frames).map(({ tool_use_id }) => tool_use_id)
const endsOf = (frames: Frames) =>
  frames.flatMap(({ type, subtype, status }) =>
    type === "result" || subtype === "task_notification" ? [String(status ?? type)] : type === "user" ? [type] : [],
  )

/** Runs the turns until their command has requested DOOR. */
const waiting = async (turns: Parameters<typeof start>[0]) => {
  const [timers, door] = [holdTimers(LONG_MS, REST_MS), await closedDoor()]
  const filled = JSON.parse(JSON.stringify(turns).replaceAll("DOOR", door.url)) // only data
  const session = await start(filled, {}, NETWORK)
  await until(() => door.waiting() === 1)
  return { ...session, timers, door }
}

it.each([
  ["echo a", {}, "d", "completed"],
  ["exit 3", { description: undefined }, expect.stringMatching(/^curl .*; exit 3$/), "failed"],
])(
  "a long command is shown with its end before its result, and nothing of it is stored: %s",
  async (last, more, description, status) => {
    const use = bash(`curl -s DOOR; ${last}`, more)
    const { client, door, events, idle, timers } = await waiting([calls(use), DONE])
    timers.fire(LONG_MS)
    door.open()
    await idle()
    const [started] = tasksOf(client.frames)
    const task = { task_id: started?.["task_id"], tool_use_id: use.id }
    expect(tasksOf(client.frames)).toMatchObject([
      { subtype: "task_started", ...task, description, is_backgrounded: false, task_type: "local_bash" },
      { subtype: "task_notification", ...task, status, output_file: "", summary: description },
    ])
    expect(endsOf(client.frames)).toEqual([status, "user", "result"])
    expect(namesOf(events()).filter((name) => name.startsWith("sdk:system/task"))).toEqual([])
  },
)

it("a quick command is not shown", async () => {
  holdTimers(LONG_MS)
  const { client } = await finish([calls(bash("echo a"), bash("sleep 0.05")), DONE], {}, BYPASS)
  expect(tasksOf(client.frames)).toEqual([])
})

it("a command that an interrupt stops is shown as stopped, before its result", async () => {
  const { client, idle, timers } = await waiting([calls(bash("curl -s DOOR")), DONE])
  timers.fire(LONG_MS)
  await until(() => tasksOf(client.frames).length === 1)
  await client.request("interrupt")
  await idle()
  expect(endsOf(client.frames)).toEqual(["stopped", "user", "user", "result"])
})

it("a command that a client stops ends with an error, and its changes are discarded", async () => {
  const { client, events, idle, timers, workspace } = await waiting([
    calls(bash("echo a; echo b > made; curl -s DOOR")),
    DONE,
  ])
  timers.fire(LONG_MS)
  await until(() => tasksOf(client.frames).length === 1)
  const [{ task_id: task, run_id } = {}] = tasksOf(client.frames)
  expect(await client.request("stop_task", { task_id: task })).toMatchObject({ subtype: "success" })
  await idle()
  expect(endsOf(client.frames)).toEqual(["stopped", "user", "result"])
  expect(client.frames.find(({ subtype }) => subtype === "task_updated")).toMatchObject({
    task_id: task,
    run_id,
    patch: { status: "killed" },
  })
  const [result] = toolResultsOf(events())
  expect(result).toMatchObject({
    is_error: true,
    content: expect.stringMatching(/^Exit code 137\na\nThe command was interrupted/),
  })
  expect(workspace.exists("/workspace/made")).toBe(false)
})

it("a command that is stopped at its time limit is shown as failed", async () => {
  const { client, idle, timers } = await waiting([
    calls(bash("sleep 0; curl -s DOOR", { timeout: LONG_MS + REST_MS })),
    DONE,
  ])
  timers.fire(LONG_MS)
  timers.fire(REST_MS)
  await idle()
  expect(endsOf(client.frames)).toEqual(["failed", "user", "result"])
})

it("a command that moves to the background keeps its task", async () => {
  const use = bash("curl -s DOOR")
  const { client, door, events, idle, timers } = await waiting([calls(use), DONE, DONE])
  timers.fire(LONG_MS)
  await client.request("background_tasks", { tool_use_id: use.id })
  await until(() => payloadsOf(events(), "sdk:result/success").length === 1)
  door.open()
  await until(() => payloadsOf(events(), "sdk:result/success").length === 2)
  await idle()
  const all = client.frames.filter((frame) => frame["task_id"] !== undefined)
  expect(all.map((frame) => frame["is_backgrounded"] ?? frame["patch"] ?? frame["status"])).toEqual([
    false,
    { is_backgrounded: true },
    { status: "completed", end_time: expect.any(Number) },
    "completed",
  ])
  expect(new Set(all.map((frame) => frame["task_id"])).size).toBe(1)
  expect(new Set(all.map((frame) => frame["run_id"])).size).toBe(1)
  expect(idsOf(client.frames)).toEqual([use.id, use.id])
})

it("a command of an agent is shown as a task of the agent, and a client can stop it", async () => {
  const [timers, door] = [holdTimers(LONG_MS), await closedDoor()]
  const use = bash(`curl -s ${door.url}`)
  const agents = { helper: { description: "Helps.", prompt: "You are a helper." } }
  const prompt = promptFor(scripted([calls(use), textAnswer("Report.")]))
  const delegate = { description: "help me", subagent_type: "helper", prompt, run_in_background: false }
  const { client, idle } = await start([calls(call("Agent", delegate)), DONE], {}, { ...NETWORK, agents })
  await until(() => door.waiting() === 1)
  timers.fire(LONG_MS)
  await until(() => tasksOf(client.frames).length === 2)
  const [agent, shown] = tasksOf(client.frames)
  const moved = await client.request("background_tasks", { tool_use_id: use.id })
  expect(moved).toMatchObject({ response: { backgrounded: false } })
  await client.request("stop_task", { task_id: shown?.["task_id"] })
  await idle()
  expect(tasksOf(client.frames).slice(1, 3)).toMatchObject([
    { tool_use_id: use.id, parent_task_id: agent?.["task_id"], owned_by_subagent: true, task_type: "local_bash" },
    { tool_use_id: use.id, status: "stopped" },
  ])
  expect(endsOf(client.frames)).toContain("completed")
})

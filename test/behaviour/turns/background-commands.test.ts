// Commands that continue after their call: how they are reported, how they end, and what remains after a crash.
import { expect, it } from "vitest"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { closedDoor } from "../../support/values/closed-door.ts"
import {
  BYPASS,
  DONE,
  hooksOf,
  loop,
  namesOf,
  payloadsOf,
  textOf,
  toolResultsOf,
  until,
} from "../../support/session/loop.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { runKilled } from "../../support/values/killed.ts"

const { connected, finish, harnessOf, scripted, start } = loop()

type Events = Parameters<typeof payloadsOf>[0]

const NETWORK = { ...BYPASS, shell_network: true }

const background = (command: string, more: object = {}) =>
  call("Bash", { command, description: "d", run_in_background: true, ...more })
const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: [...uses] })

const notifications = (events: Events) => payloadsOf(events, "sdk:system/task_notification")
const listed = (events: Events) =>
  payloadsOf(events, "sdk:system/background_tasks_changed").map(({ tasks }) => (tasks as ReadonlyArray<unknown>).length)
const results = (events: Events) => payloadsOf(events, "sdk:result/success")
const outputs = (events: Events) =>
  payloadsOf(events, "sdk:user").flatMap((message) =>
    message["tool_use_result"] === undefined ? [] : [message["tool_use_result"]],
  )

it("reports like any call whether the command is expected to print", async () => {
  const { events, idle } = await start(
    [calls(background("mkdir q")), calls(background("mkdir q; ls")), DONE],
    {},
    BYPASS,
  )
  await until(() => notifications(events()).length === 2)
  await idle()
  expect(outputs(events())).toMatchObject([{ noOutputExpected: true }, { noOutputExpected: false }])
})

it("returns at once, and the end of the command is reported in a separate turn", async () => {
  const door = await closedDoor()
  const {
    events,
    workspace,
    sent,
    idle,
    background: tasks,
  } = await start(
    [
      calls(background(`curl -s ${door.url}; echo hello; echo oh >&2; echo x > made`)),
      textAnswer("Waiting."),
      textAnswer("It ended."),
    ],
    { Stop: () => ({}), UserPromptSubmit: () => ({}) },
    NETWORK,
  )
  await until(() => results(events()).length === 1)
  door.open()
  await until(() => results(events()).length === 2)
  await idle()
  const all = events()
  expect(problemsOf(all, [...new Set(all.flatMap(({ turn }) => turn ?? []))])).toEqual([])
  const [started] = payloadsOf(all, "sdk:system/task_started")
  const id = String(started?.["task_id"])
  expect(outputs(all)[0]).toMatchObject({ stdout: "", backgroundTaskId: id })
  // The command may end before its turn does, or after.
  expect(namesOf(all).filter((name) => name.includes("task"))).toEqual([
    "sdk:system/background_tasks_changed",
    "sdk:system/task_started",
    "sdk:system/task_updated",
    "sdk:system/task_notification",
    "sdk:system/background_tasks_changed",
  ])
  expect(namesOf(all).filter((name) => /result|init/.test(name))).toEqual([
    "sdk:system/init",
    "sdk:result/success",
    "sdk:system/init",
    "sdk:result/success",
  ])
  expect(listed(all)).toEqual([1, 0])
  const [notified] = notifications(all)
  expect(notified).toMatchObject({ task_id: id, status: "completed", tool_use_id: started?.["tool_use_id"] })
  expect(workspace.readText(String(notified?.["output_file"]))).toBe("hello\noh\n[exit code 0]\n")
  expect(workspace.readText("/workspace/made")).toBe("x\n")
  const [first, second] = results(all)
  expect(first).not.toHaveProperty("origin")
  expect(second).toMatchObject({
    result: "It ended.",
    origin: { kind: "task-notification", runId: started?.["run_id"] },
  })
  const submitted = payloadsOf(all, "hook:fired").map(({ input }) => input as Record<string, unknown>)
  expect(submitted.filter((input) => input["hook_event_name"] === "UserPromptSubmit").at(-1)?.["prompt"]).toContain(
    `<task-id>${id}</task-id>`,
  )
  expect(submitted.filter((input) => "background_tasks" in input).map((input) => input["background_tasks"])).toEqual([
    [expect.objectContaining({ id, type: "shell", status: "running", description: "d" })],
    [],
  ])
  const last = sent().at(-1)?.at(-1)
  expect(last?.role).toBe("user")
  expect(textOf(last)).toMatch(/^<system-reminder>\n.*<status>completed<\/status>/s)
  expect(tasks.running()).toEqual([])
})

it("reports how one command failed, and that another one reached its time limit", async () => {
  const { events } = await finish([
    calls(background("exit 3"), background("sleep 30", { timeout: 30, description: "slow" })),
    textAnswer("Waiting."),
    textAnswer("One."),
    textAnswer("Two."),
  ])
  const notified = notifications(events()).toSorted((one, other) =>
    String(one["status"]) < String(other["status"]) ? -1 : 1,
  )
  expect(notified.map(({ status }) => status)).toEqual(["failed", "stopped"])
  expect(notified[0]?.["summary"]).toContain("exit code 3")
  expect(notified[1]?.["summary"]).toContain("time limit")
  expect(
    payloadsOf(events(), "sdk:system/task_updated").map(({ patch }) => (patch as { status: string }).status),
  ).toEqual(expect.arrayContaining(["failed", "killed"]))
  expect(listed(events())).toEqual([1, 2, 1, 0])
})

it("joins the running turn when its calls have their results", async () => {
  const door = await closedDoor()
  const {
    events,
    sent,
    turn,
    idle,
    background: tasks,
  } = await start(
    [
      calls(background("echo one")),
      calls(call("Bash", { command: `curl -s ${door.url}; echo two` })),
      calls(call("Bash", { command: "echo three" })),
      DONE,
    ],
    {},
    NETWORK,
  )
  await until(() => door.waiting() === 1 && tasks.running().length === 0)
  door.open()
  await idle()
  expect(problemsOf(events(), [turn])).toEqual([])
  expect(results(events())).toHaveLength(1)
  expect(
    events()
      .filter(({ name }) => name === "turn:joined")
      .map((event) => event.turn),
  ).toEqual([turn])
  expect(hooksOf(events()).filter((name) => name === "UserPromptSubmit")).toHaveLength(2)
  expect(sent().at(-1)?.map(textOf).join("\n")).toContain("<task-notification>")
})

it("runs at most four commands at once", async () => {
  const {
    events,
    background: tasks,
    harness,
  } = await start([calls(...Array.from({ length: 5 }, () => background("sleep 60"))), DONE])
  await until(() => results(events()).length === 1)
  expect(tasks.running()).toHaveLength(4)
  expect(toolResultsOf(events()).map(({ is_error: failed }) => failed)).toEqual([false, false, false, false, true])
  await harness.dispose()
})

it("stops a command for the model and for a client; its output is discarded and no turn starts", async () => {
  const {
    session,
    events,
    client,
    workspace,
    background: tasks,
  } = await start([calls(background("echo x > lost; sleep 60"), background("echo y > lost; sleep 60")), DONE])
  await until(() => results(events()).length === 1)
  const [one, two] = tasks.running().map(({ task_id }) => task_id)
  const stopping = scripted([
    calls(call("KillShell", { shell_id: one })),
    calls(call("TaskStop", { task_id: one })),
    calls(call("TaskStop", {})),
    DONE,
  ])
  prompt(session, promptFor(stopping))
  await until(() => results(events()).length === 2)
  expect(outputs(events()).slice(2)).toEqual([
    expect.objectContaining({ task_id: one, task_type: "local_bash", command: "echo x > lost; sleep 60" }),
    `Error: No background task with the ID ${one} is running`,
    "Error: The parameter task_id is missing",
  ])
  expect(await client.request("get_task_output", { task_id: two })).toMatchObject({
    response: { output: "", total_bytes: 0, truncated: false },
  })
  await client.request("stop_task", { task_id: two })
  await client.request("stop_task", { task_id: "nothing" })
  expect(tasks.running()).toEqual([])
  expect(notifications(events()).map(({ status, summary }) => [status, summary])).toEqual([
    ["stopped", "d"],
    ["stopped", "d"],
  ])
  expect(listed(events())).toEqual([1, 2, 1, 0])
  expect(workspace.exists("/workspace/lost")).toBe(false)
  expect(session.inbox.open).toEqual([])
})

it("shows a task's status and output once it has ended", async () => {
  const door = await closedDoor()
  const {
    session,
    events,
    client,
    idle,
    background: tasks,
  } = await start([calls(background(`curl -s ${door.url}; echo out`)), DONE], {}, NETWORK)
  await until(() => tasks.running().length === 1)
  const id = String(tasks.running()[0]?.task_id)
  const asking = scripted([
    calls(call("TaskOutput", { task_id: id, block: false })),
    calls(call("TaskOutput", { task_id: id, timeout: 1 })),
    calls(call("BashOutput", { bash_id: id })),
    calls(call("TaskOutput", { task_id: "b0" })),
    DONE,
  ])
  prompt(session, promptFor(asking))
  // The first call and the two that do not wait for the command have their results.
  await until(() => outputs(events()).length === 3)
  door.open()
  await idle()
  const seen = outputs(events()).slice(1)
  expect(seen.slice(0, 3)).toEqual([
    { retrieval_status: "not_ready", task: expect.objectContaining({ task_id: id, status: "running", output: "" }) },
    { retrieval_status: "timeout", task: expect.objectContaining({ status: "running" }) },
    {
      retrieval_status: "success",
      task: expect.objectContaining({ status: "completed", description: "d", output: "out\n[exit code 0]\n" }),
    },
  ])
  expect(seen[3]).toBe("Error: There is no background task with the ID b0")
  expect(await client.request("get_task_output", { task_id: id })).toMatchObject({
    response: { output: "out\n[exit code 0]\n", total_bytes: 18, truncated: false },
  })
})

it("continues when its turn is interrupted", async () => {
  const door = await closedDoor()
  const {
    events,
    stopTurn,
    idle,
    background: tasks,
  } = await start(
    [
      calls(background(`curl -s ${door.url}; echo kept > kept`)),
      calls(call("Bash", { command: "sleep 60" })),
      textAnswer("It ended."),
    ],
    {},
    NETWORK,
  )
  await until(() => payloadsOf(events(), "sdk:assistant").length === 2)
  await stopTurn()
  expect(tasks.running()).toHaveLength(1)
  door.open()
  await idle()
  expect(notifications(events()).map(({ status }) => status)).toEqual(["completed"])
  expect(results(events()).at(-1)).toMatchObject({ origin: { kind: "task-notification" } })
})

it("is reported as lost once, and never run again, when its process dies", async () => {
  const harness = harnessOf(BYPASS)
  const script = scripted([
    calls(background("echo x >> f; sleep 60")),
    textAnswer("Waiting."),
    textAnswer("It was lost."),
  ])
  const first = harness.boot()
  const turn = prompt(first.session, promptFor(script))
  await until(() => results(eventsOf(first.log)).length === 1)
  harness.crash()
  for (let life = 0; life < 2; life += 1) {
    const next = harness.boot()
    await next.idle()
    const all = eventsOf(next.log)
    expect(notifications(all)).toEqual([expect.objectContaining({ status: "failed", reason: "worker_restart" })])
    expect(payloadsOf(all, "sdk:system/task_started")).toHaveLength(1)
    expect(results(all).map(({ result }) => result)).toEqual(["Waiting.", "It was lost."])
    expect(problemsOf(all, [turn])).toEqual([])
    expect(next.workspace.exists("/workspace/f")).toBe(false)
    expect(next.background.running()).toEqual([])
    harness.crash()
  }
})

it("starts once, ends once and is done completely or not at all, whichever transaction its process dies after", async () => {
  for (let dieAfter = 1; ; dieAfter += 1) {
    const script = scripted([
      calls(background("echo x >> f; sleep 0.01")),
      textAnswer("Waiting."),
      textAnswer("It ended."),
    ])
    const harness = harnessOf(BYPASS)
    const killed = await runKilled(harness, dieAfter, ({ session }) => prompt(session, promptFor(script)))
    const { begun: turn, booted: next, died } = killed
    const all = eventsOf(next.log)
    const [notified, ...more] = notifications(all)
    expect(more).toEqual([])
    expect(payloadsOf(all, "sdk:system/task_started")).toHaveLength(1)
    const file = next.workspace.exists("/workspace/f") ? next.workspace.readText("/workspace/f") : null
    expect(file).toBe(notified?.["status"] === "completed" ? "x\n" : null)
    expect(problemsOf(all, [turn])).toEqual([])
    expect(next.background.running()).toEqual([])
    await harness.dispose()
    if (!died) break
  }
})

it("does not start when its call could not be stored", async () => {
  const { harness, session, log, background: tasks } = await connected()
  const begun = tasks.begin({ toolUseId: "toolu_1", description: "d", command: "echo" }, () => {
    throw new Error("it must not run")
  })
  expect(() =>
    session.append(begun?.facts ?? [], () => {
      begun?.commit([])
      throw new Error("no room")
    }),
  ).toThrow("no room")
  await Promise.resolve()
  expect(tasks.running()).toEqual([])
  expect(notifications(eventsOf(log))).toEqual([])
  await harness.dispose()
})

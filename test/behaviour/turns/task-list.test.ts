// The session's task list: what the tools change, what hooks may block, what is kept, and what clients read.
import { expect, it } from "vitest"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { DONE, hooksOf, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const { connected, finish, scripted } = loop()

const create = (subject: string, more: object = {}) =>
  call("TaskCreate", { subject, description: `about ${subject}`, ...more })
const update = (taskId: string, change: object) => call("TaskUpdate", { taskId, ...change })
const list = () => call("TaskList", {})
const get = (taskId: string) => call("TaskGet", { taskId })
const oneByOne = (...uses: ReadonlyArray<ReturnType<typeof call>>) => [...uses.map((use) => ({ content: [use] })), DONE]

const outputsOf = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:user").flatMap((message) =>
    message["tool_use_result"] === undefined ? [] : [message["tool_use_result"]],
  )

it("grows, changes and reports which tasks block which", async () => {
  const { events, session } = await finish(
    oneByOne(
      list(),
      create("one", { activeForm: "doing one", metadata: { a: 1 } }),
      create("two"),
      create("three"),
      update("2", { addBlockedBy: ["1", "77"] }),
      update("1", { addBlocks: ["3"], owner: "me", status: "in_progress" }),
      list(),
      get("1"),
      update("1", { status: "completed", metadata: { a: null, b: 2 } }),
      list(),
      get("2"),
      update("3", { status: "deleted" }),
      get("3"),
      get("1"),
      create("four"),
      update("4", {}),
      update("9", { status: "completed" }),
    ),
  )
  const out = outputsOf(events())
  expect(out[0]).toEqual({ tasks: [] })
  expect(out[1]).toEqual({ task: { id: "1", subject: "one", description: "about one" } })
  expect(out.slice(4, 6)).toEqual([
    { success: true, taskId: "2", updatedFields: ["blockedBy"] },
    {
      success: true,
      taskId: "1",
      updatedFields: ["owner", "status", "blocks"],
      statusChange: { from: "pending", to: "in_progress" },
    },
  ])
  expect(out[6]).toEqual({
    tasks: [
      { id: "1", subject: "one", status: "in_progress", owner: "me", blockedBy: [] },
      { id: "2", subject: "two", status: "pending", blockedBy: ["1"] },
      { id: "3", subject: "three", status: "pending", blockedBy: ["1"] },
    ],
  })
  expect(out[7]).toMatchObject({ task: { id: "1", blocks: ["2", "3"], blockedBy: [] } })
  expect(out[9]).toMatchObject({ tasks: [{ status: "completed" }, { blockedBy: [] }, { blockedBy: [] }] })
  expect(out[10]).toMatchObject({ task: { blockedBy: ["1"] } })
  expect(out[11]).toMatchObject({ updatedFields: ["deleted"], statusChange: { from: "pending", to: "deleted" } })
  expect(out[12]).toEqual({ task: null })
  expect(out[13]).toMatchObject({ task: { blocks: ["2"] } })
  expect(out[14]).toMatchObject({ task: { id: "4" } })
  expect(out[15]).toEqual({ success: true, taskId: "4", updatedFields: [] })
  expect(out[16]).toMatchObject({ success: false, taskId: "9", updatedFields: [], error: expect.any(String) })
  expect(session.memory.tasks.find(({ id }) => id === "1")?.metadata).toEqual({ b: 2 })
  expect(toolResultsOf(events()).every((block) => block.is_error === undefined)).toBe(true)
})

it("is returned to clients together with the todos", async () => {
  const todos = [{ content: "write", status: "in_progress", activeForm: "writing" }]
  const { session } = await finish(oneByOne(call("TodoWrite", { todos }), create("one", { activeForm: "doing one" })))
  expect(session.todos()).toEqual([
    { id: "todo-0", content: "write", status: "in_progress", priority: "medium", activeForm: "writing" },
    { id: "task-1", content: "one", status: "pending", priority: "medium", activeForm: "doing one" },
  ])
})

it("survives a crash, and its numbering continues", async () => {
  const { harness } = await finish(oneByOne(create("one"), create("two"), update("2", { status: "deleted" })))
  harness.crash()
  const again = harness.boot()
  expect(again.session.todos()).toMatchObject([{ id: "task-1", content: "one" }])
  prompt(again.session, promptFor(scripted(oneByOne(create("three")))))
  await again.idle()
  expect(again.session.todos()).toMatchObject([{ id: "task-1" }, { id: "task-3", content: "three" }])
})

it("follows the head of the conversation", async () => {
  const { session, events, idle } = await finish(oneByOne(create("one")))
  prompt(session, promptFor(scripted(oneByOne(create("two")))))
  await idle()
  expect(session.todos()).toHaveLength(2)
  const last = payloadsOf(events(), "sdk:assistant").filter((_, index) => index === 1)[0]
  session.resumption.resume({ options: session.record.options, at: String(last?.["uuid"]) })
  expect(session.todos()).toMatchObject([{ content: "one" }])
})

it("fires hooks for tasks that are created and completed, and lets them object", async () => {
  const TaskCreated = (input: Readonly<Record<string, unknown>>) =>
    input["task_subject"] === "bad" ? { decision: "block", reason: "no such task" } : {}
  const TaskCompleted = { decision: "block", reason: "the tests fail" }
  const { client, events, session } = await finish(
    oneByOne(create("bad"), create("good"), update("2", { status: "completed" }), update("1", { owner: "me" })),
    { TaskCreated, TaskCompleted },
  )
  expect(client.called.map(({ callbackId, input }) => [callbackId, input])).toMatchObject([
    ["TaskCreated", { task_id: "1", task_subject: "bad", task_description: "about bad" }],
    ["TaskCreated", { task_id: "2", task_subject: "good" }],
    ["TaskCompleted", { task_id: "2", task_subject: "good" }],
  ])
  expect(client.called[0]?.input).not.toHaveProperty("permission_mode")
  const [refused, , kept, gone] = toolResultsOf(events())
  expect(refused).toMatchObject({ is_error: true, content: expect.stringContaining("no such task") })
  expect(kept?.is_error).toBeUndefined()
  expect(kept?.content).toContain("the tests fail")
  expect(outputsOf(events())[2]).toMatchObject({ success: false, taskId: "2" })
  expect(outputsOf(events())[3]).toMatchObject({ success: false, taskId: "1" })
  expect(gone?.content).toContain("no such task")
  expect(session.todos()).toMatchObject([{ id: "task-2", status: "pending" }])
  expect(hooksOf(events()).slice(2, 5)).toEqual(["PreToolUse", "TaskCreated", "PostToolUseFailure"])
})

it.each(["TaskCreated", "TaskCompleted"])(
  "fails a call as interrupted when its %s hook does not answer in time",
  async (event) => {
    const { client, session, log, idle } = await connected({ [event]: () => undefined, PostToolUseFailure: {} })
    const matchers = { ...client.hooks, [event]: [{ hookCallbackIds: [event], timeout: 0.01 }] }
    await client.initialize({ hooks: matchers })
    prompt(session, promptFor(scripted(oneByOne(create("one"), update("1", { status: "completed" })))))
    await idle()
    const [failed] = client.called.filter(({ callbackId }) => callbackId === "PostToolUseFailure")
    expect(failed?.input).toMatchObject({
      is_interrupt: true,
      error: expect.stringContaining("did not respond in time"),
    })
    expect(toolResultsOf(eventsOf(log))[event === "TaskCreated" ? 0 : 1]).toMatchObject({ is_error: true })
    expect(session.todos()).toMatchObject(event === "TaskCreated" ? [] : [{ status: "pending" }])
  },
)

it("accepts no more than its limit, and only well-formed hook answers", async () => {
  const { session, idle, log } = await connected()
  session.append([
    {
      name: "task:changed",
      payload: {
        tasks: Array.from({ length: 500 }, (_, index) => ({
          id: String(index + 1),
          subject: "x",
          description: "x",
          status: "pending",
          blocks: [],
          blockedBy: [],
        })),
      },
    },
  ])
  prompt(
    session,
    promptFor(scripted(oneByOne(create("more"), update("1", { status: "done" }), create("x", { metadata: 1 })))),
  )
  await idle()
  const results = toolResultsOf([...log.all()].map(({ event }) => event))
  expect(results.map(({ is_error }) => is_error)).toEqual([true, true, true])
  expect(String(results[0]?.content)).toContain("500")
  expect(session.todos()).toHaveLength(500)
})

it("a task without a description has its subject as one, as in the official SDK", async () => {
  const { events } = await finish(oneByOne(call("TaskCreate", { subject: "one" })))
  expect(outputsOf(events())[0]).toEqual({ task: { id: "1", subject: "one", description: "one" } })
})

it("is empty after the conversation was cleared, and its numbers start again", async () => {
  const { session, idle, log } = await connected()
  const script = scripted([{ content: [create("one")] }, DONE])
  const again = scripted([{ content: [create("two")] }, DONE])
  for (const words of [promptFor(script), "/clear", promptFor(again)]) {
    prompt(session, words)
    await idle()
  }
  const created = payloadsOf(eventsOf(log), "task:changed").flatMap(({ tasks }) => tasks)
  expect(created).toMatchObject([
    { id: "1", subject: "one" },
    { id: "1", subject: "two" },
  ])
  expect(session.todos()).toMatchObject([{ content: "two" }])
})

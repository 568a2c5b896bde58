// The last state of a prompt that was sent with a uuid: what it is, and when its sender is sent it.
import { expect, it } from "vitest"
import { BYPASS, DONE, loop, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf } from "../../support/session/session-harness.ts"
import { busySessions, lifecycleOf, user } from "./busy-sessions.ts"

const made = loop()
const { connected, scripted } = made
const { inMidTool } = busySessions(made)

/** The states and results in the order in which they are sent; prompts are named by their index. */
const statesAndResults = (events: Parameters<typeof payloadsOf>[0], uuids: ReadonlyArray<string>) =>
  events.flatMap(({ name, payload }) => {
    if (name.startsWith("sdk:result/")) return ["result"]
    if (name !== "sdk:command_lifecycle") return []
    const { command_uuid: uuid, state } = payload as { command_uuid: string; state: string }
    return [`${uuids.indexOf(uuid)} ${state}`]
  })

it("of a prompt that joined a running turn precedes the turn's result", async () => {
  const { client, release, idle, events, session } = await inMidTool()
  const uuid = crypto.randomUUID()
  client.send(user("and be quick", { uuid }))
  await until(() => session.inbox.open.length === 2)
  release()
  await idle()
  expect(statesAndResults(events(), [uuid])).toEqual(["0 queued", "0 started", "0 completed", "result"])
  const names = events().map(({ name }) => name)
  expect(names.lastIndexOf("sdk:assistant")).toBeLessThan(names.lastIndexOf("sdk:command_lifecycle"))
})

it("is cancelled when the turn is interrupted, also for a prompt that joined it", async () => {
  const [first, second] = [
    Promise.withResolvers<Record<string, unknown>>(),
    Promise.withResolvers<Record<string, unknown>>(),
  ]
  const hook = (input: Readonly<Record<string, unknown>>) =>
    (JSON.stringify(input["tool_input"]).includes("a.txt") ? first : second).promise
  const { client, idle, session, log, stopTurn } = await connected({ PreToolUse: hook }, BYPASS)
  const script = scripted([
    { content: [call("Glob", { pattern: "a.txt" })] },
    { content: [call("Glob", { pattern: "b.txt" })] },
    DONE,
  ])
  const uuids = [crypto.randomUUID(), crypto.randomUUID()]
  client.send(user(promptFor(script), { uuid: uuids[0] }))
  await until(() => client.called.length === 1)
  client.send(user("and be quick", { uuid: uuids[1] }))
  await until(() => session.inbox.open.length === 2)
  first.resolve({})
  await until(() => client.called.length === 2)
  await stopTurn()
  await idle()
  second.resolve({})
  expect(statesAndResults(eventsOf(log), uuids)).toEqual([
    "0 queued",
    "0 started",
    "1 queued",
    "1 started",
    "1 cancelled",
    "result",
    "0 cancelled",
  ])
})

it.each([
  [
    "cancelled when the model's request fails",
    [{ error: { status: 403, type: "permission_error", message: "no" } }],
    {},
    "cancelled",
  ],
  [
    "cancelled when the budget is used up",
    [{ content: [call("Glob", { pattern: "*" })] }, DONE],
    { maxBudgetUsd: 1e-9 },
    "cancelled",
  ],
  [
    "completed at the limit of steps",
    [{ content: [call("Glob", { pattern: "*" })] }, DONE],
    { maxTurns: 1 },
    "completed",
  ],
] as const)("is %s", async (_, turns, options, state) => {
  const { client, idle, log } = await connected({}, { ...BYPASS, ...options })
  const uuid = crypto.randomUUID()
  client.send(user(promptFor(scripted([...turns])), { uuid }))
  await until(() => lifecycleOf(eventsOf(log), uuid).length === 3)
  await idle()
  expect(lifecycleOf(eventsOf(log), uuid)).toEqual(["queued", "started", state])
})

it("is cancelled when a prompt with the priority now ends the turn", async () => {
  const held = Promise.withResolvers<Record<string, unknown>>()
  const { client, idle, log } = await connected({ PreToolUse: () => held.promise }, BYPASS)
  const uuids = [crypto.randomUUID(), crypto.randomUUID()]
  client.send(user(promptFor(scripted([{ content: [call("Glob", { pattern: "*" })] }, DONE])), { uuid: uuids[0] }))
  await until(() => client.called.some(({ callbackId }) => callbackId === "PreToolUse"))
  client.send(user(promptFor(scripted([textAnswer("Now.")])), { uuid: uuids[1], priority: "now" }))
  await until(() => lifecycleOf(eventsOf(log), String(uuids[1])).length === 3)
  await idle()
  held.resolve({})
  expect(uuids.map((uuid) => lifecycleOf(eventsOf(log), uuid).at(-1))).toEqual(["cancelled", "completed"])
})

it("of a prompt whose turn is interrupted before its hooks have answered follows the state started", async () => {
  const held = Promise.withResolvers<Record<string, unknown>>()
  const { client, idle, log, stopTurn } = await connected({ UserPromptSubmit: () => held.promise }, BYPASS)
  const uuid = crypto.randomUUID()
  client.send(user(promptFor(scripted([DONE])), { uuid }))
  await until(() => client.called.length === 1)
  await stopTurn()
  await idle()
  held.resolve({})
  expect(statesAndResults(eventsOf(log), [uuid])).toEqual(["0 queued", "0 started", "result", "0 cancelled"])
})

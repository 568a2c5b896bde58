// A session that starts with the conversation of another one: what its model receives, and that none of it is run or charged
// here.
import { Result } from "effect"
import { expect, it } from "vitest"
import { writeHistory } from "../../../src/session/prompts/history.ts"
import { rowsOf } from "../../../src/store/delivery/flush.ts"
import { historyEvents } from "../../../src/views/parts/history.ts"
import { PartsProjection } from "../../../src/views/parts/parts.ts"
import type { ScriptedApi } from "../../support/session/scripted-api.mjs"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { newEvent } from "../../support/session/log-event.ts"

const sessions = loop()

const THINKING = { type: "thinking", thinking: "Hm \ud83e\udd14", signature: "c2lnbmVk" }
const USE = { type: "tool_use", id: "toolu_old", name: "Write", input: { file_path: "/workspace/old.txt" } }
const ids = { parent_tool_use_id: null, session_id: "0199a000-0000-7000-8000-00000000ffff" }
const uuid = (n: number) => `11111111-0000-4000-8000-${String(n).padStart(12, "0")}`
const usage = { input_tokens: 1000, output_tokens: 500 }
const answer = (id: string, n: number, ...content: ReadonlyArray<unknown>) => {
  const head = { id, type: "message", role: "assistant", model: "claude-opus-5-5", stop_reason: null }
  return { type: "assistant", message: { ...head, stop_sequence: null, usage, content }, uuid: uuid(n), ...ids }
}
const user = (n: number, content: unknown, more: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  uuid: uuid(n),
  ...ids,
  ...more,
})

/** A prompt, a call and its result, an answer; and a second prompt whose call has no result. */
const HISTORY = [
  user(1, "Write it."),
  answer("msg_old", 2, THINKING),
  answer("msg_old", 3, USE),
  user(4, [{ type: "tool_result", tool_use_id: "toolu_old", content: "Written." }], {
    tool_use_result: {
      type: "create",
      filePath: "/workspace/old.txt",
      content: "a\nb\n",
      structuredPatch: [],
      originalFile: null,
    },
  }),
  answer("msg_old2", 5, text("Done.")),
  user(6, "Again."),
  answer("msg_old3", 7, { ...USE, id: "toolu_lost" }),
]

const begin = (history: ReadonlyArray<unknown> = HISTORY) => {
  const harness = sessions.harnessOf()
  const booted = harness.boot()
  const deps = { sessionId: SESSION_ID, now: Date.now(), newUuid: () => crypto.randomUUID() }
  const events = Result.getOrThrow(historyEvents(deps, history))
  booted.session.append([newEvent("session:created", {})], () => writeHistory(booted.log, booted.session.inbox, events))
  return { harness, booted }
}

const say = async (booted: Booted, turns: Parameters<ScriptedApi["set"]>[1]): Promise<string> => {
  const name = scriptName("history")
  sessions.api.set(name, turns)
  const turn = prompt(booted.session, promptFor(name))
  await booted.idle()
  return turn
}

interface Sent {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: ReadonlyArray<Record<string, unknown>> }>
}
const lastRequest = (): Sent => sessions.api.log.at(-1)?.body as Sent // what the Messages API takes

it("continues that conversation, with thinking byte for byte, and reports a lost result as lost", async () => {
  const { booted } = begin()
  await say(booted, [textAnswer("On.")])
  const { messages } = lastRequest()
  expect(messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ])
  expect(messages[0]).toEqual({ role: "user", content: [text("Write it.")] })
  expect(messages[1]?.content).toEqual([THINKING, USE])
  expect(JSON.stringify(messages[1]?.content[0])).toBe(JSON.stringify(THINKING))
  expect(messages[2]?.content).toMatchObject([{ tool_use_id: "toolu_old", content: "Written." }])
  expect(messages[6]?.content).toMatchObject([
    { type: "tool_result", tool_use_id: "toolu_lost", is_error: true, content: expect.stringMatching(/unknown/) },
    { type: "text" },
  ])
})

it("runs none of it, and its turns have ended", async () => {
  const before = sessions.api.log.length
  const { booted } = begin()
  await booted.idle()
  expect(booted.session.state).toBe("idle")
  expect(booted.session.prompts.hasDeferredCall).toBe(false)
  expect(sessions.api.log.length).toBe(before)
  expect(booted.session.turns.info(uuid(1))).toMatchObject({ status: "completed", result: null, cost_usd: 0 })
  const again = { turn: uuid(1), prompt: "Write it.", onBusy: "queue", options: {}, fingerprint: "other" } as const
  expect(booted.session.prompts.submit(again)).toMatchObject({ refused: { type: "unprocessable_error" } })
  const turn = await say(booted, [textAnswer("On.")])
  expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
})

it("counts and charges only what is requested here", async () => {
  const { harness, booted } = begin()
  expect(booted.session.cost()).toMatchObject({ requests: 0, total_cost_usd: 0, has_unpriced: false, model_usage: {} })
  await say(booted, [{ content: [text("On.")], usage: { input_tokens: 100, output_tokens: 10 } }])
  const cost = booted.session.cost()
  expect(cost).toMatchObject({ requests: 1, has_unpriced: false })
  const info = booted.session.info()
  expect(info).toMatchObject({ turns: 1, total_cost_usd: cost.total_cost_usd })
  const { costs } = rowsOf("t", info, eventsOf(booted.log), new PartsProjection(SESSION_ID))
  expect(costs.map(({ usd }) => usd)).toEqual([cost.total_cost_usd])
  harness.crash()
  const later = harness.boot()
  expect(later.session.info()).toMatchObject({ turns: 1, total_cost_usd: cost.total_cost_usd })
  expect(later.session.cost()).toEqual(cost)
})

it("does not know the other session's files: each must be read before it is changed", async () => {
  const { booted } = begin()
  booted.workspace.writeBytes("/workspace/old.txt", new TextEncoder().encode("mine"))
  const write = call("Write", { file_path: "/workspace/old.txt", content: "theirs" })
  await say(booted, [{ content: [write] }, textAnswer("On.")])
  expect(new TextDecoder().decode(booted.workspace.readBytes("/workspace/old.txt"))).toBe("mine")
})

it("can be resumed at one of its prompts, which is then the last message", async () => {
  const { booted } = begin()
  expect(booted.session.resumption.resume({ options: {}, at: uuid(6) })).toBeUndefined()
  await say(booted, [textAnswer("On.")])
  const { messages } = lastRequest()
  expect(messages).toHaveLength(5)
  expect(messages.at(-1)?.content[0]).toEqual(text("Again."))
})

it("continues its task list and the list's numbering", async () => {
  const create = (id: string, subject: string) => ({
    use: {
      type: "tool_use",
      id: `toolu_${id}`,
      name: "TaskCreate",
      input: { subject, description: `about ${subject}` },
    },
    result: { task: { id, subject } },
  })
  const update = (id: string, taskId: string, change: object, success = true) => ({
    use: { type: "tool_use", id, name: "TaskUpdate", input: { taskId, ...change } },
    result: { success, taskId, updatedFields: [] },
  })
  const calls = [
    create("1", "one"),
    create("2", "two"),
    create("3", "three"),
    update("toolu_a", "1", { status: "completed", owner: "me" }),
    update("toolu_b", "2", { status: "in_progress", addBlockedBy: ["1"] }),
    update("toolu_c", "3", { status: "deleted" }),
    update("toolu_d", "2", { subject: "refused" }, false),
    update("toolu_e", "2", { status: "unheard of" }),
    { use: { type: "tool_use", id: "toolu_f", name: "TaskCreate", input: 7 }, result: { task: { id: "9" } } },
  ]
  const history = calls.flatMap(({ use, result }, n) => [
    answer(`msg_${n}`, 100 + 2 * n, use),
    user(101 + 2 * n, [{ type: "tool_result", tool_use_id: use.id, content: "-" }], { tool_use_result: result }),
  ])
  const { harness, booted } = begin([user(1, "Plan it."), ...history])
  await say(booted, [{ content: [call("TaskCreate", { subject: "four", description: "-" })] }, textAnswer("On.")])
  const list = [
    { content: "one", status: "completed" },
    { content: "two", status: "in_progress" },
    { content: "four", status: "pending" },
  ]
  expect(booted.session.todos()).toMatchObject(list)
  expect(booted.session.todos()).toHaveLength(3)
  expect(eventsOf(booted.log).find(({ name }) => name === "task:changed")?.payload).toMatchObject({
    tasks: [{ id: "4" }],
  })
  harness.crash()
  expect(harness.boot().session.todos()).toMatchObject(list)
})

it("produces the same rows in D1 page by page as all at once", () => {
  const long = Array.from({ length: 300 }, (_, n) => [
    user(10 * n + 1, `Question ${n}`),
    answer(`m${n}`, 10 * n + 2, text("Yes.")),
  ])
  const { booted } = begin(long.flat())
  const events = eventsOf(booted.log)
  expect(events.length).toBeGreaterThan(1000)
  const info = booted.session.info()
  const whole = rowsOf("t", info, events, new PartsProjection(SESSION_ID))
  expect(whole.messages).toHaveLength(600)
  const pages = [0, 500, 1000].flatMap((from) => {
    const page = events.slice(from, from + 500)
    // A fold starts where the inbox says, as after a restart.
    const fold = new PartsProjection(SESSION_ID)
    const start = booted.session.inbox.firstOpenAt(from) ?? from + 1
    for (const event of events.filter(({ seq }) => seq >= start && seq <= from)) fold.apply(event)
    return [rowsOf("t", info, page, fold)]
  })
  const newest = <Row extends { readonly seq: number }>(rows: ReadonlyArray<Row>, key: (row: Row) => string) => [
    ...new Map(rows.map((row) => [key(row), row])).values(),
  ]
  const message = (row: (typeof whole.messages)[number]) => `${row.position}`
  const part = (row: (typeof whole.parts)[number]) => `${row.message_position}/${row.position}`
  expect(
    newest(
      pages.flatMap(({ messages }) => messages),
      message,
    ),
  ).toEqual(newest(whole.messages, message))
  expect(
    newest(
      pages.flatMap(({ parts }) => parts),
      part,
    ),
  ).toEqual(newest(whole.parts, part))
})

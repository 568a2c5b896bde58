// Conversations of other sessions as events with which a session starts: what the model is sent of them, and what is rejected.
import fs from "node:fs"
import path from "node:path"
import { getSessionMessages } from "@anthropic-ai/claude-agent-sdk"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { SessionMemory } from "../../../src/agent/transcript/projection.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { historyEvents } from "../../../src/views/parts/history.ts"
import { PartsProjection } from "../../../src/views/parts/parts.ts"
import { projectParts } from "../../support/values/project-parts.ts"

const SESSION = "0199a000-0000-7000-8000-000000000001"
const OTHER = "0199a000-0000-7000-8000-00000000ffff"
const NOW = Date.UTC(2026, 10, 21)
const RECORDED = path.resolve(import.meta.dirname, "../../conformance/fixtures/messages")

type Json = Readonly<Record<string, unknown>>

const read = (messages: ReadonlyArray<unknown>) => {
  let count = 0
  const newUuid = () => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, "0")}`
  return historyEvents({ sessionId: SESSION, now: NOW, newUuid }, messages)
}

const eventsOf = (messages: ReadonlyArray<unknown>): ReadonlyArray<LogEvent> =>
  Result.getOrThrow(read(messages)).map((event, index) => ({ ...event, seq: index + 2 }))

const memoryOf = (events: ReadonlyArray<LogEvent>): SessionMemory => {
  const memory = new SessionMemory("/workspace")
  for (const event of events) memory.apply(event, JSON.stringify(event.payload).length)
  return memory
}

const sent = (messages: ReadonlyArray<unknown>) => memoryOf(eventsOf(messages)).transcript.messages()
const issueOf = (messages: ReadonlyArray<unknown>) => Result.getOrThrow(Result.flip(read(messages)))

let uuids = 0
const base = () => ({
  session_id: OTHER,
  parent_tool_use_id: null,
  uuid: `11111111-0000-4000-8000-${String((uuids += 1)).padStart(12, "0")}`,
})
const user = (content: unknown, more: Json = {}) => ({
  type: "user",
  message: { role: "user", content },
  ...base(),
  ...more,
})
const assistant = (id: string, ...content: ReadonlyArray<Json>) => ({
  type: "assistant",
  message: {
    id,
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  },
  ...base(),
})
const text = (words: string) => ({ type: "text", text: words })
const use = (id: string, input: Json = {}) => ({ type: "tool_use", id, name: "Read", input })
const result = (id: string, content: unknown = "ok") => ({ type: "tool_result", tool_use_id: id, content })

/** Written by the recorder. */
const recording = (name: string) =>
  JSON.parse(fs.readFileSync(path.join(RECORDED, name), "utf8")) as { readonly messages: ReadonlyArray<Json> }
const files = fs.readdirSync(RECORDED).filter((name) => name.endsWith(".json"))
const done = recording(files[0]!).messages.find(({ type, subtype }) => type === "result" && subtype === "success")!

describe("a conversation without results, as getSessionMessages returns it", () => {
  const thinking = { type: "thinking", thinking: "Hm \ud83e\udd14", signature: "c2ln" }
  const messages = [
    user("First?"),
    assistant("msg_1", thinking),
    assistant("msg_1", { type: "redacted_thinking", data: "ZGF0YQ==" }),
    assistant("msg_1", use("toolu_1", { file_path: "/home/me/a.txt" })),
    user([result("toolu_1", "1\tone")], { tool_use_result: { type: "text", file: { filePath: "/home/me/a.txt" } } }),
    assistant("msg_2", text("One.")),
    user([text("Second?")]),
    assistant("msg_3", text("Two.")),
  ]

  it("is what the model is sent, thinking byte for byte", () => {
    expect(sent(messages)).toEqual([
      { role: "user", content: [text("First?")] },
      {
        role: "assistant",
        content: [
          thinking,
          { type: "redacted_thinking", data: "ZGF0YQ==" },
          use("toolu_1", { file_path: "/home/me/a.txt" }),
        ],
      },
      { role: "user", content: [result("toolu_1", "1\tone")] },
      { role: "assistant", content: [text("One.")] },
      { role: "user", content: [text("Second?")] },
      { role: "assistant", content: [text("Two.")] },
    ])
  })

  it("is one turn per prompt, and each of them has ended", () => {
    const events = eventsOf(messages)
    const turns = events.filter(({ name }) => name === "turn:queued")
    expect(turns.map(({ payload }) => payload)).toMatchObject([
      { prompt: "First?", imported: true },
      { prompt: [text("Second?")], imported: true },
    ])
    expect(turns.map(({ uuid }) => uuid)).toEqual([messages[0]?.uuid, messages[6]?.uuid])
    expect(events.filter(({ name }) => name === "turn:imported").map(({ turn }) => turn)).toEqual(
      turns.map(({ turn }) => turn),
    )
    expect(events.at(-1)?.name).toBe("turn:imported")
    for (const { info } of projectParts(SESSION, events)) {
      expect(info).toMatchObject({ sessionID: SESSION })
      if (info.role === "assistant") expect(info).toMatchObject({ cost: 0, time: { completed: NOW } })
    }
  })

  it("has the session's own id, and adds no cost or counts", () => {
    const events = eventsOf(messages)
    for (const { name, uuid, payload } of events) {
      if (name.startsWith("sdk:")) expect(payload).toMatchObject({ session_id: SESSION, uuid })
    }
    const { accounting } = memoryOf(events)
    expect(accounting).toMatchObject({ totalUsd: 0, hasUnpriced: false, requests: 0, results: 0, tally: null })
    expect(accounting.modelUsage).toEqual({})
  })

  it("marks no file as known", () => {
    expect([...memoryOf(eventsOf(messages)).knownFiles]).toEqual([])
  })
})

it("accepts the output of the official getSessionMessages, including system messages", async () => {
  const uuid = (n: number) => `22222222-0000-4000-8000-${String(n).padStart(12, "0")}`
  const entry = (n: number, message: Json & { readonly type: string }) => ({
    ...message,
    uuid: uuid(n),
    parentUuid: n === 1 ? null : uuid(n - 1),
    sessionId: OTHER,
    timestamp: `2026-01-01T00:00:0${n}.000Z`,
    isSidechain: false,
  })
  const bare = (message: { readonly type: string; readonly message: unknown }) => ({
    type: message.type,
    message: message.message,
  })
  const entries = [
    entry(1, bare(user("First?"))),
    entry(2, bare(assistant("msg_1", use("toolu_1")))),
    entry(3, bare(user([result("toolu_1")]))),
    entry(4, { type: "system", subtype: "informational", content: "note", level: "info" }),
    entry(5, bare(assistant("msg_2", text("One.")))),
    entry(6, bare(user("Second?"))),
  ]
  const sessionStore = { load: async () => entries, append: async () => undefined }
  const messages = await getSessionMessages(OTHER, { sessionStore, includeSystemMessages: true })
  expect(messages.map(({ type }) => type)).toContain("system")
  expect(sent(messages)).toEqual([
    { role: "user", content: [text("First?")] },
    { role: "assistant", content: [use("toolu_1")] },
    { role: "user", content: [result("toolu_1")] },
    { role: "assistant", content: [text("One.")] },
    { role: "user", content: [text("Second?")] },
  ])
  expect(eventsOf(messages).map(({ at }) => at)).toContain(Date.UTC(2026, 0, 1, 0, 0, 6))
})

describe("a conversation from a stream", () => {
  it("drops what describes the other server, and keeps where it was compacted", () => {
    const init = { type: "system", subtype: "init", model: "claude-haiku-4-5", permissionMode: "plan" }
    const facts = {
      ...base(),
      apiKeySource: "none",
      claude_code_version: "1",
      cwd: "/home",
      tools: [],
      mcp_servers: [],
    }
    const more = { slash_commands: [], output_style: "default", skills: [], plugins: [] }
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      compact_metadata: { trigger: "manual", pre_tokens: 5 },
      ...base(),
    }
    const state = { type: "system", subtype: "session_state_changed", state: "running", ...base() }
    const echo = user("Hi", { isReplay: true })
    const events = eventsOf([
      { ...init, ...facts, ...more },
      echo,
      state,
      { type: "stream_event", event: { type: "message_stop" }, ...base() },
      assistant("msg_1", text("Hello.")),
      boundary,
      done,
      { type: "of_tomorrow", any: 1 },
    ])
    expect(events.map(({ name }) => name)).toEqual([
      "turn:queued",
      "sdk:assistant",
      "sdk:system/compact_boundary",
      "call:finished",
      "turn:imported",
    ])
    expect(events[0]).toMatchObject({
      uuid: echo.uuid,
      payload: { options: { model: "claude-haiku-4-5", permissionMode: "plan" } },
    })
  })

  it("accepts a repeated message once", () => {
    const answer = assistant("msg_1", use("toolu_1"))
    const settled = user([result("toolu_1")])
    const again = { ...settled, isReplay: true }
    const messages = [user("Hi"), answer, answer, settled, again, assistant("msg_2", text("Done.")), done]
    expect(sent(messages).map(({ role, content }) => [role, content.length])).toEqual([
      ["user", 1],
      ["assistant", 1],
      ["user", 1],
      ["assistant", 1],
    ])
  })

  it("accepts results that are only replayed", () => {
    const messages = [user("Hi"), assistant("msg_1", use("toolu_1")), user([result("toolu_1")], { isReplay: true })]
    expect(sent(messages).at(-1)).toEqual({ role: "user", content: [result("toolu_1")] })
  })

  it("keeps the times of messages, but never later than now", () => {
    const at = (timestamp: string) => ({ ...user("Hi", { isReplay: true }), timestamp })
    const times = eventsOf([user("Hi"), at("2026-01-01T00:00:00.000Z"), at("2999-01-01T00:00:00.000Z")])
      .filter(({ name }) => name === "turn:queued")
      .map((event) => event.at)
    expect(times).toEqual([Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1), NOW])
  })

  it("keeps subagents' messages out of the model's conversation", () => {
    const inside = { ...user("Look"), parent_tool_use_id: "toolu_1" }
    const reply = { ...assistant("msg_9", text("Seen.")), parent_tool_use_id: "toolu_1" }
    const messages = [user("Hi"), assistant("msg_1", use("toolu_1")), inside, reply, user([result("toolu_1")])]
    expect(JSON.stringify(sent(messages))).not.toMatch(/Look|Seen/)
    const parts = projectParts(SESSION, eventsOf(messages))
    expect(JSON.stringify(parts)).toContain("Seen.")
  })
})

describe("a call without a result", () => {
  const lost = (id: string) => ({
    type: "tool_result",
    tool_use_id: id,
    content: expect.stringMatching(/outcome is unknown/),
    is_error: true,
  })

  it("gets one at the end, before the next prompt, and before the next answer", () => {
    const [first, second] = [assistant("msg_1", use("toolu_1"), use("toolu_2")), assistant("msg_2", use("toolu_3"))]
    const messages = [
      user("Hi"),
      first,
      user([result("toolu_2")]),
      second,
      user("And?"),
      assistant("msg_3", use("toolu_4")),
    ]
    expect(sent(messages)).toEqual([
      { role: "user", content: [text("Hi")] },
      { role: "assistant", content: [use("toolu_1"), use("toolu_2")] },
      { role: "user", content: [result("toolu_2"), lost("toolu_1")] },
      { role: "assistant", content: [use("toolu_3")] },
      { role: "user", content: [lost("toolu_3"), text("And?")] },
      { role: "assistant", content: [use("toolu_4")] },
      { role: "user", content: [lost("toolu_4")] },
    ])
    expect(memoryOf(eventsOf(messages)).transcript.openCalls()).toEqual([])
    const states = projectParts(SESSION, eventsOf(messages)).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool" ? [part.state.status] : [])),
    )
    expect(states).toEqual(["error", "completed", "error", "error"])
  })
})

describe("a rejection", () => {
  it("names the message and its field", () => {
    expect(issueOf([user("Hi"), assistant("msg_1", { type: "text" })])).toMatchObject({
      index: 1,
      path: ["message", "content", 0, "text"],
      message: "Missing key",
    })
    expect(issueOf([user("Hi"), user("Ho"), 5])).toMatchObject({ index: 2, path: [] })
  })

  it("is caused by a result that no call waits for, and by a repeated call", () => {
    const call = assistant("msg_1", use("toolu_1"))
    expect(issueOf([user("Hi"), user([text("x"), result("toolu_9")])])).toMatchObject({
      index: 1,
      path: ["message", "content", 1],
      message: expect.stringContaining("toolu_9"),
    })
    expect(issueOf([user("Hi"), call, user([result("toolu_1")]), user([result("toolu_1")])])).toMatchObject({
      index: 3,
    })
    const late = [user("Hi"), call, assistant("msg_2", text("On.")), user([result("toolu_1")])]
    expect(issueOf(late)).toMatchObject({ index: 3 })
    expect(issueOf([user("Hi"), call, user([result("toolu_1")]), assistant("msg_2", use("toolu_1"))])).toMatchObject({
      index: 3,
      path: ["message", "content", 0],
    })
  })
})

describe("recorded conversations", () => {
  it.each(files)("%s produces a request that the API accepts, and the same parts in any split", (name) => {
    const events = eventsOf(recording(name).messages)
    const messages = memoryOf(events).transcript.messages()
    messages.forEach(({ role, content }, index) => {
      expect(role).toBe(index % 2 === 0 ? "user" : "assistant")
      const calls = content.flatMap((block) => (block.type === "tool_use" ? [block["id"]] : []))
      const next = messages[index + 1]?.content ?? []
      const results = next.flatMap((block) => (block.type === "tool_result" ? [block["tool_use_id"]] : []))
      expect(results.toSorted()).toEqual(calls.toSorted())
    })
    const whole = projectParts(SESSION, events)
    const middle = Math.floor(events.length / 2)
    const fold = new PartsProjection(SESSION)
    for (const event of events.slice(0, middle)) fold.apply(event)
    const later = new PartsProjection(SESSION)
    const from = fold.settledBefore()
    for (const event of events.filter(({ seq }) => seq >= from)) later.apply(event)
    expect(later.messages()).toEqual(whole.slice(whole.length - later.messages().length))
  })
})

// A session's messages as parts: prompts, synthetic messages, and the fold over all turns.
import { describe, expect, it } from "vitest"
import { PartsProjection } from "../../../src/views/parts/parts.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"
import { begun, infoOf, project, tools, types } from "../../support/views/projected.ts"

describe("the prompt", () => {
  it("is a user message with one text part", () => {
    const log = begun()
    const [message] = project(log)
    expect(message?.info).toMatchObject({
      role: "user",
      sessionID: SESSION,
      time: { created: log.events[0]?.at },
      sdk: { uuid: log.turn },
    })
    expect(message?.parts).toMatchObject([{ type: "text", text: "Hello", messageID: message?.info.id }])
    expect(message?.parts[0]).not.toHaveProperty("synthetic")
  })

  it("has the model and mode of its options until system/init names those in use", () => {
    const log = new TurnLog()
    log.queued("Hi", { model: "sonnet", permissionMode: "plan" })
    expect(project(log)[0]?.info).toMatchObject({ model: { modelID: "sonnet" }, permissionMode: "plan" })
    log.init({ model: "claude-sonnet-5-5", permissionMode: "plan" })
    expect(project(log)[0]?.info).toMatchObject({ model: { providerID: "anthropic", modelID: "claude-sonnet-5-5" } })
  })

  it("shows images and documents as file parts", () => {
    const [message] = project(
      begun([
        { type: "text", text: "Look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        { type: "document", title: "a.pdf", source: { type: "url", url: "https://example.com/a.pdf" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "a b" } },
        { type: "document", source: { type: "file", file_id: "file_1" } },
        { type: "unheard_of" },
      ]),
    )
    expect(message?.parts).toMatchObject([
      { type: "text", text: "Look" },
      { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" },
      { type: "file", filename: "a.pdf", url: "https://example.com/a.pdf" },
      { type: "file", mime: "text/plain", url: "data:text/plain,a%20b" },
      { type: "file", url: "file_id:file_1" },
    ])
  })
})

describe("synthetic messages", () => {
  it("are synthetic user messages; the echo of a prompt is not shown twice", () => {
    const log = begun()
    log.sdk("user", { uuid: log.turn, isReplay: true, message: { role: "user", content: "Hello" } })
    // Of another prompt that is part of the turn: it has its own message.
    log.sdk("user", { isReplay: true, message: { role: "user", content: "Hello\nand quickly" } })
    log.sdk("user", { isSynthetic: true, message: { role: "user", content: "Go on" } })
    const users = project(log).filter((message) => message.info.role === "user")
    expect(users.map((message) => message.parts)).toMatchObject([
      [{ text: "Hello" }],
      [{ text: "Go on", synthetic: true }],
    ])
  })

  it("a compaction is a part of its own", () => {
    const log = begun()
    log.sdk("system/compact_boundary", { compact_metadata: { trigger: "auto", pre_tokens: 5 } })
    expect(project(log).at(-1)?.parts).toMatchObject([{ type: "compaction", auto: true }])
  })

  it("a subagent's messages name their call and answer its prompt", () => {
    const log = begun()
    log.toolUse("m1", "agent", "Agent", { description: "Look", prompt: "find" })
    log.parent = "agent"
    log.sdk("user", {
      message: { role: "user", content: [{ type: "text", text: "find" }] },
      parent_tool_use_id: "agent",
    })
    log.toolUse("m2", "t2", "Read", { file_path: "/a" })
    log.toolResult("t2", "text")
    log.parent = null
    log.toolResult("agent", "found")
    log.result("error_during_execution")
    const [user, main, prompt, sub] = project(log)
    expect(infoOf(main)).toMatchObject({ parentID: user?.info.id, error: { name: "MessageAbortedError" } })
    expect(infoOf(sub)).toMatchObject({ parentID: prompt?.info.id, sdk: { parentToolUseId: "agent" } })
    expect(infoOf(sub)).not.toHaveProperty("error")
    expect(tools([main!, sub!]).map((part) => part.state.status)).toEqual(["completed", "completed"])
  })
})

describe("the fold", () => {
  it("assigns ids that ascend in time, as opencode does", () => {
    const log = begun([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ])
    for (let n = 0; n < 30; n += 1) {
      log.block(`m${n}`, { type: "thinking", thinking: "t" }, { type: "text", text: "x" })
      log.call(`m${n}`)
    }
    const messages = project(log)
    const messageIds = messages.map((message) => message.info.id)
    const partIds = messages.flatMap((message) => message.parts.map((part) => part.id))
    for (const ids of [messageIds, partIds]) {
      expect(ids).toEqual([...new Set(ids)].toSorted())
      for (const id of ids) expect(id).toMatch(/^(msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}$/)
    }
  })

  it("reports which messages an event changed, and applies each event once", () => {
    const log = begun()
    const text = log.text("m1", "Hi")
    const call = log.call("m1")
    const projection = new PartsProjection(SESSION)
    const changed = log.events.map((event) => projection.apply(event))
    const [user, answer] = projection.messages().map((message) => message.info.id)
    expect(changed).toEqual([[user], [user], [answer], [answer]])
    expect([text, call].map((event) => projection.apply(event))).toEqual([[], []])
    expect(projection.message(answer!)?.parts).toHaveLength(3)
  })

  it("drops a turn only when it is finished, and ignores what follows its result", () => {
    const log = begun()
    const projection = new PartsProjection(SESSION)
    for (const event of log.events) projection.apply(event)
    projection.dropFlushed(Number.MAX_SAFE_INTEGER)
    expect(projection.messages()).toHaveLength(1)
    expect(projection.settledBefore()).toBe(1)
    projection.apply(log.result())
    expect(projection.settledBefore()).toBe(4)
    expect(projection.apply(log.text("late", "x"))).toEqual([])
    projection.dropFlushed(Number.MAX_SAFE_INTEGER)
    expect(projection.messages()).toEqual([])
    expect(projection.apply(log.text("later", "x"))).toEqual([])
  })

  it("frees only what was stored: a finished turn stays until its last change is stored", () => {
    const log = begun()
    log.text("m1", "one")
    const call = log.call("m1")
    log.text("m2", "two")
    const projection = new PartsProjection(SESSION)
    for (const event of log.events) projection.apply(event)
    projection.dropFlushed(call.seq - 1)
    expect(projection.messages()).toHaveLength(3)
    projection.dropFlushed(call.seq)
    expect(projection.messages().map((message) => types(message.parts))).toEqual([["text"], ["step-start", "text"]])
    const result = log.result()
    projection.apply(result)
    projection.dropFlushed(result.seq - 1)
    expect(projection.changedSince(result.seq)).toHaveLength(1)
    projection.dropFlushed(result.seq)
    expect(projection.messages()).toEqual([])
  })

  it("marks a prompt as queued until its turn starts, or it joins another one", () => {
    const log = begun("first")
    const first = log.turn
    log.queued("second")
    const second = log.turn
    log.queued("third")
    const third = log.turn
    const queued = () =>
      project(log).flatMap(({ info }) => (info.role === "user" && info.sdk?.queued === true ? [info.sdk.uuid] : []))
    expect(queued()).toEqual([second, third])
    const projection = new PartsProjection(SESSION)
    for (const event of log.events) projection.apply(event)
    expect(projection.hasQueued).toBe(true)
    const joined = log.add("turn:joined", { turn: second, prompt: "second" }, first)
    expect(projection.apply(joined)).toEqual([projection.messages()[1]?.info.id])
    expect(queued()).toEqual([third])
    log.turn = third
    projection.apply(log.init())
    expect(queued()).toEqual([])
    expect(projection.hasQueued).toBe(false)
  })

  it("has no message of a withdrawn prompt, and no longer waits for it", () => {
    const log = begun("first")
    const first = log.turn
    log.queued("second")
    const second = log.turn
    log.turn = first
    const projection = new PartsProjection(SESSION)
    for (const event of log.events) projection.apply(event)
    expect(projection.messages()).toHaveLength(2)
    expect(projection.queuedPrompt(second)).toBe(projection.messages()[1]?.info.id)
    projection.apply(log.add("turn:cancelled", {}, second))
    expect(projection.messages()).toHaveLength(1)
    expect(projection.queuedPrompt(second)).toBeUndefined()
    projection.apply(log.result())
    expect(projection.settledBefore()).toBe(log.events.length + 1)
    expect(project(log)).toEqual(projection.messages())
  })

  it("keeps a prompt that waits while another turn ends", () => {
    const log = begun("first")
    const first = log.turn
    log.queued("second")
    const second = log.turn
    log.turn = first
    log.text("m1", "answer")
    log.result()
    const projection = new PartsProjection(SESSION)
    for (const event of log.events) projection.apply(event)
    expect(projection.settledBefore()).toBe(3)
    projection.dropFlushed(log.events.length)
    log.turn = second
    log.init()
    log.text("m2", "other")
    log.result()
    const resumed = new PartsProjection(SESSION)
    for (const event of log.events.slice(2)) resumed.apply(event)
    for (const event of log.events) projection.apply(event)
    expect(resumed.messages()).toEqual(projection.messages())
    expect(resumed.messages()).toEqual(
      project(log)
        .filter(
          (message) =>
            message.info.role === "user" || message.parts.some((part) => "text" in part && part.text === "other"),
        )
        .slice(1),
    )
  })
})

import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { type AssistantInfo, Message, type Part, type ToolPart } from "../../src/schemas/parts.ts"
import { PartsProjection } from "../../src/views/parts.ts"
import { projectParts } from "../support/values/project-parts.ts"
import { SESSION, TurnLog } from "../support/session/turn-log.ts"

const project = (log: TurnLog) => {
  const messages = projectParts(SESSION, log.events)
  // Whatever the fold makes must fit the schema, with nothing beside it.
  Schema.decodeUnknownSync(Schema.Array(Message))(messages, { onExcessProperty: "error" })
  return messages
}

const answers = (log: TurnLog) => project(log).filter((message) => message.info.role === "assistant")
const infoOf = (message: Message | undefined) => message?.info as AssistantInfo
const types = (parts: ReadonlyArray<Part> | undefined) => parts?.map((part) => part.type)
const tools = (messages: ReadonlyArray<Message>) =>
  messages.flatMap((message) => message.parts).filter((part): part is ToolPart => part.type === "tool")

const begun = (prompt: unknown = "Hello", options = {}) => {
  const log = new TurnLog()
  log.queued(prompt, options)
  log.init()
  return log
}

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

describe("an answer", () => {
  it("is one message for all blocks of one API message, in order", () => {
    const log = begun()
    log.block("m1", { type: "thinking", thinking: "hm", signature: "sig" })
    log.block("m1", { type: "redacted_thinking", data: "xyz" })
    log.text("m1", "Hi")
    log.toolUse("m1", "t1", "Read", { file_path: "/a" })
    log.call("m1", { stop_reason: "tool_use" })
    const [answer, ...others] = answers(log)
    expect(others).toEqual([])
    expect(types(answer?.parts)).toEqual([
      "step-start",
      "reasoning",
      "redacted-reasoning",
      "text",
      "tool",
      "step-finish",
    ])
    expect(answer?.parts).toMatchObject([
      {},
      { text: "hm", signature: "sig" },
      { data: "xyz" },
      { text: "Hi" },
      {
        callID: "t1",
        tool: "read",
        state: { status: "pending", input: { file_path: "/a" }, raw: '{"file_path":"/a"}' },
      },
      { reason: "tool_use", cost: 0.25 },
    ])
  })

  it("carries who it answers, where, and which SDK message it is", () => {
    const log = begun()
    const first = log.text("m1", "Hi")
    const [user, answer] = project(log)
    expect(answer?.info).toMatchObject({
      parentID: user?.info.id,
      modelID: "claude-opus-5-5",
      providerID: "anthropic",
      permissionMode: "acceptEdits",
      path: { cwd: "/workspace", root: "/workspace" },
      time: { created: first.at },
      cost: 0,
      sdk: { uuid: first.uuid, sessionId: SESSION },
    })
    expect(infoOf(answer).time).not.toHaveProperty("completed")
  })

  it("gets cost, tokens and its finish from call:finished", () => {
    const log = begun()
    log.text("m1", "Hi")
    const usage = {
      input_tokens: 100,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 9,
    }
    const call = log.call("m1", { usage, usd: 0.5 })
    const tokens = { input: 100, output: 50, reasoning: 20, cache: { read: 7, write: 9 } }
    const [answer] = answers(log)
    expect(answer?.info).toMatchObject({ cost: 0.5, tokens, finish: "end_turn", time: { completed: call.at } })
    expect(answer?.parts.at(-1)).toMatchObject({ type: "step-finish", reason: "end_turn", cost: 0.5, tokens })
  })

  it("is marked when its model has no price", () => {
    const log = begun()
    log.text("m1", "Hi")
    log.call("m1", { usd: null })
    expect(answers(log)[0]?.info).toMatchObject({ cost: 0, sdk: { unpriced: true } })
  })

  it("is another message when a server uses the same id again", () => {
    const log = begun()
    log.text("m1", "one")
    log.call("m1")
    log.text("m1", "two")
    log.call("m1", { usd: 1 })
    expect(answers(log).map((answer) => infoOf(answer).cost)).toEqual([0.25, 1])
  })

  it("of a request whose answer had no block leaves no message", () => {
    const log = begun()
    log.call("m0", { wasted: true })
    log.result()
    expect(answers(log)).toEqual([])
  })

  it("follows the mode that changes in the middle of the turn", () => {
    const log = begun()
    log.sdk("system/status", { status: null, permissionMode: "plan" })
    log.text("m1", "Hi")
    expect(answers(log)[0]?.info.permissionMode).toBe("plan")
  })
})

describe("a tool call", () => {
  const called = () => {
    const log = begun()
    log.toolUse("m1", "t1", "Bash", { command: "ls", description: "List files" })
    return log
  }

  it("runs from its PreToolUse hook to its result", () => {
    const log = called()
    const hook = log.hook("PreToolUse", { tool_use_id: "t1" })
    expect(tools(project(log))[0]?.state).toEqual({
      status: "running",
      input: { command: "ls", description: "List files" },
      title: "List files",
      time: { start: hook.at },
    })
    const result = log.toolResult("t1", "a\nb", { is_error: false, output: { stdout: "a\nb" } })
    expect(tools(project(log))[0]?.state).toEqual({
      status: "completed",
      input: { command: "ls", description: "List files" },
      output: "a\nb",
      title: "List files",
      metadata: { tool_use_result: { stdout: "a\nb" } },
      time: { start: hook.at, end: result.at },
    })
  })

  it("that fails keeps the error text and the structured result", () => {
    const log = called()
    const use = log.events.at(-1)
    const result = log.toolResult("t1", "Exit code 1", { is_error: true, output: "Error: Exit code 1" })
    expect(tools(project(log))[0]?.state).toEqual({
      status: "error",
      input: { command: "ls", description: "List files" },
      error: "Exit code 1",
      metadata: { tool_use_result: "Error: Exit code 1" },
      time: { start: use?.at, end: result.at },
    })
  })

  it("keeps images of its result as attachments", () => {
    const log = called()
    const source = { type: "base64", media_type: "image/png", data: "AA" }
    log.toolResult("t1", [
      { type: "text", text: "one" },
      { type: "image", source },
      { type: "text", text: "two" },
    ])
    const state = tools(project(log))[0]?.state
    expect(state).toMatchObject({
      output: "one\ntwo",
      attachments: [{ type: "file", url: "data:image/png;base64,AA" }],
    })
  })

  it("gets its own result when parallel results come out of order and before the answer's end", () => {
    const log = begun()
    for (const id of ["t1", "t2", "t3"]) log.toolUse("m1", id, "Read", { file_path: `/${id}` })
    log.toolResult("t3", "three")
    log.text("m1", "late text")
    log.toolResult("t1", "one")
    log.call("m1", { stop_reason: "tool_use" })
    expect(infoOf(answers(log)[0]).time).not.toHaveProperty("completed")
    const last = log.toolResult("t2", "two")
    expect(tools(project(log)).map((part) => part.state)).toMatchObject([
      { status: "completed", output: "one", title: "/t1" },
      { status: "completed", output: "two", title: "/t2" },
      { status: "completed", output: "three", title: "/t3" },
    ])
    expect(types(answers(log)[0]?.parts)).toEqual(["step-start", "tool", "tool", "tool", "text", "step-finish"])
    expect(infoOf(answers(log)[0]).time.completed).toBe(last.at)
  })

  it("keeps its first result", () => {
    const log = called()
    log.toolResult("t1", "first")
    log.toolResult("t1", "second")
    expect(tools(project(log))[0]?.state).toMatchObject({ output: "first" })
  })

  it("without a result when the turn ends is an error", () => {
    const log = called()
    log.toolUse("m1", "t2", "Read", { file_path: "/a" })
    log.call("m1")
    log.hook("PreToolUse", { tool_use_id: "t1" })
    const result = log.result()
    const states = tools(project(log)).map((part) => part.state)
    expect(states).toMatchObject([
      { status: "error", error: "Tool execution was interrupted", time: { end: result.at } },
      { status: "error", error: "Tool execution was interrupted", time: { end: result.at } },
    ])
    expect(infoOf(answers(log)[0]).time.completed).toBe(result.at)
  })

  it("of the API's own tools ends in the same message", () => {
    const log = begun()
    log.block("m1", { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } })
    const content = [{ type: "web_search_result", url: "https://example.com" }]
    log.block("m1", { type: "web_search_tool_result", tool_use_id: "s1", content })
    expect(tools(project(log))[0]).toMatchObject({
      tool: "web_search",
      state: { status: "completed", title: "q", output: JSON.stringify(content) },
    })
  })

  it("has the names that a parts client knows", () => {
    const log = begun()
    const names = ["Read", "TodoWrite", "Agent", "LS", "TaskCreate", "mcp__Docs__Find", "setLight"]
    names.forEach((name, index) => log.toolUse("m1", `t${index}`, name, {}))
    expect(tools(project(log)).map((part) => part.tool)).toEqual([
      "read",
      "todowrite",
      "task",
      "list",
      "taskcreate",
      "mcp__Docs__Find",
      "setLight",
    ])
  })

  it("is named by what it asks or what is to be done", () => {
    const log = begun()
    log.toolUse("m1", "t1", "AskUserQuestion", { questions: [{ question: "Which?" }, { question: "Why?" }] })
    log.toolUse("m1", "t2", "TaskCreate", { subject: "Write it", description: "" })
    for (const id of ["t1", "t2"]) log.toolResult(id, "Done.")
    expect(tools(project(log)).map(({ state }) => state)).toMatchObject([{ title: "Which?" }, { title: "Write it" }])
  })
})

describe("trouble", () => {
  it("an interrupt marks the last answer as aborted and keeps its text", () => {
    const log = begun()
    log.text("m1", "done")
    log.call("m1")
    log.text("m2", "half of")
    log.sdk("user", { message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] } })
    log.call("m2", { stop_reason: null })
    log.result("error_during_execution", {
      errors: ["The turn was interrupted."],
      terminal_reason: "aborted_streaming",
    })
    const [first, second] = answers(log)
    expect(infoOf(first)).not.toHaveProperty("error")
    expect(infoOf(second)).toMatchObject({
      error: { name: "MessageAbortedError", data: { message: "The turn was interrupted." } },
      finish: "cancelled",
    })
    expect(second?.parts).toMatchObject([
      { type: "step-start" },
      { text: "half of" },
      { type: "step-finish", reason: "unknown" },
    ])
  })

  it("a turn that broke inside the server is not shown as aborted", () => {
    const log = begun()
    log.text("m1", "half of")
    log.result("error_during_execution", { errors: ["broken"], terminal_reason: "turn_setup_failed" })
    expect(infoOf(answers(log)[0]).error).toEqual({ name: "UnknownError", data: { message: "broken" } })
  })

  it("retries come at the beginning of the next answer of their thread", () => {
    const log = begun()
    const retry = { attempt: 1, max_retries: 10, retry_delay_ms: 500, error_status: 529, error: "overloaded" }
    const event = log.sdk("system/api_retry", retry)
    log.sdk("system/api_retry", { ...retry, attempt: 2, error_status: null, error: "unknown" })
    log.text("m1", "Hi")
    log.text("m2", "again")
    const [first, second] = answers(log)
    expect(types(first?.parts)).toEqual(["retry", "retry", "step-start", "text"])
    expect(types(second?.parts)).toEqual(["step-start", "text"])
    expect(first?.parts).toMatchObject([
      {
        attempt: 1,
        time: { created: event.at },
        error: { name: "APIError", data: { statusCode: 529, isRetryable: true } },
      },
      { attempt: 2, error: { data: { isRetryable: true } } },
      {},
      {},
    ])
  })

  it.each([
    ["authentication_failed", 401, { name: "ProviderAuthError", data: { providerID: "anthropic", message: "bad" } }],
    ["overloaded", 529, { name: "APIError", data: { message: "bad", statusCode: 529, isRetryable: true } }],
    ["invalid_request", 400, { name: "APIError", data: { message: "bad", statusCode: 400, isRetryable: false } }],
    ["max_output_tokens", null, { name: "MessageOutputLengthError", data: {} }],
    ["unknown", null, { name: "UnknownError", data: { message: "bad" } }],
  ])("an API failure %s is shown by name", (error, status, expected) => {
    const log = begun()
    log.sdk("assistant", {
      message: { id: "x", model: "<synthetic>", content: [{ type: "text", text: "bad" }] },
      error,
      ...(status === null ? {} : { api_error_status: status }),
    })
    log.result("success", { is_error: true })
    const [answer] = answers(log)
    expect(infoOf(answer).error).toEqual(expected)
    expect(types(answer?.parts)).toEqual(["text"])
    expect(infoOf(answer).time.completed).toBe(infoOf(answer).time.created)
  })
})

describe("messages that no person wrote", () => {
  it("are synthetic user messages; an echo of a prompt is not shown twice", () => {
    const log = begun()
    log.sdk("user", { uuid: log.turn, isReplay: true, message: { role: "user", content: "Hello" } })
    // Of another prompt that is part of the turn: it has a message of its own.
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

  it("a subagent's messages name the call that they belong to and answer its prompt", () => {
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
  it("gives ids that ascend in time, as opencode writes them", () => {
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

  it("reports which messages an event changed, and takes each event once", () => {
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

  it("forgets a turn only when it is finished, and ignores what comes after its result", () => {
    const log = begun()
    const projection = new PartsProjection(SESSION)
    for (const event of log.events) projection.apply(event)
    expect(projection.drop(log.turn)).toBe(false)
    expect(projection.settledBefore()).toBe(1)
    projection.apply(log.result())
    expect(projection.settledBefore()).toBe(4)
    expect(projection.apply(log.text("late", "x"))).toEqual([])
    expect(projection.drop(log.turn)).toBe(true)
    expect(projection.messages()).toEqual([])
    expect(projection.apply(log.text("later", "x"))).toEqual([])
  })

  it("frees only what was stored: a finished turn stays until its last change is", () => {
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

// Asks as events of opencode's bus: the request and its answer.
import { describe, expect, it } from "vitest"
import type { AskOpened, AskSettled } from "../../../src/schemas/log/ask-events.ts"
import { askOpened, askSettled } from "../../../src/views/bus/ask-events.ts"

const SESSION = "a5f3b1de-3a01-4c05-9d52-0f9a3c1b7e11"

const asked = (more: Partial<AskOpened> = {}): AskOpened => ({
  request_id: "r1",
  kind: "permission",
  tool_name: "Bash",
  tool_use_id: "call_1",
  input: { command: "npm test --watch" },
  expires_at: 1,
  ...more,
})
const settled = (answer: AskSettled["answer"], more: Partial<AskSettled> = {}): AskSettled => ({
  request_id: "r1",
  by: "client",
  answer,
  ...more,
})
const replied = (answer: AskSettled["answer"], more: Partial<AskSettled> = {}) => {
  const event = askSettled(SESSION, asked(), settled(answer, more))
  return event?.type === "permission.replied" ? event.properties.reply : event?.type
}

describe("a permission", () => {
  it("is sent with the missing permission, what `always` would save, and the call's part", () => {
    const approval = {
      needs: [
        { permission: "bash", pattern: "npm test --watch" },
        { permission: "external_directory", pattern: "/etc/x" },
      ],
      always: [{ permission: "bash", pattern: "npm test *" }],
    }
    expect(askOpened(SESSION, asked({ approval, description: "Runs tests" }), "msg_1")).toEqual({
      type: "permission.asked",
      properties: {
        id: "r1",
        sessionID: SESSION,
        permission: "bash",
        patterns: ["npm test --watch"],
        always: ["npm test *"],
        metadata: { tool: "Bash", input: { command: "npm test --watch" }, description: "Runs tests" },
        tool: { messageID: "msg_1", callID: "call_1" },
      },
    })
  })

  it.each([
    ["Bash", { command: "ls" }, "bash", "ls"],
    ["Write", { file_path: "/a", content: "x" }, "edit", "/a"],
    ["NotebookEdit", { notebook_path: "/n.ipynb" }, "edit", "/n.ipynb"],
    ["Read", { file_path: "/a" }, "read", "/a"],
    ["Grep", { pattern: "TODO" }, "grep", "TODO"],
    ["Glob", { pattern: "*.ts", path: "/src" }, "glob", "/src"],
    ["LS", { path: "/src" }, "list", "/src"],
    ["Agent", { subagent_type: "explore", prompt: "x" }, "task", "explore"],
    ["WebFetch", { url: "https://example.com/" }, "webfetch", "https://example.com/"],
    ["mcp__github__createIssue", { title: "x" }, "mcp__github__createIssue", "*"],
    ["GetWeather", { city: "Oslo" }, "getweather", "*"],
  ])("of %s %j is %s for %s where the log names no patterns", (tool_name, input, permission, pattern) => {
    const event = askOpened(SESSION, asked({ tool_name, input }))
    expect(event?.properties).toMatchObject({ permission, patterns: [pattern], always: [] })
    expect(event?.properties).not.toHaveProperty("tool")
  })

  it("is replied once, always or reject", () => {
    expect(replied({ behavior: "allow" })).toBe("once")
    expect(replied({ behavior: "allow" }, { reply: "always" })).toBe("always")
    expect(replied({ behavior: "allow", updatedPermissions: [{ type: "addRules" }] })).toBe("always")
    expect(replied({ behavior: "allow", decisionClassification: "user_permanent" })).toBe("always")
    expect(replied({ behavior: "deny", message: "no" })).toBe("reject")
    expect(replied({ behavior: "deny", message: "late" }, { by: "expiry" })).toBe("reject")
  })

  it("also asks whether a call with an unknown outcome should be repeated", () => {
    expect(askOpened(SESSION, asked({ kind: "outcome" }))).toMatchObject({
      type: "permission.asked",
      properties: { metadata: { kind: "outcome" } },
    })
    const event = askSettled(SESSION, asked({ kind: "outcome" }), settled({ behavior: "result", content: "done" }))
    expect(event).toMatchObject({ type: "permission.replied", properties: { reply: "once" } })
  })
})

describe("a question", () => {
  const questions = [
    {
      question: "Which colour?",
      header: "A header of more than thirty letters",
      options: [
        { label: "Red", description: "warm", preview: "r" },
        { label: "Red, dark", description: "warmer" },
      ],
      multiSelect: true,
    },
    { question: "Why?", header: "Why", options: [], multiSelect: false },
  ]
  const ask = asked({ kind: "question", tool_name: "AskUserQuestion", input: { questions } })

  it("is sent in opencode's shape", () => {
    expect(askOpened(SESSION, ask, "msg_1")).toEqual({
      type: "question.asked",
      properties: {
        id: "r1",
        sessionID: SESSION,
        questions: [
          {
            question: "Which colour?",
            header: "A header of more than thirty l",
            options: [
              { label: "Red", description: "warm" },
              { label: "Red, dark", description: "warmer" },
            ],
            multiple: true,
          },
          { question: "Why?", header: "Why", options: [] },
        ],
        tool: { messageID: "msg_1", callID: "call_1" },
      },
    })
  })

  it.each([
    [{ "Which colour?": "Red, Red, dark", "Why?": "Well, so" }, [["Red", "Red, dark"], ["Well, so"]]],
    [{ "Which colour?": "Red, Blue, I think" }, [["Red", "Blue, I think"], []]],
    [{}, [[], []]],
  ])("answered with %j gives its answers one by one", (answers, expected) => {
    const event = askSettled(SESSION, ask, settled({ behavior: "allow", updatedInput: { questions, answers } }))
    expect(event).toEqual({
      type: "question.replied",
      properties: { sessionID: SESSION, requestID: "r1", answers: expected },
    })
  })

  it("that was refused is sent as rejected", () => {
    expect(askSettled(SESSION, ask, settled({ behavior: "deny", message: "no" }))).toEqual({
      type: "question.rejected",
      properties: { sessionID: SESSION, requestID: "r1" },
    })
  })
})

describe("a plan", () => {
  const ask = asked({ kind: "plan", tool_name: "ExitPlanMode", input: { plan: "1. Look" } })

  it("is sent with its text", () => {
    expect(askOpened(SESSION, ask, "msg_1")).toEqual({
      type: "plan.asked",
      properties: { id: "r1", sessionID: SESSION, callID: "call_1", plan: "1. Look" },
    })
  })

  it("is approved, sent back with a message, or abandoned", () => {
    const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
    const place = { sessionID: SESSION, requestID: "r1" }
    expect(askSettled(SESSION, ask, settled({ behavior: "allow", updatedPermissions }))).toEqual({
      type: "plan.replied",
      properties: { ...place, approved: true, permissionMode: "acceptEdits" },
    })
    expect(askSettled(SESSION, ask, settled({ behavior: "deny", message: "Shorter" }))).toEqual({
      type: "plan.replied",
      properties: { ...place, approved: false, message: "Shorter" },
    })
    const interrupted = settled({ behavior: "deny", message: "x", interrupt: true }, { by: "interrupt" })
    expect(askSettled(SESSION, ask, interrupted)).toEqual({ type: "plan.rejected", properties: place })
  })
})

describe("asks without an opencode form", () => {
  const place = { sessionID: SESSION, requestID: "r1" }

  it("a call of a client's tool is sent with its name and input, and ends answered or not", () => {
    const ask = asked({ kind: "client_tool", tool_name: "set_light", input: { room: "hall" } })
    expect(askOpened(SESSION, ask, "msg_1")).toEqual({
      type: "client_tool.asked",
      properties: {
        id: "r1",
        sessionID: SESSION,
        name: "set_light",
        input: { room: "hall" },
        tool: { messageID: "msg_1", callID: "call_1" },
      },
    })
    expect(askSettled(SESSION, ask, settled({}))).toEqual({ type: "client_tool.replied", properties: place })
    for (const by of ["expiry", "interrupt", "failure"] as const)
      expect(askSettled(SESSION, ask, settled({}, { by }))).toEqual({ type: "client_tool.rejected", properties: place })
  })

  it("a form of an MCP server is sent with only the server's name", () => {
    const input = { url: "https://example.com/?state=secret" }
    const ask = asked({ kind: "elicitation", tool_use_id: "", input, mcp_server: { name: "far", source: "user" } })
    expect(askOpened(SESSION, ask)).toEqual({
      type: "elicitation.asked",
      properties: { id: "r1", sessionID: SESSION, server: "far" },
    })
    expect(askSettled(SESSION, ask, settled({ action: "decline" }))).toEqual({
      type: "elicitation.replied",
      properties: place,
    })
  })
})

// A tool call as a part: its state from its first hook to its result.
import { describe, expect, it } from "vitest"
import { answers, begun, infoOf, project, tools, types } from "../../support/views/projected.ts"

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

  it("gets its own result when parallel results arrive out of order and before the answer's end", () => {
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

  it("of a tool that the API runs ends in the same message", () => {
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

  it("has the title of its question or its task", () => {
    const log = begun()
    log.toolUse("m1", "t1", "AskUserQuestion", { questions: [{ question: "Which?" }, { question: "Why?" }] })
    log.toolUse("m1", "t2", "TaskCreate", { subject: "Write it", description: "" })
    for (const id of ["t1", "t2"]) log.toolResult(id, "Done.")
    expect(tools(project(log)).map(({ state }) => state)).toMatchObject([{ title: "Which?" }, { title: "Write it" }])
  })
})

// The heading and the content of a tool call's card.
import { expect, it } from "vitest"
import { countedHunks } from "../../../../src/console/chat/tools/file-change.ts"
import { outcomeOf, shownInput } from "../../../../src/console/chat/tools/tool-outcome.ts"
import { subagentView } from "../../../../src/console/chat/agents/subagent-view.ts"
import {
  callDuration,
  partialFields,
  printedOutput,
  toolLabel,
  toolView,
} from "../../../../src/console/chat/tools/tool-view.ts"
import type { Part, ToolState } from "../../../../src/console/store/frames.ts"

const call = (tool: string, state: Partial<ToolState>, more: object = {}): Part => ({
  id: "prt_1",
  messageID: "msg_1",
  type: "tool",
  tool,
  callID: "toolu_1",
  state: { status: "completed", ...state },
  ...more,
})

it.each([
  ["bash", { command: "ls\npwd", description: "List" }, "ls …"],
  ["read", { file_path: "/a.txt" }, "/a.txt"],
  ["grep", { pattern: "x", path: "/src" }, "x in /src"],
  ["task", { description: "Look north", prompt: "Please" }, "Look north"],
  ["todowrite", { todos: [{}, {}] }, "2 items"],
  ["askuserquestion", { questions: [{ question: "Which?" }] }, "Which?"],
  ["mcp__github__search", { query: "cats" }, "cats"],
  ["taskcreate", { subject: "Read the logs", description: "All of them" }, "Read the logs"],
  ["taskupdate", { taskId: "3", status: "completed" }, "3"],
  ["sendmessage", { to: "scout", message: "Go on" }, "scout"],
  ["readmcpresourcetool", { server: "docs", uri: "docs://a" }, "docs://a"],
  ["odd", { other: 1 }, ""],
])("names a call of %s by its input", (tool, input, title) => {
  expect(toolView(call(tool, { input })).title).toBe(title)
})

it("names tools of MCP servers by server and tool", () => {
  expect(toolLabel("mcp__github__create_issue")).toBe("github: create_issue")
  expect(toolLabel("notebookedit")).toBe("Edit notebook")
  expect(toolLabel("mine")).toBe("mine")
  expect(toolLabel("listmcpresourcestool")).toBe("ListMcpResourcesTool")
})

it("reads the title from an incomplete input", () => {
  expect(partialFields('{"file_path": "/a \\"b\\".txt", "content": "li')).toEqual({
    file_path: '/a "b".txt',
    content: "li",
  })
  const state = { status: "pending", input: {}, raw: '{"command":"npm te' } as const
  expect(toolView(call("bash", state))).toMatchObject({ title: "npm te", status: "pending", statusText: "pending" })
})

const REJECTED = { permission_decision: { decision: "reject", source: "user_reject" } }

it.each([
  ["No.", { ...REJECTED, non_execution_kind: "permission-rule" }, "denied", "⊘"],
  ["No.", REJECTED, "denied", "⊘"],
  ["Stopped.", { non_execution_kind: "user-rejected" }, "interrupted", "■"],
  ["Tool execution was interrupted", undefined, "interrupted", "■"],
  ["No such file.", {}, "error", "✕"],
  ["No such file.", undefined, "error", "✕"],
])("shows the error %j with %j as %s", (error, metadata, status, icon) => {
  const part = call("bash", { status: "error", error, ...(metadata === undefined ? {} : { metadata }) })
  expect(toolView(part)).toMatchObject({ status, icon })
})

it.each([
  ["bash", { backgroundTaskId: "b1" }],
  ["task", { status: "async_launched", agentId: "a1" }],
])("a call of %s that has started something in the background is not shown as done", (tool, tool_use_result) => {
  const part = call(tool, { output: "", metadata: { tool_use_result } })
  expect(toolView(part)).toMatchObject({ status: "background", statusText: "started in the background" })
})

it.each([
  ["completed", "✓", "done in the background"],
  ["failed", "✕", "failed in the background"],
  ["killed", "■", "stopped in the background"],
])("shows that its background task has ended with %s", (end, icon, statusText) => {
  const part = call("bash", { output: "", metadata: { tool_use_result: { backgroundTaskId: "b1" } } })
  expect(toolView(part, end)).toMatchObject({ status: "background", icon, statusText })
  expect(toolView(call("bash", { output: "" }), end)).toMatchObject({ icon: "✓", statusText: "done" })
})

it("counts the lines that a call changes, but not those of a call that failed", () => {
  const input = { file_path: "/a", old_string: "a", new_string: "b" }
  const lines = countedHunks(call("edit", { status: "running", input }))?.flatMap((hunk) => hunk.lines)
  expect(lines).toEqual(["-a", "+b"])
  expect(countedHunks(call("edit", { status: "error", error: "No such file.", input }))).toBeNull()
})

it("returns the duration of a call", () => {
  expect(callDuration(call("bash", { time: { start: 5, end: 17 } }))).toBe(12)
  expect(callDuration(call("bash", { time: { start: 5 } }))).toBeNull()
})

it("shows the file's own text of a Read, and links of a search", () => {
  const read = { output: "1\ta", metadata: { tool_use_result: { type: "text", file: { content: "a" } } } }
  expect(outcomeOf(call("read", read)).output).toBe("a")
  expect(outcomeOf(call("read", { output: "9\ta\n10\t\tb\n11\t" })).output).toBe("a\n\tb\n")
  expect(outcomeOf(call("read", { output: "9\ta\nThe file is longer." })).output).toBe("9\ta\nThe file is longer.")
  const results = [
    { tool_use_id: "x", content: [{ title: "One", url: "https://one.example/" }, { url: "javascript:1" }] },
    "text",
  ]
  expect(outcomeOf(call("websearch", { output: "…", metadata: { tool_use_result: { results } } })).links).toEqual([
    { title: "One", url: "https://one.example/" },
  ])
})

it("notes what the sandbox denied and what continues in the background", () => {
  const metadata = { tool_use_result: { backgroundTaskId: "b1" } }
  const part = call("bash", { output: "", metadata }, { metadata: { sandboxViolations: ["network x"] } })
  expect(outcomeOf(part).notes).toEqual(["The sandbox refused: network x", "Its task in the background is b1."])
})

it.each([
  ["taskcreate", { subject: "Read the logs", description: "All of them" }, "description: All of them"],
  ["mcp__shop__find", { query: "cats", description: "Grey ones", path: "/a" }, "description: Grey ones\npath: /a"],
  ["grep", { pattern: "x", path: "/src", glob: "*.ts" }, "glob: *.ts"],
  ["read", { file_path: "/a.txt" }, ""],
  ["skill", { skill: "review\nnow" }, "skill: review\nnow"],
])("the card of %s with %j shows below its title what that does not", (tool, input, shown) => {
  expect(shownInput(call(tool, { input }))).toBe(shown)
})

it("shows the rest of the input, a line for each field", () => {
  expect(shownInput(call("grep", { input: { pattern: "x", output_mode: "count", head: 3 } }))).toBe(
    "output_mode: count\nhead: 3",
  )
})

it("shows a subagent's report without the reminder for the model", () => {
  const input = { subagent_type: "reviewer", prompt: "Review" }
  const output = "Fine.\n<system-reminder>\nx\n</system-reminder>"
  expect(subagentView(call("task", { input, output }))).toMatchObject({
    agent: "reviewer",
    report: "Fine.",
    prompt: "Review",
  })
  const result = {
    status: "completed",
    agentType: "general",
    content: [{ type: "text", text: "Good." }],
    totalToolUseCount: 2,
  }
  expect(subagentView(call("task", { input, output, metadata: { tool_use_result: result } }))).toMatchObject({
    agent: "general",
    report: "Good.",
    facts: ["2 calls"],
  })
  const launched = { tool_use_result: { status: "async_launched", agentId: "a1" } }
  expect(subagentView(call("task", { input, output, metadata: launched }))).toMatchObject({
    isBackground: true,
    report: "",
  })
})

it("accepts results of any shape", () => {
  for (const tool_use_result of [null, "Error: x", 3, [], { results: 5 }, { file: null }, { content: {} }])
    for (const tool of ["read", "websearch", "bash", "task"])
      expect(() => {
        const part = call(tool, { output: "x", metadata: { tool_use_result } })
        outcomeOf(part)
        subagentView(part)
      }).not.toThrow()
})

it("a tool named like an inherited property of objects has that title", () => {
  expect(["bash", "constructor", "toString"].map(toolLabel)).toEqual([toolLabel("bash"), "constructor", "toString"])
})

it("shows what a command printed without the escapes of its colours, and what a file has as it is", () => {
  const red = "\u001B[31mred\u001B[0m"
  expect(outcomeOf(call("bash", { output: red })).output).toBe("red")
  expect(outcomeOf(call("bash", { status: "error", error: red })).error).toBe("red")
  expect(printedOutput(call("bash", { status: "running", metadata: { output: red } }))).toBe("red")
  expect(outcomeOf(call("read", { output: `1\t${red}` })).output).toBe(red)
})

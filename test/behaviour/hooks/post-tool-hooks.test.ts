// Hooks after a tool call: what the model and clients read of its result, and whether the turn continues.
import { describe, expect, it } from "vitest"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { DONE, hooksOf, loop, payloadsOf, resultOf, textOf } from "../../support/session/loop.ts"
import { taskOutputTool } from "../../../src/tools/bash/task-output.ts"
import { taskStopTool } from "../../../src/tools/bash/task-stop.ts"
import { skillTool } from "../../../src/tools/skills/skill.ts"

const { finish, connected, scripted } = loop()

const write = (file = "n.txt", content = "x") => call("Write", { file_path: `/workspace/${file}`, content })
const post = (fields: object) => ({ hookSpecificOutput: { hookEventName: "PostToolUse", ...fields } })

describe("a PostToolUse hook", () => {
  it("sees the workspace as the call left it", async () => {
    let seen: string | null = null
    const { client, workspace, idle, session } = await connected({
      PostToolUse: () => {
        seen = workspace.readText("/workspace/n.txt")
        return {}
      },
    })
    const script = scripted([{ content: [write()] }, DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(seen).toBe("x")
    expect(client.called[0]?.input).toMatchObject({
      tool_response: { type: "create", filePath: "/workspace/n.txt" },
      duration_ms: expect.any(Number),
    })
  })

  it("adds a text for the model after the result", async () => {
    const { sent } = await finish([{ content: [write()] }, DONE], {
      PostToolUse: post({ additionalContext: "tests fail" }),
    })
    expect(textOf(sent()[1]?.at(-1))).toContain("PostToolUse:Write hook additional context: tests fail")
  })

  it("that blocks sends its reason to the model, and the turn continues", async () => {
    const { sent, result, workspace } = await finish([{ content: [write()] }, DONE], {
      PostToolUse: { decision: "block", reason: "bad style" },
    })
    expect(textOf(sent()[1]?.at(-1))).toContain("PostToolUse:Write hook blocking error: bad style")
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
    expect(result()).toMatchObject({ result: "Done." })
  })

  it("replaces the output, for the model and for clients", async () => {
    const echo = call("Bash", { command: "echo secret" })
    const given = { stdout: "removed", stderr: "", interrupted: false }
    const { sent, events } = await finish([{ content: [echo] }, DONE], {
      PostToolUse: post({ updatedToolOutput: given }),
    })
    expect(sent()[1]?.at(-1)?.content).toMatchObject([{ type: "tool_result", content: "removed" }])
    expect(payloadsOf(events(), "sdk:user")).toMatchObject([{ tool_use_result: given }])
  })

  const CELLS = JSON.stringify({
    cells: [{ id: "c1", cell_type: "code", source: "a" }],
    nbformat: 4,
    nbformat_minor: 5,
  })

  // As recorded: the output of every one of these tools can be replaced.
  it.each([
    ["Write", [write("n.txt", "secret")], { content: "removed" }, "Created /workspace/n.txt."],
    [
      "Edit",
      [
        write("n.txt", "secret"),
        call("Edit", { file_path: "/workspace/n.txt", old_string: "secret", new_string: "b" }),
      ],
      { oldString: "removed", originalFile: null, structuredPatch: [] },
      "Updated /workspace/n.txt.",
    ],
    [
      "NotebookEdit",
      [
        write("a.ipynb", CELLS),
        call("NotebookEdit", { notebook_path: "/workspace/a.ipynb", cell_id: "c1", new_source: "secret" }),
      ],
      { new_source: "removed", original_file: "", updated_file: "" },
      "Updated cell c1 with removed",
    ],
    [
      "TaskCreate",
      [call("TaskCreate", { subject: "secret", description: "d" })],
      { task: { id: "1", subject: "removed" } },
      "removed",
    ],
    [
      "TaskGet",
      [call("TaskCreate", { subject: "secret", description: "d" }), call("TaskGet", { taskId: "1" })],
      { task: null },
      "There is no such task",
    ],
    [
      "TaskList",
      [call("TaskCreate", { subject: "secret", description: "d" }), call("TaskList", {})],
      { tasks: [] },
      "There are no tasks",
    ],
    ["TaskUpdate", [call("TaskUpdate", { taskId: "7", subject: "b" })], { error: "removed" }, "removed"],
    [
      "TodoWrite",
      [call("TodoWrite", { todos: [{ content: "secret", status: "pending", activeForm: "s" }] })],
      { newTodos: [] },
      "0 item(s)",
    ],
    ["LS", [write("n.txt", "x"), call("LS", { path: "/workspace" })], { entries: [] }, "The directory is empty."],
    ["EnterPlanMode", [call("EnterPlanMode", {})], { message: "removed" }, "removed"],
    ["ExitPlanMode", [call("EnterPlanMode", {}), call("ExitPlanMode", {})], { plan: "removed" }, "The plan:\\nremoved"],
    ["SendMessage", [call("SendMessage", { to: "missing", message: "m" })], { message: "removed" }, "removed"],
  ] as const)("replaces the output of %s", async (name, calls, changed, text) => {
    const { sent, events } = await finish([...calls.map((one) => ({ content: [one] })), DONE], {
      PostToolUse: ({ tool_name: tool, tool_response: output }) =>
        tool === name ? post({ updatedToolOutput: { ...(output as object), ...changed } }) : {},
      PermissionRequest: {
        hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow", updatedInput: {} } },
      },
    })
    expect(JSON.stringify(sent().at(-1)?.at(-1)?.content)).toContain(text)
    expect(payloadsOf(events(), "sdk:user").at(-1)).toMatchObject({ tool_use_result: changed })
  })

  const stopped = { message: "removed", task_id: "b1", task_type: "local_bash" }
  const ended = { task_id: "b1", task_type: "local_bash", status: "completed", description: "d", output: "removed" }

  it.each([
    [skillTool, { success: true, commandName: "removed" }, "Launching skill: removed"],
    [skillTool, { success: true, commandName: "s", status: "forked", result: "removed" }, "Result:\nremoved"],
    [taskStopTool, stopped, JSON.stringify(stopped)],
    [taskOutputTool, { retrieval_status: "success", task: ended }, "<output>\nremoved\n</output>"],
  ])("replaces the output of $name by one of its shape only", (tool, output, text) => {
    expect(tool.contentOf?.(output, "before")).toContain(text)
    expect(tool.contentOf?.({ removed: true }, "before")).toBeNull()
  })

  it("that replaces a file's path leaves the file known to the model", async () => {
    const edit = call("Edit", { file_path: "/workspace/n.txt", old_string: "x", new_string: "y" })
    const { workspace } = await finish([{ content: [write()] }, { content: [edit] }, DONE], {
      PostToolUse: ({ tool_response: output }) =>
        post({ updatedToolOutput: { ...(output as object), filePath: "/hidden" } }),
    })
    expect(workspace.readText("/workspace/n.txt")).toBe("y")
  })

  it("can't replace the output with one that does not match the tool's output schema", async () => {
    const { sent } = await finish([{ content: [call("Bash", { command: "echo kept" })] }, DONE], {
      PostToolUse: post({ updatedToolOutput: { secret: "removed" } }),
    })
    expect(sent()[1]?.at(-1)?.content).toMatchObject([{ type: "tool_result", content: "kept" }])
  })

  it("that stops ends the turn once the calls of the answer have ended", async () => {
    const { sent, result, workspace, events } = await finish([{ content: [write("a"), write("b")] }, DONE], {
      PostToolUse: { continue: false, stopReason: "enough" },
    })
    expect(workspace.exists("/workspace/a") && workspace.exists("/workspace/b")).toBe(true)
    expect(result()).toMatchObject({ subtype: "success", terminal_reason: "hook_stopped", stop_reason: "tool_use" })
    expect(hooksOf(events())).not.toContain("Stop")
    expect(sent()).toHaveLength(1)
  })

  // As the official SDK: a PostToolUse hook that stops drops its context.
  it.each([
    ["PostToolUse", false],
    ["PostToolBatch", true],
    ["Stop", true],
  ])("that stops (%s) leaves its reason for the next prompt, with its context: %s", async (event, keepsContext) => {
    const { session, idle, sent, script } = await finish([{ content: [write()] }, DONE], {
      [event]: {
        continue: false,
        stopReason: "enough",
        hookSpecificOutput: { hookEventName: event, additionalContext: "a context" },
      },
    })
    prompt(session, `${promptFor(script)} more`)
    await idle()
    const texts = JSON.stringify(sent().at(-1))
    expect(texts).toContain(
      `${event === "PostToolUse" ? "PostToolUse:Write" : event} hook stopped continuation: enough`,
    )
    expect(texts.includes("hook additional context: a context")).toBe(keepsContext)
  })

  it("is not called for a call that failed, which fires PostToolUseFailure", async () => {
    const failing = call("Bash", { command: "echo no; exit 3", description: "d" })
    const { client, sent } = await finish([{ content: [failing] }, DONE], {
      PostToolUse: {},
      PostToolUseFailure: { hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: "try 4" } },
    })
    expect(client.called.map((one) => one.callbackId)).toEqual(["PostToolUseFailure"])
    expect(client.called[0]?.input).toMatchObject({ error: "Exit code 3\nno", is_interrupt: false })
    expect(textOf(sent()[1]?.at(-1))).toContain("PostToolUseFailure:Bash hook additional context: try 4")
  })
})

describe("a PostToolBatch hook", () => {
  it("receives all calls of an answer together, in the order in which the model made them", async () => {
    let endFast = () => undefined as void
    const fastEnded = new Promise<void>((resolve) => {
      endFast = resolve
    })
    const slow = call("Glob", { pattern: "slow" })
    const fast = call("Glob", { pattern: "fast" })
    const { client, sent } = await finish([{ content: [slow, fast] }, DONE], {
      PreToolUse: async (input) => {
        if (input["tool_use_id"] === slow.id) await fastEnded
        return {}
      },
      PostToolUse: (input) => {
        if (input["tool_use_id"] === fast.id) setTimeout(endFast, 0)
        return {}
      },
      PostToolBatch: { hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: "both" } },
    })
    const batches = client.called.filter((one) => one.callbackId === "PostToolBatch")
    expect(batches.map((batch) => batch.input["tool_calls"])).toMatchObject([
      [
        { tool_use_id: slow.id, tool_name: "Glob", tool_input: { pattern: "slow" }, tool_response: "No files found" },
        { tool_use_id: fast.id, tool_name: "Glob", tool_input: { pattern: "fast" }, tool_response: "No files found" },
      ],
    ])
    expect(textOf(sent()[1]?.at(-1))).toContain("PostToolBatch hook additional context: both")
  })

  it("that stops ends the turn", async () => {
    const { sent, result } = await finish([{ content: [write()] }, DONE], { PostToolBatch: { continue: false } })
    expect(result()).toMatchObject({ terminal_reason: "hook_stopped" })
    expect(sent()).toHaveLength(1)
  })

  it("that waits when the turn is interrupted counts as a tool that was aborted, as recorded", async () => {
    const { client, session, idle, log } = await connected({
      PostToolBatch: async () => {
        await client.request("interrupt")
        return {}
      },
    })
    prompt(session, promptFor(scripted([{ content: [write()] }, DONE])))
    await idle()
    const texts = payloadsOf(eventsOf(log), "sdk:user").map(({ message }) => JSON.stringify(message))
    expect(texts.at(-1)).toContain('"[Request interrupted by user]"')
    expect(resultOf(eventsOf(log))).toMatchObject({
      subtype: "error_during_execution",
      terminal_reason: "aborted_tools",
    })
  })
})

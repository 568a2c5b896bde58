// The session's hooks apply to calls that a client makes itself, outside any turn, just as in a turn.
import { describe, expect, it } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, hooksOf, loop, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import type { HookTable } from "../../support/session/session-client.ts"

const { connected, scripted } = loop()

const A = "/workspace/a.txt"
const write = { file_path: A, content: "a" }
const pre = (fields: Record<string, unknown>) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } })

const called = async (
  hooks: HookTable,
  name = "Write",
  input: Record<string, unknown> = write,
  options?: SessionOptions,
) => {
  const opened = await connected(hooks, options)
  const result = await opened.directCalls.call(name, input)
  return { ...opened, result, events: (): ReadonlyArray<LogEvent> => eventsOf(opened.log) }
}

describe("a call that a client makes itself", () => {
  it("fires the hooks before and after it, and they are logged without a turn", async () => {
    const { client, result, events, workspace } = await called({ PreToolUse: {}, PostToolUse: {} })
    expect(result).not.toHaveProperty("is_error")
    expect(workspace.exists(A)).toBe(true)
    expect(client.called.map(({ callbackId }) => callbackId)).toEqual(["PreToolUse", "PostToolUse"])
    for (const { input } of client.called) {
      expect(input).toMatchObject({ tool_name: "Write", tool_input: write })
      expect(input).not.toHaveProperty("prompt_id")
    }
    expect(hooksOf(events())).toEqual(["PreToolUse", "PostToolUse"])
    expect(
      events()
        .filter(({ name }) => name === "hook:fired")
        .map(({ turn }) => turn),
    ).toEqual([null, null])
    expect(payloadsOf(events(), "tool:called")).toMatchObject([{ tool_name: "Write", output: { filePath: A } }])
  })

  it("changes the workspace before its PostToolUse hooks are called", async () => {
    const opened = await connected({
      PostToolUse: (): Record<string, unknown> => ({
        systemMessage: opened.workspace.exists(A) ? "there" : "not there",
      }),
    })
    await opened.directCalls.call("Write", write)
    const [fired] = payloadsOf(eventsOf(opened.log), "hook:fired").filter(
      (one) => one["hook_event_name"] === "PostToolUse",
    )
    expect(fired).toMatchObject({ outcome: { systemMessages: ["there"] } })
  })

  it.each([
    ["deny", pre({ permissionDecision: "deny", permissionDecisionReason: "not now" }), "not now"],
    ["block", { decision: "block", reason: "not now" }, "not now"],
    ["ask", pre({ permissionDecision: "ask", permissionDecisionReason: "is it good?" }), ""],
    ["defer", pre({ permissionDecision: "defer" }), "nothing resumes it"],
    ["continue: false", { continue: false, stopReason: "stop it" }, "stop it"],
  ])("is refused when a hook answers %s", async (_, answer, text) => {
    const { result, events, workspace } = await called({ PreToolUse: answer })
    expect(result).toMatchObject({
      is_error: true,
      reason: "permission_denied",
      content: expect.stringContaining(text),
    })
    expect(workspace.exists(A)).toBe(false)
    expect(hooksOf(events())).toContain("PreToolUse")
  })

  it("runs with the input that a hook returns", async () => {
    const { result, workspace } = await called({
      PreToolUse: pre({ permissionDecision: "allow", updatedInput: { ...write, content: "b" } }),
    })
    expect(result).not.toHaveProperty("is_error")
    expect(workspace.readText(A)).toBe("b")
  })

  it("returns the output that a hook replaced", async () => {
    const output = { type: "text", file: { filePath: A, content: "other", numLines: 1, startLine: 1, totalLines: 1 } }
    const specific = { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: output } }
    const opened = await connected({ PostToolUse: specific })
    opened.workspace.writeBytes(A, "secret")
    const result = await opened.directCalls.call("Read", { file_path: A })
    expect(JSON.stringify(result)).not.toContain("secret")
    expect(result).toMatchObject({ output })
  })

  it("may be allowed by a PermissionRequest hook, and is refused without one", async () => {
    const decision = (behavior: string) => ({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior } },
    })
    const options: SessionOptions = { permissionMode: "default" }
    const allowed = await called({ PermissionRequest: decision("allow") }, "Write", write, options)
    expect(allowed.workspace.exists(A)).toBe(true)
    const denied = await called({ PermissionRequest: decision("deny") }, "Write", write, options)
    expect(denied.workspace.exists(A)).toBe(false)
    const none = await called({}, "Write", write, options)
    expect(none.result).toMatchObject({ reason: "permission_denied" })
    expect(hooksOf(none.events())).toEqual(["PreToolUse", "PermissionRequest", "PermissionDenied"])
  })

  it("is allowed by a hook that also changes the session's permissions", async () => {
    const mode = { type: "setMode", mode: "acceptEdits", destination: "session" }
    const decision = { behavior: "allow", updatedPermissions: [mode] }
    const hooks = { PermissionRequest: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } } }
    const { client, session } = await called(hooks, "Write", write, { permissionMode: "default" })
    expect(session.info().permissionMode).toBe("acceptEdits")
    expect(client.frames.filter(({ subtype }) => subtype === "status")).toMatchObject([
      { permissionMode: "acceptEdits" },
    ])
  })

  it("that only reads can't change files during a turn, even if a hook rewrites it", async () => {
    const opened = await connected({
      PreToolUse: (input) =>
        (input["tool_input"] as { command: string }).command === "pwd"
          ? pre({ permissionDecision: "allow", updatedInput: { command: "echo x > made.txt" } })
          : new Promise(() => undefined),
    })
    prompt(opened.session, promptFor(scripted([{ content: [call("Bash", { command: "ls" })] }, DONE])))
    await until(() => opened.client.called.length === 1)
    const result = await opened.directCalls.call("Bash", { command: "pwd" })
    expect(result).toMatchObject({
      is_error: true,
      content: expect.stringContaining("A hook turned this call into one"),
    })
    expect(opened.workspace.exists("/workspace/made.txt")).toBe(false)
    await opened.stopTurn()
    await opened.idle()
  })

  it("without hooks is still logged as hook events", async () => {
    const { events } = await called({}, "Write", write, BYPASS)
    expect(hooksOf(events())).toEqual(["PreToolUse", "PostToolUse"])
  })
})

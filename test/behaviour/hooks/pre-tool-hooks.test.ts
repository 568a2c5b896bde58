// Hooks before a tool call: whether it runs, with which input, and when it is resumed.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { BYPASS, DONE, hooksOf, loop, namesOf, payloadsOf, textOf, toolResultsOf } from "../../support/session/loop.ts"

const { finish, start, scripted } = loop()

const write = (file = "n.txt", content = "x") => call("Write", { file_path: `/workspace/${file}`, content })
const pre = (fields: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } })

describe("a PreToolUse hook", () => {
  it("receives the call, and an empty answer changes nothing", async () => {
    const use = write()
    const { client, workspace } = await finish([{ content: [use] }, DONE], { PreToolUse: {} })
    expect(workspace.readText("/workspace/n.txt")).toBe("x")
    expect(client.called).toHaveLength(1)
    expect(client.called[0]?.toolUseId).toBe(use.id)
    expect(client.called[0]?.input).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "Write",
      tool_input: { file_path: "/workspace/n.txt", content: "x" },
      tool_use_id: use.id,
      permission_mode: "bypassPermissions",
    })
  })

  it("that denies prevents the call from running, in every mode, and the denial is listed", async () => {
    const use = write()
    const { workspace, events, result, sent } = await finish([{ content: [use] }, DONE], {
      PreToolUse: pre({ permissionDecision: "deny", permissionDecisionReason: "not here" }),
    })
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(toolResultsOf(events())).toMatchObject([
      { tool_use_id: use.id, is_error: true, content: "PreToolUse:Write hook error: not here" },
    ])
    expect(hooksOf(events())).not.toContain("PostToolUse")
    expect(result()).toMatchObject({ subtype: "success", permission_denials: [{ tool_use_id: use.id }] })
    expect(sent()).toHaveLength(2)
  })

  it("that denies beats one that allows", async () => {
    const { workspace } = await finish([{ content: [write()] }, DONE], {
      PreToolUse: [pre({ permissionDecision: "allow" }), { decision: "block", reason: "no" }],
    })
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
  })

  it("that allows runs a call that would open an ask", async () => {
    const { workspace, events } = await finish(
      [{ content: [write()] }, DONE],
      { PreToolUse: pre({ permissionDecision: "allow" }) },
      {},
    )
    expect(workspace.readText("/workspace/n.txt")).toBe("x")
    expect(namesOf(events())).not.toContain("ask:opened")
  })

  it("that allows does not beat a deny rule", async () => {
    const { workspace } = await finish(
      [{ content: [write()] }, DONE],
      { PreToolUse: pre({ permissionDecision: "allow" }) },
      { disallowedTools: ["Edit(./n.txt)"] },
    )
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
  })

  it("that asks opens an ask for a call that every mode would allow", async () => {
    const { client, session, idle, workspace } = await start([{ content: [write()] }, DONE], {
      PreToolUse: pre({ permissionDecision: "ask", permissionDecisionReason: "look at it" }),
    })
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    expect(client.asked("can_use_tool")[0]?.request).toMatchObject({
      tool_name: "Write",
      decision_reason: "look at it",
      decision_reason_type: "hook",
    })
    expect(session.state).toBe("idle")
    expect(workspace.readText("/workspace/n.txt")).toBe("x")
  })

  it("replaces the model's input", async () => {
    const { workspace, client } = await finish([{ content: [write()] }, DONE], {
      PreToolUse: pre({ updatedInput: { file_path: "/workspace/other.txt", content: "y" } }),
      PostToolUse: {},
    })
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(workspace.readText("/workspace/other.txt")).toBe("y")
    expect(client.called.at(-1)?.input).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_input: { file_path: "/workspace/other.txt", content: "y" },
    })
  })

  it("whose input is invalid for the tool fails the call", async () => {
    const { events, workspace } = await finish([{ content: [write()] }, DONE], {
      PreToolUse: pre({ updatedInput: { path: 1 } }),
    })
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(String(toolResultsOf(events())[0]?.content)).toMatch(/^A PreToolUse hook changed the input of Write/)
  })

  it("that returns an input with a denied path can't bypass the rule", async () => {
    const { workspace, events } = await finish(
      [{ content: [write("open.txt")] }, DONE],
      {
        PreToolUse: pre({ permissionDecision: "allow", updatedInput: { file_path: "/workspace/n.txt", content: "y" } }),
      },
      { ...BYPASS, disallowedTools: ["Edit(./n.txt)"] },
    )
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true })
  })

  it("that stops ends the turn before the call runs", async () => {
    const use = write()
    const { workspace, events, result, sent } = await finish([{ content: [use] }, DONE], {
      PreToolUse: { continue: false, stopReason: "enough" },
    })
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(toolResultsOf(events())).toMatchObject([{ tool_use_id: use.id, is_error: true }])
    expect(result()).toMatchObject({ subtype: "success", is_error: false, terminal_reason: "hook_stopped" })
    expect(hooksOf(events())).not.toContain("Stop")
    expect(sent()).toHaveLength(1)
  })

  it("that stops one of several calls runs no later one without its hooks", async () => {
    const [first, second] = [write("one.txt"), write("two.txt")]
    const { events, result } = await finish([{ content: [first, second] }, DONE], {
      PreToolUse: (input) => (input["tool_use_id"] === first.id ? { continue: false } : {}),
    })
    expect(toolResultsOf(events()).map((block) => block.tool_use_id)).toEqual([first.id, second.id])
    expect(result()).toMatchObject({ terminal_reason: "hook_stopped" })
  })

  it("adds a text for the model after the result", async () => {
    const { sent } = await finish([{ content: [write()] }, DONE], { PreToolUse: pre({ additionalContext: "beware" }) })
    expect(textOf(sent()[1]?.at(-1))).toContain("PreToolUse:Write hook additional context: beware")
  })

  it("is called once, and not again when the call waits for a person", async () => {
    const { client, session, idle, workspace } = await start(
      [{ content: [write()] }, DONE],
      { PreToolUse: pre({ updatedInput: { file_path: "/workspace/hook.txt", content: "h" } }) },
      {},
    )
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    expect(client.asked("can_use_tool")[0]?.request).toMatchObject({
      input: { file_path: "/workspace/hook.txt", content: "h" },
    })
    expect(workspace.readText("/workspace/hook.txt")).toBe("h")
    expect(client.called).toHaveLength(1)
    expect(session.state).toBe("idle")
  })

  it("shows a message to users, not to the model", async () => {
    const { events, sent } = await finish([{ content: [write()] }, DONE], { PreToolUse: { systemMessage: "seen" } })
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      { content: "PreToolUse:Write says: seen", level: "notice" },
    ])
    expect(JSON.stringify(sent())).not.toContain("seen")
  })

  it("with an invalid answer is a failure that clients receive, and the call runs", async () => {
    const { events, workspace } = await finish([{ content: [write()] }, DONE], { PreToolUse: { continue: "perhaps" } })
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([{ tag: "hook_callback_failed" }])
  })

  it("is not called for calls that are unknown, malformed or refused by their tool", async () => {
    const { client } = await finish(
      [
        {
          content: [
            call("Nope", {}),
            call("Read", { path: 1 }),
            call("Edit", { file_path: "/workspace/a", old_string: "a", new_string: "b" }),
          ],
        },
        DONE,
      ],
      { PreToolUse: {}, PostToolUse: {}, PostToolUseFailure: {}, PostToolBatch: {} },
    )
    expect(client.called.map((one) => one.callbackId)).toEqual(["PostToolBatch"])
  })
})

describe("a call that a hook defers", () => {
  const deferOnce = () => {
    let times = 0
    return () => {
      times += 1
      return times === 1 ? pre({ permissionDecision: "defer" }) : {}
    }
  }

  it("ends the turn without a result for the call", async () => {
    const use = write()
    const { idle, events, result, workspace, session } = await start([{ content: [use] }, DONE], {
      PreToolUse: deferOnce(),
    })
    await idle()
    expect(result()).toMatchObject({
      subtype: "success",
      stop_reason: "tool_deferred",
      terminal_reason: "tool_deferred",
      deferred_tool_use: { id: use.id, name: "Write", input: use.input },
    })
    expect(toolResultsOf(events())).toEqual([])
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(session.state).toBe("idle")
  })

  it("is resumed in a turn of its own before the next prompt", async () => {
    const use = write()
    const { idle, events, client, session, workspace, sent, turn } = await start(
      [{ content: [use] }, textAnswer("It is written."), textAnswer("Next.")],
      { PreToolUse: deferOnce(), UserPromptSubmit: {}, PostToolUse: {} },
    )
    await idle()
    const script = scripted([textAnswer("Hello.")])
    const next = prompt(session, promptFor(script))
    await idle()
    expect(workspace.readText("/workspace/n.txt")).toBe("x")
    const results = events().filter((event) => event.name.startsWith("sdk:result"))
    expect(results).toHaveLength(3)
    expect(results[0]?.turn).toBe(turn)
    expect(results[1]?.payload).toMatchObject({ result: "It is written." })
    expect(results[2]).toMatchObject({ turn: next, payload: { result: "Hello." } })
    expect(client.called.map((one) => one.callbackId)).toEqual([
      "UserPromptSubmit",
      "PreToolUse",
      "PreToolUse",
      "PostToolUse",
      "UserPromptSubmit",
      "UserPromptSubmit",
    ])
    expect(new Set(client.called.map((one) => one.requestId)).size).toBe(6)
    // The call's result comes first, then the text that continues.
    const own = events().filter((event) => event.turn === results[1]?.turn && event.name.startsWith("sdk:"))
    expect(namesOf(own).slice(0, 2)).toEqual(["sdk:user", "sdk:system/init"])
    expect(sent()[1]?.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: use.id },
      { type: "text", text: "Continue from where you left off." },
    ])
  })

  it("that is deferred again is abandoned, and the next prompt runs", async () => {
    const { idle, session, events, workspace } = await start([{ content: [write()] }, DONE], {
      PreToolUse: pre({ permissionDecision: "defer" }),
    })
    await idle()
    const script = scripted([textAnswer("Hello.")])
    prompt(session, promptFor(script))
    await idle()
    const results = payloadsOf(events(), "sdk:result/success")
    expect(results.map((result) => result["terminal_reason"])).toEqual(["tool_deferred", "tool_deferred", "completed"])
    expect(payloadsOf(events(), "tool:skipped")).toHaveLength(1)
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
  })

  it("keeps the results of its sibling calls", async () => {
    const glob = call("Glob", { pattern: "*" })
    const { idle, events, result } = await start([{ content: [glob, write()] }, DONE], {
      PreToolUse: (input) => (input["tool_name"] === "Write" ? pre({ permissionDecision: "defer" }) : {}),
    })
    await idle()
    expect(toolResultsOf(events()).map((block) => block.tool_use_id)).toEqual([glob.id])
    expect(result()).toMatchObject({ deferred_tool_use: { name: "Write" } })
  })
})

it("hooks of calls and of the turn's end get the effort of a model that has one", async () => {
  const failing = call("Read", { file_path: "/workspace/none.txt" })
  const hooks = { UserPromptSubmit: {}, PreToolUse: {}, PostToolUseFailure: {}, PostToolBatch: {}, Stop: {} }
  const effortsOf = async (options: SessionOptions) => {
    const { client } = await finish([{ content: [failing] }, DONE], hooks, { ...BYPASS, ...options })
    return client.called.map(({ callbackId, input }) => [callbackId, input["effort"]])
  }
  const low = { level: "low" }
  expect(await effortsOf({ model: "claude-opus-5-5", effort: "low" })).toEqual([
    ["UserPromptSubmit", undefined],
    ["PreToolUse", low],
    ["PostToolUseFailure", low],
    ["PostToolBatch", low],
    ["Stop", low],
  ])
  expect((await effortsOf({ model: "claude-opus-5-5" })).at(-1)).toEqual(["Stop", { level: "medium" }])
  expect((await effortsOf({ model: "claude-sonnet-4-5", effort: "low" })).at(-1)).toEqual(["Stop", undefined])
})

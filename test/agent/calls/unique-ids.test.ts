// A gateway may repeat a call's id, or send none. Each call still has its own hooks, asks and result.
import { describe, expect, it } from "vitest"
import { call, text } from "../../support/session/scripts.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const { finish } = loop()

const bash = (command: string) => call("Bash", { command }, "call_0")
const idsOf = (results: ReadonlyArray<{ readonly tool_use_id?: unknown }>) =>
  results.map(({ tool_use_id: id }) => String(id))

const ANSWERS = {
  "in the next answer": [{ content: [bash("touch a")] }, { content: [bash("touch b")] }, DONE],
  "in the same answer": [{ content: [bash("touch a"), bash("touch b")] }, DONE],
  "in an answer that did not stream": [
    [
      { content: [text("lost words here")], mid_error: { after: 4, type: "overloaded_error", message: "busy" } },
      { content: [bash("touch a"), bash("touch b")] },
    ],
    DONE,
  ],
}

describe.each(Object.entries(ANSWERS))("a call that repeats the id of another call, %s,", (_, script) => {
  it("fires its own hooks, and a hook that denies it prevents it from running", async () => {
    const { client, events, workspace } = await finish(
      script,
      {
        PreToolUse: (input) => ({
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: JSON.stringify(input["tool_input"]).includes("touch b") ? "deny" : "allow",
          },
        }),
        PostToolUse: {},
      },
      BYPASS,
    )
    const called = client.called.map(({ input }) => input["hook_event_name"])
    expect(called).toEqual(["PreToolUse", "PostToolUse", "PreToolUse"])
    expect([workspace.exists("/workspace/a"), workspace.exists("/workspace/b")]).toEqual([true, false])
    const ids = idsOf(toolResultsOf(events()))
    expect(ids[0]).toBe("call_0")
    expect(ids[1]).toMatch(/^toolu_[0-9a-f]{32}$/)
  })

  it("opens its own ask", async () => {
    const { events, workspace } = await finish(
      script,
      {
        PermissionRequest: (input) => ({
          hookSpecificOutput: {
            hookEventName: "PermissionRequest",
            decision: JSON.stringify(input["tool_input"]).includes("touch b")
              ? { behavior: "deny", message: "not this one" }
              : { behavior: "allow" },
          },
        }),
      },
      {},
    )
    expect(payloadsOf(events(), "ask:opened")).toHaveLength(2)
    expect([workspace.exists("/workspace/a"), workspace.exists("/workspace/b")]).toEqual([true, false])
  })

  it("is sent back to the model under its own id", async () => {
    const { sent } = await finish(script, {}, BYPASS)
    const blocks = (sent().at(-1) ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []))
    const called = blocks.flatMap((block) => (block.type === "tool_use" ? [String(block["id"])] : []))
    const answered = blocks.flatMap((block) => (block.type === "tool_result" ? [String(block["tool_use_id"])] : []))
    expect(new Set(called).size).toBe(2)
    expect(answered).toEqual(called)
  })
})

it.each([
  ["no id", undefined],
  ["a blank id", ""],
])("a call with %s runs under one of its own", async (_, id) => {
  const use = { type: "tool_use", name: "Bash", id, input: { command: "touch a" } }
  const { client, events, result, workspace } = await finish([{ content: [use] }, DONE], { PreToolUse: {} })
  expect(workspace.exists("/workspace/a")).toBe(true)
  const [given] = idsOf(toolResultsOf(events()))
  expect(given).toMatch(/^toolu_[0-9a-f]{32}$/)
  expect(client.called.map(({ input }) => input["tool_use_id"])).toEqual([given])
  expect(result()).toMatchObject({ result: "Done.", num_turns: 2 })
})

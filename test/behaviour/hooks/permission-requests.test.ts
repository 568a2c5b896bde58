// PermissionRequest hooks of a session whose client answers no asks: what they decide, and what they change for later calls.
import { describe, expect, it } from "vitest"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { DONE, hooksOf, loop, namesOf, toolResultsOf, until } from "../../support/session/loop.ts"
import type { Frame } from "../../support/session/session-client.ts"

const { connected, finish, scripted, start } = loop()

const UNASKED = { permission_prompts: "deny" } as const
const write = (name: string) => call("Write", { file_path: `/workspace/${name}`, content: "x" })
const decides = (decision: Record<string, unknown>) => ({
  PermissionRequest: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } },
})
const allowsWith = (...updatedPermissions: ReadonlyArray<object>) => decides({ behavior: "allow", updatedPermissions })
const EDITS = { type: "setMode", mode: "acceptEdits", destination: "session" }

const modesOf = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap(({ subtype, permissionMode }) => (subtype === "status" && permissionMode ? [permissionMode] : []))

describe("a PermissionRequest hook that allows a call when no client can be asked", () => {
  it("changes the mode for later calls, and clients get the new mode before the result", async () => {
    const { client, events, session, workspace } = await finish(
      [{ content: [write("a")] }, { content: [write("b")] }, DONE],
      allowsWith(EDITS),
      UNASKED,
    )
    expect(workspace.exists("/workspace/b")).toBe(true)
    expect(hooksOf(events()).filter((name) => name === "PermissionRequest")).toHaveLength(1)
    expect(modesOf(client.frames)).toEqual(["acceptEdits"])
    const names = namesOf(events())
    expect(names.indexOf("sdk:system/status")).toBeLessThan(names.indexOf("sdk:user"))
    expect(session.info().permissionMode).toBe("acceptEdits")
  })

  it("adds a rule for later calls", async () => {
    const rule = { type: "addRules", rules: [{ toolName: "Write" }], behavior: "allow", destination: "session" }
    const { events } = await finish(
      [{ content: [write("a")] }, { content: [write("b")] }, DONE],
      allowsWith(rule),
      UNASKED,
    )
    expect(hooksOf(events()).filter((name) => name === "PermissionRequest")).toHaveLength(1)
  })

  // As the official SDK: the rule applies to the calls that follow.
  it.each([UNASKED, { permission_prompts: "ask" } as const])(
    "and adds rules that deny it runs that call, and none after it (%j)",
    async (options) => {
      const rules = [
        { toolName: "Bash", ruleContent: "touch a" },
        { toolName: "Edit", ruleContent: "./b" },
      ]
      const denies = rules.map((rule) => ({
        type: "addRules",
        rules: [{ ...rule }],
        behavior: "deny",
        destination: "session",
      }))
      const touch = () => call("Bash", { command: "touch a" })
      const calls = [touch(), touch(), write("b"), write("b")].map((one) => ({ content: [one] }))
      const { events, workspace } = await finish(
        [...calls, DONE],
        {
          PermissionRequest: (input) => ({
            hookSpecificOutput: {
              hookEventName: "PermissionRequest",
              decision: {
                behavior: "allow",
                updatedPermissions: [denies[input["tool_name"] === "Bash" ? 0 : 1]],
              },
            },
          }),
        },
        options,
      )
      const failed = toolResultsOf(events()).map(({ is_error }) => is_error === true)
      expect(failed).toEqual([false, true, false, true])
      expect([workspace.exists("/workspace/a"), workspace.exists("/workspace/b")]).toEqual([true, true])
    },
  )

  it("can't set bypassPermissions in a session that was not opened for it", async () => {
    const bypass = { type: "setMode", mode: "bypassPermissions", destination: "session" }
    const { client, session } = await finish([{ content: [write("a")] }, DONE], allowsWith(bypass), UNASKED)
    expect(modesOf(client.frames)).toEqual([])
    expect(session.info().permissionMode).toBe("default")
  })

  it("adds a rule once, however often it makes the same change", async () => {
    const rule = { type: "addRules", rules: [{ toolName: "Read" }], behavior: "allow", destination: "session" }
    const calls = ["a", "b", "c"].map((name) => ({ content: [write(name)] }))
    for (const options of [UNASKED, { permission_prompts: "ask" } as const]) {
      const { session } = await finish([...calls, DONE], allowsWith(rule), options)
      expect(session.record.permission_updates).toEqual([rule])
    }
  })
})

describe("a PermissionRequest hook that denies a call when no client can be asked", () => {
  it.each([false, true])("is announced to clients (interrupt: %s)", async (interrupt) => {
    const decision = { behavior: "deny", message: "not here", interrupt }
    const { client, events, result } = await finish([{ content: [write("a")] }, DONE], decides(decision), UNASKED)
    const denied = client.frames.filter(({ subtype }) => subtype === "permission_denied")
    expect(denied).toMatchObject([{ tool_name: "Write", message: "not here", decision_reason_type: "hook" }])
    expect(toolResultsOf(events())).toHaveLength(1)
    expect(result()["terminal_reason"]).toBe(interrupt ? "aborted_tools" : "completed")
  })

  it("without a message is announced without a reason", async () => {
    const { client } = await finish([{ content: [write("a")] }, DONE], decides({ behavior: "deny" }), UNASKED)
    const denied = client.frames.filter(({ subtype }) => subtype === "permission_denied")
    expect(denied).toMatchObject([{ tool_name: "Write", decision_reason_type: "hook" }])
    expect(denied[0]).not.toHaveProperty("decision_reason")
  })
})

describe("a PermissionRequest hook that allows a call with an invalid input", () => {
  const decision = { behavior: "allow", updatedInput: { file_path: 5 } }
  const INVALID = expect.stringContaining("`file_path`")

  it.each([
    ["deny", 1],
    ["ask", 0],
  ] as const)("denies it as a hook does (prompts: %s)", async (permission_prompts, announced) => {
    const { client, events, result, workspace } = await finish([{ content: [write("a")] }, DONE], decides(decision), {
      permission_prompts,
    })
    expect(workspace.exists("/workspace/a")).toBe(false)
    expect(client.frames.filter(({ subtype }) => subtype === "permission_denied")).toHaveLength(announced)
    expect(toolResultsOf(events())).toMatchObject([{ content: INVALID, is_error: true }])
    expect(result()["permission_denials"]).toMatchObject([{ tool_name: "Write" }])
  })
})

describe("a PermissionRequest hook about what a tool asks the user", () => {
  const which = {
    question: "Which?",
    header: "H",
    multiSelect: false,
    options: [
      { label: "A", description: "a" },
      { label: "B", description: "b" },
    ],
  }
  const question = call("AskUserQuestion", { questions: [which] })
  const plan = call("ExitPlanMode", {})
  const inPlanMode = { permissionMode: "plan" } as const

  // As recorded: the user decides.
  it.each([
    ["a question", question, {}],
    ["a plan", plan, inPlanMode],
  ])("can't allow %s without an input of its own", async (_, asked, options) => {
    const { client, idle, events, session } = await start([{ content: [asked] }, DONE], allowsWith(), options)
    await until(() => client.asked("can_use_tool").length === 1 && hooksOf(events()).includes("PermissionRequest"))
    expect(session.state).toBe("requires_action")
    client.answer(client.asked("can_use_tool")[0]!.id, { behavior: "deny", message: "not yet" })
    await idle()
    expect(toolResultsOf(events())[0]).toMatchObject({ content: "not yet", is_error: true })
  })

  it("allows a plan with an input, and answers a question", async () => {
    const allows = (updatedInput: object) => decides({ behavior: "allow", updatedInput })
    const planned = await finish([{ content: [plan] }, DONE], allows({}), inPlanMode)
    expect(planned.session.info().permissionMode).toBe("default")
    const answered = await finish(
      [{ content: [question] }, DONE],
      allows({ questions: [which], answers: { "Which?": "B" } }),
      {},
    )
    expect(JSON.stringify(toolResultsOf(answered.events())[0])).toContain("B")
  })

  it.each([
    ["a question", question, {}],
    ["a plan", plan, inPlanMode],
  ])("can deny %s", async (_, asked, options) => {
    const { events } = await finish([{ content: [asked] }, DONE], decides({ behavior: "deny", message: "no" }), options)
    expect(toolResultsOf(events())[0]).toMatchObject({ content: "no", is_error: true })
  })
})

// As recorded.
it("a PreToolUse hook that allows a plan with an input accepts it, and without one the user decides", async () => {
  const plan = { content: [call("ExitPlanMode", {})] }
  const allows = (fields: object) => ({
    PreToolUse: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", ...fields } },
  })
  const accepted = await finish([plan, DONE], allows({ updatedInput: {} }), { permissionMode: "plan" })
  expect(accepted.session.info().permissionMode).toBe("default")
  const { client, session } = await start([plan, DONE], allows({}), { permissionMode: "plan" })
  await until(() => client.asked("can_use_tool").length === 1)
  expect(session.info().permissionMode).toBe("plan")
})

// As recorded.
it.each([
  ["a deny rule", "allow", { deny: ["Write"] }, "default", []],
  ["a deny rule", "ask", { deny: ["Write"] }, "default", []],
  ["dontAsk, because of an ask rule,", "allow", { ask: ["Write"] }, "dontAsk", [{ decision_reason_type: "mode" }]],
] as const)("%s overrides a PreToolUse hook's %s", async (_, permissionDecision, permissions, permissionMode, sent) => {
  const hooks = { PreToolUse: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } } }
  const options = { settings: { permissions }, permissionMode } as const
  const { client, events } = await finish([{ content: [write("a")] }, DONE], hooks, options)
  expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true })
  expect(client.frames.filter(({ subtype }) => subtype === "permission_denied")).toMatchObject(sent)
})

// As recorded.
describe("a PreToolUse hook that asks about a question to the user", () => {
  const which = {
    question: "Which?",
    header: "Which",
    multiSelect: false,
    options: ["A", "B"].map((label) => ({ label, description: label })),
  }
  const question = { content: [call("AskUserQuestion", { questions: [which] })] }
  const asks = (fields: object) => ({
    PreToolUse: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask", ...fields } },
  })

  it("changes nothing without an input of its own", async () => {
    const { client } = await start([question, DONE], asks({}), {})
    await until(() => client.asked("can_use_tool").length === 1)
    expect(client.asked("can_use_tool")[0]?.request).not.toHaveProperty("decision_reason_type")
    const denied = await finish([question, DONE], asks({}), { permissionMode: "dontAsk" })
    expect(denied.client.asked("can_use_tool")).toEqual([])
    expect(toolResultsOf(denied.events())[0]).toMatchObject({ is_error: true })
  })

  it("is the reason if it provides an input, whose answers the user is shown", async () => {
    const updatedInput = { questions: [which], answers: { "Which?": "B" } }
    const { client, idle, events } = await start([question, DONE], asks({ updatedInput }), {})
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    const [asked] = client.asked("can_use_tool")
    expect(asked?.request).toMatchObject({ input: updatedInput, decision_reason_type: "hook" })
    expect(JSON.stringify(toolResultsOf(events())[0])).toContain("B")
  })
})

describe("a PermissionRequest hook that does not answer in time when no client can be asked", () => {
  it("is announced as any call that nothing allows", async () => {
    const { client, session, log, idle } = await connected({ PermissionRequest: () => undefined }, UNASKED)
    await client.initialize({
      hooks: { PermissionRequest: [{ hookCallbackIds: ["PermissionRequest"], timeout: 0.01 }] },
    })
    prompt(session, promptFor(scripted([{ content: [write("a")] }, DONE])))
    await idle()
    expect(client.called).toHaveLength(1)
    const denied = client.frames.filter(({ subtype }) => subtype === "permission_denied")
    expect(denied).toMatchObject([{ tool_name: "Write" }])
    expect(denied[0]).not.toHaveProperty("decision_reason_type")
    expect(toolResultsOf(eventsOf(log))).toMatchObject([{ is_error: true }])
  })
})

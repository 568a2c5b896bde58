// Subagents that their call waits for: their own conversation, what clients are sent of it, its cost and its end.
import { describe, expect, it } from "vitest"
import { BYPASS, DONE, hooksOf, loop, namesOf, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { finish, harnessOf, messagesSent, scripted, start } = loop()

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const bash = (command: string) => call("Bash", { command, description: "d" })
const HELPER = { description: "Helps.", prompt: "You are a helper.", tools: ["Read", "Bash"] }
const OPTIONS = { ...BYPASS, agents: { helper: HELPER } }
/** A call of the helper, which runs the script `name`. */
const delegate = (name: string, more: object = {}) =>
  call("Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: promptFor(name),
    run_in_background: false,
    ...more,
  })

describe("a subagent that its call waits for", () => {
  it.each(["PreToolUse", "PostToolUse", "PostToolBatch", "SubagentStart", "SubagentStop"])(
    "in which a %s hook fails has clients warned, as recorded",
    async (event) => {
      const sub = scripted([calls(bash("echo one")), textAnswer("Sub result.")])
      const { events } = await finish(
        [calls(delegate(sub)), DONE],
        { [event]: (input) => (input["agent_id"] === undefined ? {} : "no object") },
        OPTIONS,
      )
      expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
        { level: "warning", tag: "hook_callback_failed", content: expect.stringMatching(`^${event}`) },
      ])
    },
  )

  it("reports the lines of its Write and Edit calls, denied and failed ones included, as recorded", async () => {
    const path = "/workspace/n.txt"
    const sub = scripted([
      calls(call("Write", { file_path: path, content: "1\n2\n3\n" })),
      calls(call("Edit", { file_path: path, old_string: "none", new_string: "a\nb" })),
      textAnswer("Sub result."),
    ])
    const helper = { description: "Helps.", prompt: "You are a helper." }
    const options = { ...BYPASS, agents: { helper }, disallowedTools: ["Write(n.txt)"] }
    const { events } = await finish([calls(delegate(sub)), DONE], {}, options)
    const results = payloadsOf(events(), "sdk:user").map((message) => message["tool_use_result"])
    expect(results.at(-1)).toMatchObject({ toolStats: { editFileCount: 2, linesAdded: 6, linesRemoved: 1 } })
  })

  it.each([
    ["blocks its end again and again", { decision: "block", reason: "again" }],
    ["stops and blocks it", { continue: false, stopReason: "enough", decision: "block", reason: "again" }],
  ])("keeps its report when a SubagentStop hook %s, as recorded", async (_, SubagentStop) => {
    const sub = scripted(Array.from({ length: 12 }, (__, at) => textAnswer(`Report ${at}.`)))
    const { events } = await finish([calls(delegate(sub)), DONE], { SubagentStop }, OPTIONS)
    const [result] = toolResultsOf(events())
    expect(result?.is_error).toBeUndefined()
    expect(result?.content).toMatchObject([{ text: expect.stringMatching(/^Report \d\.$/) }, {}])
    expect(payloadsOf(events(), "agent:ended")).toMatchObject([{ status: "completed" }])
  })

  it.each([
    ["plan", "acceptEdits", "plan"],
    ["plan", "default", "plan"],
    ["acceptEdits", "plan", "acceptEdits"],
    ["dontAsk", "acceptEdits", "acceptEdits"],
    ["dontAsk", "auto", "dontAsk"],
    ["default", "plan", "plan"],
  ] as const)("in a session in %s with a definition in %s runs in %s, as recorded", async (session, own, mode) => {
    const sub = scripted([calls(bash("touch a")), textAnswer("Report.")])
    const modes: Array<unknown> = []
    const PreToolUse = ({ agent_id: id, permission_mode: given }: Readonly<Record<string, unknown>>) => {
      if (id !== undefined) modes.push(given)
      return {}
    }
    const agents = { helper: { ...HELPER, permissionMode: own } }
    const options = { agents, permissionMode: session, permission_prompts: "deny", allowedTools: ["Agent"] } as const
    const { workspace } = await finish([calls(delegate(sub)), DONE], { PreToolUse }, options)
    expect(modes).toEqual([mode])
    expect(workspace.exists("/workspace/a")).toBe(mode === "acceptEdits")
  })

  it("never asks in plan mode if its definition is in dontAsk, as recorded", async () => {
    const sub = scripted([calls(bash("touch a")), calls(bash("ls")), textAnswer("Report.")])
    const agents = { helper: { ...HELPER, permissionMode: "dontAsk" as const } }
    const options = { agents, permissionMode: "plan", permission_prompts: "ask", allowedTools: ["Agent"] } as const
    const { events, workspace } = await finish([calls(delegate(sub)), DONE], {}, options)
    expect(payloadsOf(events(), "sdk:system/permission_denied")).toMatchObject([
      { tool_name: "Bash", decision_reason_type: "asyncAgent", agent_id: expect.any(String) },
    ])
    expect(payloadsOf(events(), "ask:opened")).toEqual([])
    expect(workspace.exists("/workspace/a")).toBe(false)
  })

  it("is sent the rules of plan mode once, in its own conversation", async () => {
    const sub = scripted([calls(call("Glob", { pattern: "*" })), textAnswer("Report.")])
    const { sent } = await finish(
      [calls(delegate(sub)), DONE],
      {},
      { agents: { helper: HELPER }, permissionMode: "plan" },
    )
    const rulesIn = (messages: unknown) => JSON.stringify(messages).match(/Plan mode is on/g)?.length
    expect(messagesSent(sub).map(rulesIn)).toEqual([1, 1])
    expect(sent().map(rulesIn)).toEqual([1, 1])
  })

  it("has its report replaced by a PostToolUse hook, for the model and for clients", async () => {
    const use = delegate(scripted([textAnswer("A secret.")]))
    const hooks = {
      PostToolUse: ({ tool_response: output }: Readonly<Record<string, unknown>>) => ({
        hookSpecificOutput: {
          hookEventName: "PostToolUse",
          updatedToolOutput: { ...(output as object), content: [{ type: "text", text: "Removed." }] },
        },
      }),
    }
    const { events, sent } = await finish([calls(use), DONE], hooks, OPTIONS)
    const [result] = toolResultsOf(events())
    expect(result?.content).toMatchObject([
      { text: "Removed." },
      { text: expect.stringContaining("<system-reminder>") },
    ])
    expect(JSON.stringify(sent().at(-1))).not.toContain("A secret.")
    expect(payloadsOf(events(), "sdk:user").at(-1)).toMatchObject({
      tool_use_result: { status: "completed", content: [{ type: "text", text: "Removed." }] },
    })
  })

  it.each([
    ["has no text", "the last text before it", [text("Found it."), bash("echo one")], [], "Found it."],
    ["has no text", "none", [bash("echo one")], [], "no report"],
    ["is blank", "none", [text(" \n")], [text(" \n")], "no report"],
  ])("whose last answer %s has completed, and its report is %s, as recorded", async (_, __, first, last, report) => {
    const sub = scripted([first, last, last].map((content) => ({ content })))
    const { events } = await finish([calls(delegate(sub)), DONE], {}, OPTIONS)
    expect(payloadsOf(events(), "agent:ended")).toMatchObject([{ status: "completed" }])
    const summary = report === "no report" ? "help me" : report
    expect(payloadsOf(events(), "sdk:system/task_notification")).toMatchObject([{ summary }])
    const [result] = toolResultsOf(events()).slice(-1)
    expect(result?.is_error).toBeUndefined()
    expect(JSON.stringify(result?.content)).toContain(report)
    const [{ tool_use_result: output } = {}] = payloadsOf(events(), "sdk:user").slice(-1)
    expect(output).toMatchObject({ content: report === "no report" ? [] : [{ type: "text", text: report }] })
  })

  it("has a conversation of its own, whose last text is the call's result", async () => {
    const sub = scripted([{ content: [text("Reading."), bash("echo one")] }, textAnswer("Sub result.")])
    const use = delegate(sub)
    const { events, result, sent } = await finish([calls(use), DONE], {}, OPTIONS)
    const all = events()
    expect(namesOf(all).filter((name) => /^sdk:(system\/task|user|assistant)|withheld|agent/.test(name))).toEqual([
      "sdk:assistant",
      "agent:started",
      "sdk:system/task_started",
      "sdk:user",
      "message:withheld",
      "sdk:system/task_progress",
      "sdk:assistant",
      "sdk:user",
      "message:withheld",
      "agent:ended",
      "sdk:system/task_updated",
      "sdk:system/task_notification",
      "sdk:user",
      "sdk:assistant",
    ])
    const [started] = payloadsOf(all, "sdk:system/task_started")
    const names = {
      parent_tool_use_id: use.id,
      agent_id: started?.["task_id"],
      subagent_type: "helper",
      task_description: "help me",
    }
    const inside = all.filter((event) => event.name.startsWith("sdk:") && event.parent_tool_use_id === use.id)
    for (const { payload } of inside) expect(payload).toMatchObject(names)
    expect(messagesSent(sub).map((messages) => messages.length)).toEqual([1, 3])
    expect(sent().at(-1)?.at(-1)?.content[0]).toMatchObject({
      tool_use_id: use.id,
      content: [text("Sub result."), { type: "text" }],
    })
    expect(hooksOf(all)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "SubagentStart",
      "PreToolUse",
      "PostToolUse",
      "PostToolBatch",
      "SubagentStop",
      "PostToolUse",
      "PostToolBatch",
      "Stop",
    ])
    expect(result()).toMatchObject({ num_turns: 2, usage: { output_tokens: 20 } })
    const costs = payloadsOf(all, "call:finished").map(({ usd }) => Number(usd))
    expect(costs).toHaveLength(4)
    expect(result()["total_cost_usd"]).toBeCloseTo(
      costs.reduce((sum, usd) => sum + usd, 0),
      10,
    )
  })

  it("runs in parallel with others of the same answer, and each call gets one result", async () => {
    const [one, two] = [scripted([calls(bash("echo one")), textAnswer("First.")]), scripted([textAnswer("Second.")])]
    const { events } = await finish([calls(delegate(one), delegate(two)), DONE], {}, OPTIONS)
    expect(toolResultsOf(events())).toHaveLength(3)
    expect(namesOf(events()).filter((name) => name === "agent:ended")).toHaveLength(2)
  })

  it("has no agents below the third level", async () => {
    const levels = [4, 3, 2, 1].reduce<ReadonlyArray<string>>(
      (made) => [
        scripted([
          ...(made[0] === undefined ? [] : [calls(delegate(made[0], { subagent_type: "general-purpose" }))]),
          textAnswer(`Level ${made.length}`),
        ]),
        ...made,
      ],
      [],
    )
    const { events } = await finish(
      [calls(delegate(String(levels[0]), { subagent_type: "general-purpose" })), DONE],
      {},
      OPTIONS,
    )
    expect(payloadsOf(events(), "agent:started").map(({ depth }) => depth)).toEqual([1, 2, 3])
    const refused = events().flatMap((event) =>
      event.name === "message:withheld" ? [JSON.stringify(event.payload.message)] : [],
    )
    expect(refused.some((message) => message.includes("3 levels deep"))).toBe(true)
  })

  it.each([
    [false, []],
    [true, ["assistant", "assistant", "user", "user"]],
  ])("that an agent started has its messages sent if forwardSubagentText is %s", async (forwardSubagentText, sent) => {
    const inner = scripted([calls(bash("echo one")), textAnswer("Inner.")])
    const general = { subagent_type: "general-purpose" }
    const use = delegate(inner, general)
    const outer = scripted([calls(use), textAnswer("Outer.")])
    const { events } = await finish([calls(delegate(outer, general)), DONE], {}, { ...OPTIONS, forwardSubagentText })
    const messages = [...payloadsOf(events(), "sdk:user"), ...payloadsOf(events(), "sdk:assistant")]
    expect(
      messages
        .filter((message) => message.parent_tool_use_id === use.id)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(sent)
  })

  it("is limited to eight: the call of a ninth is an error", async () => {
    const booted = harnessOf({ agents: { helper: HELPER } }).boot()
    const uses = Array.from({ length: 9 }, () => delegate(scripted([calls(bash("touch zz")), textAnswer("Done.")])))
    prompt(booted.session, promptFor(scripted([calls(...uses), DONE])))
    // Each of the eight waits for a permission.
    await until(() => booted.session.askStore.open.length === 8)
    for (const { requestId } of booted.session.askStore.open)
      booted.session.asks.answer(requestId, { behavior: "allow" })
    await booted.idle()
    const results = JSON.stringify(payloadsOf(eventsOf(booted.log), "sdk:user"))
    expect(results.match(/8 agents are already running in this session/g)).not.toBeNull()
    expect(payloadsOf(eventsOf(booted.log), "agent:ended").map(({ status }) => status)).toEqual(
      Array.from({ length: 8 }, () => "completed"),
    )
  })

  it("with isolation is rejected after the call's hooks", async () => {
    const use = delegate("none", { isolation: "worktree" })
    const { client, events } = await finish([calls(use), DONE], { PreToolUse: {}, PostToolUseFailure: {} }, OPTIONS)
    expect(client.called.map((one) => one.callbackId)).toEqual(["PreToolUse", "PostToolUseFailure"])
    expect(toolResultsOf(events())).toMatchObject([{ tool_use_id: use.id, is_error: true }])
  })

  it("of an unknown type is rejected with the list of types", async () => {
    const { events } = await finish([calls(delegate("x", { subagent_type: "nope" })), DONE], {}, OPTIONS)
    const [refused] = toolResultsOf(events())
    expect(refused).toMatchObject({ is_error: true })
    expect(String(refused?.content)).toMatch(/"nope".*Explore, general-purpose, helper, Plan/)
  })
})

it("a command that an agent starts in the background is listed as the agent's", async () => {
  const use = call("Bash", { command: "sleep 0.2", description: "d", run_in_background: true })
  const sub = scripted([calls(use), textAnswer("Report.")])
  const { events, idle } = await start([calls(delegate(sub)), DONE, DONE], {}, OPTIONS)
  await until(() => payloadsOf(events(), "sdk:system/background_tasks_changed").length === 2)
  await idle()
  const [agent, command] = payloadsOf(events(), "sdk:system/task_started")
  const parent_task_id = agent?.["task_id"]
  expect(command).toMatchObject({ parent_task_id, owned_by_subagent: true, task_type: "local_bash" })
  const [tasks] = payloadsOf(events(), "sdk:system/background_tasks_changed").map((message) => message["tasks"])
  expect(tasks).toMatchObject([{ parent_task_id, task_type: "local_bash" }])
})

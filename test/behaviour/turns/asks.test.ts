// What only a person or a client can answer: questions, permission to start with a plan, results of clients' own tools.
import { describe, expect, it } from "vitest"
import { call, promptFor } from "../../support/session/scripts.ts"
import { problemsOf, prompt } from "../../support/session/session-harness.ts"
import { DONE, hooksOf, loop, namesOf, payloadsOf, textOf, toolResultsOf, until } from "../../support/session/loop.ts"

const { connected, finish, scripted, start } = loop()

const OPTIONS = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }))
const ask = (question: string, multiSelect = false) => ({ question, header: "Pick", options: OPTIONS, multiSelect })
const questions = (...asked: ReadonlyArray<ReturnType<typeof ask>>) => call("AskUserQuestion", { questions: asked })

const outputOf = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:user").find((message) => message["tool_use_result"] !== undefined)?.["tool_use_result"]

const modesOf = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:system/status").map((message) => message["permissionMode"])

describe("a question to the user", () => {
  it("is sent to canUseTool in every mode, and answered in its input", async () => {
    const { client, idle, events, turn } = await start([{ content: [questions(ask("Which?"))] }, DONE], {})
    client.onAsk = ({ input }) => ({
      behavior: "allow",
      updatedInput: {
        ...(input as object),
        answers: { "Which?": "neither" },
        annotations: { "Which?": { notes: "green" } },
      },
    })
    await idle()
    const [asked] = client.asked("can_use_tool")
    expect(asked?.request).toMatchObject({ tool_name: "AskUserQuestion", requires_user_interaction: true })
    expect(asked?.request).not.toHaveProperty("permission_suggestions")
    expect(outputOf(events())).toEqual({
      questions: [ask("Which?")],
      answers: { "Which?": "neither" },
      annotations: { "Which?": { notes: "green" } },
    })
    expect(toolResultsOf(events())[0]?.content).toContain('"Which?"="neither" notes: green')
    expect(problemsOf(events(), [turn])).toEqual([])
  })

  it("neither shows nor stores an answer that the model made up", async () => {
    const made = { answers: { "Which?": "Red" }, response: "Red" }
    const use = call("AskUserQuestion", { questions: [ask("Which?")], ...made })
    const { client, idle, events } = await start([{ content: [use] }, DONE])
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    expect(client.asked("can_use_tool")[0]?.request["input"]).toEqual({ questions: [ask("Which?")] })
    expect(outputOf(events())).toEqual({ questions: [ask("Which?")], answers: {} })
  })

  it("is not asked when a hook answers it, but is asked when a hook only allows it", async () => {
    const answering = (input: Readonly<Record<string, unknown>>) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { ...(input["tool_input"] as object), answers: { "Which?": "Blue" } },
      },
    })
    const one = await finish([{ content: [questions(ask("Which?"))] }, DONE], { PreToolUse: answering }, {})
    expect(one.client.asked("can_use_tool")).toEqual([])
    expect(outputOf(one.events())).toMatchObject({ answers: { "Which?": "Blue" } })
    const allowing = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } }
    const two = await start([{ content: [questions(ask("Which?"))] }, DONE], { PreToolUse: allowing }, {})
    two.client.onAsk = () => ({ behavior: "deny", message: "not now" })
    await two.idle()
    expect(toolResultsOf(two.events())[0]).toMatchObject({ is_error: true, content: "not now" })
  })

  it("is denied in dontAsk mode, and not offered when no one can be asked", async () => {
    const turns = [{ content: [questions(ask("Which?"))] }, DONE]
    const one = await finish(turns, {}, { permissionMode: "dontAsk" })
    expect(one.client.asked("can_use_tool")).toEqual([])
    expect(payloadsOf(one.events(), "sdk:system/permission_denied")).toHaveLength(1)
    const two = await finish(turns, {}, { permission_prompts: "deny" })
    expect(payloadsOf(two.events(), "sdk:system/init")[0]?.["tools"]).not.toContain("AskUserQuestion")
    expect(toolResultsOf(two.events())[0]?.content).toContain("No such tool available")
  })

  it("that contains the same question twice never reaches the user", async () => {
    const { client, events } = await finish([{ content: [questions(ask("Same?"), ask("Same?"))] }, DONE], {}, {})
    expect(client.asked("can_use_tool")).toEqual([])
    expect(toolResultsOf(events())[0]?.is_error).toBe(true)
    expect(hooksOf(events())).not.toContain("PreToolUse")
  })

  it("waits through a crash, and accepts short answers only to questions that were asked", async () => {
    const use = questions(ask("Which?"), ask("How many?", true))
    const { client, harness, session } = await start([{ content: [use] }, DONE])
    await until(() => session.askStore.open.length === 1)
    harness.crash()
    harness.detach(client, true)
    const again = harness.boot()
    await again.idle()
    const [open] = again.session.askStore.open
    const answer = (body: Record<string, unknown>) => again.session.asks.answer(open!.requestId, body)
    expect(open?.ask.kind).toBe("question")
    expect(answer({ answers: { "Whose?": "mine" } })?.refused).toMatchObject({ type: "invalid_request_error" })
    expect(answer({ answers: { "Which?": 1 } })?.refused).toMatchObject({ type: "invalid_request_error" })
    expect(answer({ content: "x" })?.refused).toMatchObject({ type: "invalid_request_error" })
    const reply = { answers: { "Which?": "Red", "How many?": ["Red", "Blue"] } }
    expect(answer(reply)).toBeUndefined()
    await again.idle()
    expect(answer(reply)).toBeUndefined()
    expect(answer({ answers: { "Which?": "Blue" } })?.refused).toMatchObject({ type: "conflict_error" })
    const events = [...again.log.all()].map(({ event }) => event)
    expect(outputOf(events)).toMatchObject({ answers: { "Which?": "Red", "How many?": "Red, Blue" } })
    expect(namesOf(events).at(-1)).toBe("sdk:system/session_state_changed")
  })
})

describe("a plan", () => {
  const plan = (text?: string) => call("ExitPlanMode", text === undefined ? {} : { plan: text })
  const enter = call("EnterPlanMode", {})
  const write = call("Write", { file_path: "/workspace/n.txt", content: "x" })
  const fileOf = (id: string) => `/workspace/.perch/plans/${id}.md`
  const note = (content: string) => ({
    content: [call("Write", { file_path: fileOf("0199a000-0000-7000-8000-00000000abcd"), content })],
  })

  it("starts without an ask, and ends in the previous mode once the user accepts the plan", async () => {
    const turns = [{ content: [enter] }, note("1. write"), { content: [plan("words")] }, { content: [write] }, DONE]
    const { client, idle, events, session, workspace, sent, turn } = await start(
      turns,
      { PostToolUse: {} },
      { permissionMode: "acceptEdits" },
    )
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    expect(client.asked("can_use_tool").map(({ request }) => [request["tool_name"], request["input"]])).toEqual([
      ["ExitPlanMode", { plan: "1. write", planFilePath: fileOf(session.record.id) }],
    ])
    expect(modesOf(events())).toEqual(["plan", "acceptEdits"])
    expect(client.called.map(({ input }) => input["permission_mode"])).toEqual([
      "plan",
      "plan",
      "acceptEdits",
      "acceptEdits",
    ])
    expect(payloadsOf(events(), "sdk:user").map((message) => message["tool_use_result"])).toMatchObject([
      { message: expect.any(String) },
      { type: "create" },
      { plan: "1. write", isAgent: false, filePath: fileOf(session.record.id) },
      { type: "create" },
    ])
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
    // The rules stay where they are; from the result of ExitPlanMode the model learns that they are over.
    expect(
      sent().map(
        (messages) =>
          messages
            .map(textOf)
            .join()
            .match(/Plan mode is o(n\. Until|ff)/g) ?? [],
      ),
    ).toEqual([[], ...Array.from({ length: 4 }, () => ["Plan mode is on. Until"])])
    expect(problemsOf(events(), [turn])).toEqual([])
  })

  it("is asked about while other safe calls run, as in the official SDK; several of an answer are all accepted", async () => {
    const script = [{ content: [plan("a"), plan("b"), call("Glob", { pattern: "*" })] }, DONE]
    const { client, idle, events } = await start(script, {}, { permissionMode: "plan" })
    await until(() => client.asked("can_use_tool").length === 2 && toolResultsOf(events()).length === 1)
    for (const { id } of client.asked("can_use_tool")) client.answer(id, { behavior: "allow" })
    await idle()
    expect(toolResultsOf(events()).map(({ is_error: isError }) => isError === true)).toEqual([false, false, false])
  })

  it("may be written to its own file without an ask, and to no other file", async () => {
    const { client, idle, events, workspace, session } = await start(
      [note("1. go"), { content: [write] }, DONE],
      {},
      { permissionMode: "plan" },
    )
    client.onAsk = () => ({ behavior: "deny", message: "no" })
    await idle()
    expect(client.asked("can_use_tool").map(({ request }) => request["input"])).toMatchObject([
      { file_path: "/workspace/n.txt" },
    ])
    expect(workspace.readText(fileOf(session.record.id))).toBe("1. go")
    expect(toolResultsOf(events()).map((result) => result.is_error)).toEqual([undefined, true])
  })

  const proposed = (hooks: Parameters<typeof start>[1] = {}) =>
    start([{ content: [plan("1. go")] }, DONE], hooks, { permissionMode: "plan" })

  it("in the call's own input is shown to people, and becomes the plan when they accept it unchanged", async () => {
    const { client, idle, events, session, workspace } = await proposed()
    await until(() => session.askStore.open.length === 1)
    expect(client.asked("can_use_tool").map(({ request }) => request["input"])).toEqual([{}])
    const [open] = session.askStore.open
    expect(open?.ask.input).toEqual({ plan: "1. go" })
    session.asks.answer(open!.requestId, { behavior: "allow" })
    await idle()
    expect(outputOf(events())).toEqual({ plan: "1. go", isAgent: false, filePath: fileOf(session.record.id) })
    expect(workspace.readText(fileOf(session.record.id))).toBe("1. go")
  })

  it("in the call's own input is not the plan that a client of the control protocol accepts, as recorded", async () => {
    const { client, idle, events, session } = await proposed({ PostToolUse: {} })
    client.onAsk = ({ input }) => ({ behavior: "allow", updatedInput: input })
    await idle()
    expect(outputOf(events())).toEqual({ plan: null, isAgent: false, filePath: fileOf(session.record.id) })
    expect(client.called.map(({ input }) => input["tool_input"])).toEqual([{}])
  })

  it("that the user edited becomes the plan, and the model learns of the edit", async () => {
    const { client, idle, events, session, workspace } = await start(
      [note("1. go"), { content: [plan()] }, DONE],
      {},
      { permissionMode: "plan" },
    )
    client.onAsk = () => ({ behavior: "allow", updatedInput: { plan: "2. stay" } })
    await idle()
    const filePath = fileOf(session.record.id)
    expect(payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]).toEqual({
      plan: "2. stay",
      isAgent: false,
      filePath,
      planWasEdited: true,
    })
    expect(toolResultsOf(events())[1]?.content).toMatch(/changed[^]*2\. stay/)
    expect(workspace.readText(filePath)).toBe("2. stay")
  })

  it("that is not accepted leaves the mode unchanged", async () => {
    const { client, idle, events, session } = await proposed()
    client.onAsk = () => ({ behavior: "deny", message: "too short" })
    await idle()
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: "too short" })
    expect(session.permissions.policy().mode).toBe("plan")
    expect(modesOf(events())).toEqual([])
  })

  it("waits through a crash, and its answer may choose the mode, but not bypassPermissions", async () => {
    const { client, harness, session } = await proposed()
    await until(() => session.askStore.open.length === 1)
    harness.crash()
    harness.detach(client, true)
    const again = harness.boot()
    await again.idle()
    const [open] = again.session.askStore.open
    expect(open?.ask.kind).toBe("plan")
    const answer = (body: Record<string, unknown>) => again.session.asks.answer(open!.requestId, body)
    expect(answer({ behavior: "allow", permissionMode: "root" })?.refused.type).toBe("invalid_request_error")
    expect(answer({ behavior: "allow", permissionMode: "bypassPermissions" })?.refused.type).toBe(
      "invalid_request_error",
    )
    expect(answer({ behavior: "allow", permissionMode: "acceptEdits" })).toBeUndefined()
    await again.idle()
    const events = [...again.log.all()].map(({ event }) => event)
    expect(toolResultsOf(events)[0]?.is_error).toBeUndefined()
    expect(modesOf(events)).toEqual(["acceptEdits"])
    expect(again.session.permissions.policy().mode).toBe("acceptEdits")
  })

  it("can't be left outside plan mode", async () => {
    const { client, events } = await finish([{ content: [plan("1. go")] }, DONE], {}, {})
    expect(client.asked("can_use_tool")).toEqual([])
    expect(toolResultsOf(events())[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining("tool_use_error"),
    })
  })
})

describe("a client's own tool", () => {
  const inputSchema = { type: "object", properties: { room: { type: "string" } }, required: ["room"] }
  const LIGHT = { name: "set_light", description: "Switches the light of a room.", inputSchema }
  const OPTIONS_WITH_TOOL = { clientTools: [LIGHT] }
  const light = (room: unknown = "hall") => call("set_light", { room })

  it("waits through a crash for its result, which canUseTool never provides", async () => {
    const hooks = { PreToolUse: {}, PostToolUse: {} }
    const { client, harness, session, events } = await start([{ content: [light()] }, DONE], hooks, OPTIONS_WITH_TOOL)
    await until(() => session.askStore.open.length === 1)
    expect(session.state).toBe("requires_action")
    expect(client.asked("can_use_tool")).toEqual([])
    expect(payloadsOf(events(), "sdk:system/session_state_changed").at(-1)).toMatchObject({ state: "requires_action" })
    harness.crash()
    const again = harness.boot()
    await until(() => again.session.askStore.open.length === 1)
    const [open] = again.session.askStore.open
    expect(open?.ask).toMatchObject({ kind: "client_tool", tool_name: "set_light", input: { room: "hall" } })
    const answer = (body: Record<string, unknown>) => again.session.asks.answer(open!.requestId, body)
    expect(answer({ behavior: "allow" })?.refused.type).toBe("invalid_request_error")
    expect(answer({ content: "on" })).toBeUndefined()
    await again.idle()
    expect(answer({ content: "on" })).toBeUndefined()
    expect(answer({ content: "off" })?.refused.type).toBe("conflict_error")
    const after = [...again.log.all()].map(({ event }) => event)
    expect(toolResultsOf(after)[0]).toMatchObject({ content: "on" })
    expect(client.called.map(({ callbackId }) => callbackId)).toEqual(["PreToolUse", "PostToolUse"])
    expect(client.called[1]?.input).toMatchObject({ tool_name: "set_light", tool_response: "on" })
    expect(namesOf(after).filter((name) => name === "ask:opened")).toHaveLength(1)
  })

  it("may be called several times in parallel, and accepts blocks and errors", async () => {
    const uses = [light("hall"), light("attic")]
    const { session, idle, events, turn } = await start([{ content: uses }, DONE], {}, OPTIONS_WITH_TOOL)
    await until(() => session.askStore.open.length === 2)
    const [first, second] = session.askStore.open
    session.asks.answer(second!.requestId, { content: "no such room", is_error: true })
    session.asks.answer(first!.requestId, { content: [{ type: "text", text: "on" }], is_error: false })
    await idle()
    const byId = new Map(toolResultsOf(events()).map((block) => [block.tool_use_id, block]))
    expect(byId.get(uses[0]!.id)).toMatchObject({ content: [{ type: "text", text: "on" }] })
    expect(byId.get(uses[1]!.id)).toMatchObject({ content: "no such room", is_error: true })
    expect(problemsOf(events(), [turn])).toEqual([])
  })

  it("is checked against rules and its schema before anyone is asked", async () => {
    const denied = { ...OPTIONS_WITH_TOOL, settings: { permissions: { deny: ["set_light"] } } }
    const one = await finish([{ content: [light()] }, DONE], {}, denied)
    const two = await finish([{ content: [light(7)] }, DONE], {}, OPTIONS_WITH_TOOL)
    for (const { events } of [one, two]) {
      expect(toolResultsOf(events())[0]?.is_error).toBe(true)
      expect(namesOf(events())).not.toContain("ask:opened")
    }
    const asking = { ...OPTIONS_WITH_TOOL, settings: { permissions: { ask: ["set_light"] } } }
    const three = await start([{ content: [light()] }, DONE], {}, asking)
    three.client.onAsk = () => ({ behavior: "allow" })
    await until(() => three.session.askStore.open.some(({ ask: { kind } }) => kind === "client_tool"))
    three.session.asks.answer(three.session.askStore.open[0]!.requestId, { content: "on" })
    await three.idle()
    expect(toolResultsOf(three.events())[0]).toMatchObject({ content: "on" })
  })

  it("fails without an answer in time, and ends with an interrupt", async () => {
    const late = await connected({}, { ...OPTIONS_WITH_TOOL, ask_timeout_ms: 1000 })
    const turn = prompt(late.session, promptFor(scripted([{ content: [light()] }, DONE])))
    await until(() => late.session.askStore.open.length === 1)
    // The object owns the alarm; here only time passes.
    await until(() => (late.session.askStore.open[0]?.expiresAt ?? 0) <= Date.now())
    late.session.asks.expire()
    await late.idle()
    const events = [...late.log.all()].map(({ event }) => event)
    expect(toolResultsOf(events)[0]).toMatchObject({ is_error: true, content: expect.stringContaining("in time") })
    expect(problemsOf(events, [turn])).toEqual([])

    const stopped = await start([{ content: [light()] }, DONE], {}, OPTIONS_WITH_TOOL)
    await until(() => stopped.session.askStore.open.length === 1)
    await stopped.stopTurn()
    await stopped.idle()
    expect(stopped.session.askStore.open).toEqual([])
    expect(toolResultsOf(stopped.events())[0]?.is_error).toBe(true)
    expect(problemsOf(stopped.events(), [stopped.turn])).toEqual([])
  })
})

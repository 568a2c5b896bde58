// Asks about calls: who is asked, whose answer counts, and what happens to the other answers.
import { describe, expect, it } from "vitest"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { problemsOf, prompt } from "../../support/session/session-harness.ts"
import { DONE, hooksOf, loop, namesOf, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"

const { harnessOf, start, scripted } = loop()

const write = (file = "n.txt") => call("Write", { file_path: `/workspace/${file}`, content: "x" })
const decision = (fields: object) => ({
  hookSpecificOutput: { hookEventName: "PermissionRequest", decision: fields },
})
const never = () => undefined

describe("an ask", () => {
  it("is sent to every client; the first answer counts and withdraws it from the others", async () => {
    const { client, harness, idle, workspace, events, turn } = await start([{ content: [write()] }, DONE], {}, {})
    const other = harness.connect()
    await until(() => other.asked("can_use_tool").length === 1)
    const { id } = client.asked("can_use_tool")[0]!
    expect(other.asked("can_use_tool")[0]?.id).toBe(id)
    other.answer(id, { behavior: "allow" })
    await idle()
    expect(workspace.readText("/workspace/n.txt")).toBe("x")
    expect(client.cancelled).toEqual([id])
    expect(other.cancelled).toEqual([])
    client.answer(id, { behavior: "deny", message: "too late" })
    expect(payloadsOf(events(), "ask:settled")).toMatchObject([{ by: "client", client: other.name }])
    expect(problemsOf(events(), [turn])).toEqual([])
  })

  it("describes the call completely", async () => {
    const use = write()
    const { client, idle } = await start([{ content: [use] }, DONE], {}, {})
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    expect(client.asked("can_use_tool")[0]?.request).toMatchObject({
      tool_name: "Write",
      display_name: "Write",
      description: "n.txt",
      input: { file_path: "/workspace/n.txt", content: "x" },
      tool_use_id: use.id,
      permission_suggestions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    })
  })

  it("is sent to a client that connects later, with the answer to its initialize", async () => {
    const { client, harness, idle, workspace } = await start([{ content: [write()] }, DONE], {}, {})
    await until(() => client.asked("can_use_tool").length === 1)
    harness.detach(client, true)
    const late = harness.connect()
    expect(late.asked("can_use_tool")).toEqual([])
    const answer = await late.initialize()
    const pending = answer["pending_permission_requests"] as ReadonlyArray<Record<string, unknown>>
    expect(pending).toMatchObject([
      { type: "control_request", request: { subtype: "can_use_tool", tool_name: "Write" } },
    ])
    late.answer(String(pending[0]?.["request_id"]), { behavior: "allow" })
    await idle()
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
  })

  it("is sent again when a connection is restored", async () => {
    const { client, harness, idle, workspace, log } = await start([{ content: [write()] }, DONE], {}, {})
    await until(() => client.asked("can_use_tool").length === 1)
    harness.detach(client, false)
    harness.attach(client, log.lastSeq)
    await until(() => client.asked("can_use_tool").length === 2)
    const [first, second] = client.asked("can_use_tool")
    expect(second).toEqual(first)
    client.answer(first!.id, { behavior: "allow" })
    await idle()
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
  })

  it("that was parked resumes with the answer, and its hooks are not called again", async () => {
    const { client, harness, events, turn } = await start(
      [{ content: [write()] }, DONE],
      { PreToolUse: {}, PermissionRequest: {} },
      {},
    )
    await until(() => hooksOf(events()).includes("PermissionRequest"))
    harness.crash()
    harness.detach(client, true)
    const again = harness.boot()
    await again.idle()
    expect(again.session.asks.parkedEntry()?.turn).toBe(turn)
    const [ask] = again.session.askStore.open
    again.session.asks.answer(ask!.requestId, { behavior: "allow" })
    await again.idle()
    expect(again.workspace.readText("/workspace/n.txt")).toBe("x")
    expect(client.called.map((one) => one.callbackId)).toEqual(["PreToolUse", "PermissionRequest"])
  })

  it("with an unreadable answer is denied", async () => {
    const { client, idle, workspace, events } = await start([{ content: [write()] }, DONE], {}, {})
    client.onAsk = () => ({ behavior: "perhaps" })
    await idle()
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(toolResultsOf(events())[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining("could not be understood"),
    })
  })

  it("whose client answers with an error is denied", async () => {
    const { client, idle, workspace, events } = await start([{ content: [write()] }, DONE], {}, {})
    await until(() => client.asked("can_use_tool").length === 1)
    const { id } = client.asked("can_use_tool")[0]!
    client.send({ type: "control_response", response: { subtype: "error", request_id: id, error: "boom" } })
    await idle()
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(toolResultsOf(events())[0]?.content).toContain("boom")
  })

  it("that is denied with interrupt ends the turn, and the sibling calls never run", async () => {
    const uses = [write("a"), write("b"), write("c")]
    const { client, idle, events, result, sent, turn, workspace } = await start([{ content: uses }, DONE], {}, {})
    client.onAsk = () => ({ behavior: "deny", message: "stop", interrupt: true })
    await idle()
    expect(result()).toMatchObject({ subtype: "error_during_execution", terminal_reason: "aborted_tools" })
    expect(problemsOf(events(), [turn])).toEqual([])
    expect(client.asked("can_use_tool")).toHaveLength(1)
    expect(workspace.exists("/workspace/b") || workspace.exists("/workspace/c")).toBe(false)
    expect(sent()).toHaveLength(1)
    expect(hooksOf(events())).not.toContain("Stop")
    // As the official SDK: the denial is in the result, and the message of the call has its kind alone.
    expect(result()["permission_denials"]).toMatchObject([{ tool_use_id: uses[0]?.id }])
    const metas = payloadsOf(events(), "sdk:user").flatMap((message) => message["tool_result_meta"] ?? [])
    expect(metas).toEqual(uses.map(({ id }) => ({ id, non_execution_kind: "user-rejected" })))
  })

  it("is withdrawn from its clients when the turn is interrupted", async () => {
    const { client, idle, stopTurn, events, turn, session } = await start([{ content: [write()] }, DONE], {}, {})
    await until(() => client.asked("can_use_tool").length === 1)
    expect(await stopTurn()).toBe(true)
    await idle()
    expect(client.cancelled).toEqual([client.asked("can_use_tool")[0]?.id])
    expect(payloadsOf(events(), "ask:settled")).toMatchObject([{ by: "interrupt" }])
    expect(payloadsOf(events(), "sdk:result/error_during_execution")[0]).toMatchObject({
      permission_denials: [{ tool_name: "Write" }],
    })
    expect(problemsOf(events(), [turn])).toEqual([])
    expect(session.state).toBe("idle")
  })

  it.each([
    ["no list", "all"],
    ["a list of something else", [{ type: "nothing" }, 7]],
  ])("whose answer allows the call with updates that are %s lets it run", async (_, updatedPermissions) => {
    const { client, idle, workspace, session } = await start([{ content: [write("a")] }, DONE], {}, {})
    client.onAsk = () => ({ behavior: "allow", updatedPermissions })
    await idle()
    expect(workspace.exists("/workspace/a")).toBe(true)
    expect(session.record.permission_updates).toEqual([])
  })

  it("whose answer adds rules for the session or the command line adds them until the session is resumed", async () => {
    const { client, idle, session } = await start([{ content: [write("a")] }, DONE], {}, {})
    const updates = (["session", "cliArg", "localSettings", "projectSettings", "userSettings"] as const).map(
      (destination) =>
        ({
          type: "addRules",
          rules: [{ toolName: "Bash", ruleContent: destination }],
          behavior: "allow",
          destination,
        }) as const,
    )
    client.onAsk = () => ({ behavior: "allow", updatedPermissions: updates })
    await idle()
    expect(session.record.permission_updates).toEqual(updates)
    session.resumption.resume({ options: session.record.options })
    expect(session.record.permission_updates).toEqual(updates.slice(2))
  })

  it("whose answer adds fields to the tool's parameters passes them to the call", async () => {
    const { client, idle, workspace } = await start([{ content: [write("a")] }, DONE], {}, {})
    client.onAsk = () => ({ behavior: "allow", updatedInput: { file_path: "/workspace/b", content: "b", more: 1 } })
    await idle()
    expect(workspace.exists("/workspace/b")).toBe(true)
  })

  it("whose answer sets the current mode emits nothing", async () => {
    const { client, idle, events } = await start([{ content: [write("a")] }, DONE], {}, {})
    client.onAsk = () => ({
      behavior: "allow",
      updatedPermissions: [{ type: "setMode", mode: "default", destination: "session" }],
    })
    await idle()
    expect(payloadsOf(events(), "sdk:system/status")).toEqual([])
  })

  it("whose answer sets the mode notifies clients, and the next call is not asked about", async () => {
    const { client, idle, events } = await start([{ content: [write("a")] }, { content: [write("b")] }, DONE], {}, {})
    client.onAsk = () => ({
      behavior: "allow",
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    })
    await idle()
    expect(client.asked("can_use_tool")).toHaveLength(1)
    expect(payloadsOf(events(), "sdk:system/status")).toMatchObject([{ permissionMode: "acceptEdits" }])
  })

  it("sets the session to requires_action, and its answer sets it to running", async () => {
    const { client, idle, events } = await start([{ content: [write()] }, DONE], {}, {})
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    const states = payloadsOf(events(), "sdk:system/session_state_changed").map((payload) => payload["state"])
    expect(states).toEqual(["running", "requires_action", "running", "idle"])
  })
})

describe("a PermissionRequest hook", () => {
  it("that allows before a client does withdraws the ask", async () => {
    const use = write()
    const { client, idle, workspace, events } = await start(
      [{ content: [use] }, DONE],
      {
        PermissionRequest: decision({
          behavior: "allow",
          updatedInput: { file_path: "/workspace/h.txt", content: "h" },
        }),
      },
      {},
    )
    await idle()
    expect(workspace.readText("/workspace/h.txt")).toBe("h")
    expect(client.cancelled).toEqual([client.asked("can_use_tool")[0]?.id])
    expect(payloadsOf(events(), "ask:settled")).toMatchObject([{ by: "hook" }])
    expect(client.called[0]?.toolUseId).toBe(use.id)
    expect(client.called[0]?.input).not.toHaveProperty("tool_use_id")
    expect(payloadsOf(events(), "sdk:user")[0]?.["tool_result_meta"]).toMatchObject([
      { permission_decision: { decision: "accept", source: "hook" } },
    ])
  })

  it("that denies with interrupt ends the turn", async () => {
    const { idle, result, workspace } = await start(
      [{ content: [write()] }, DONE],
      { PermissionRequest: decision({ behavior: "deny", interrupt: true }) },
      {},
    )
    await idle()
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
    expect(result()).toMatchObject({ terminal_reason: "aborted_tools" })
  })

  it("that returns no decision leaves the ask to the client", async () => {
    const { client, idle, workspace } = await start([{ content: [write()] }, DONE], { PermissionRequest: {} }, {})
    await until(() => client.called.length === 1 && client.asked("can_use_tool").length === 1)
    client.answer(client.asked("can_use_tool")[0]!.id, { behavior: "allow" })
    await idle()
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
    expect(client.cancelled).toEqual([])
  })

  it("that is slower than the client is withdrawn, and its late answer is ignored", async () => {
    const { client, idle, workspace, events } = await start(
      [{ content: [write()] }, DONE],
      { PermissionRequest: never },
      {},
    )
    await until(() => client.called.length === 1 && client.asked("can_use_tool").length === 1)
    client.answer(client.asked("can_use_tool")[0]!.id, { behavior: "allow" })
    await idle()
    const { requestId } = client.called[0]!
    expect(client.cancelled).toEqual([requestId])
    client.answer(requestId, decision({ behavior: "deny", message: "no" }))
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
    expect(payloadsOf(events(), "ask:settled")).toHaveLength(1)
  })

  it("is called for each of two parallel calls under its own id", async () => {
    const outside = (name: string) => call("Read", { file_path: `/elsewhere/${name}` })
    const { client, idle, session, events, turn } = await start(
      [{ content: [outside("a"), outside("b")] }, DONE],
      { PermissionRequest: decision({ behavior: "allow" }) },
      {},
    )
    await idle()
    expect(new Set(client.called.map((one) => one.requestId)).size).toBe(2)
    expect(session.state).toBe("idle")
    expect(problemsOf(events(), [turn])).toEqual([])
  })

  it("may decide when no ask can be opened", async () => {
    const { idle, workspace, events } = await start(
      [{ content: [write()] }, DONE],
      { PermissionRequest: decision({ behavior: "allow" }) },
      { permission_prompts: "deny" },
    )
    await idle()
    expect(workspace.exists("/workspace/n.txt")).toBe(true)
    expect(namesOf(events())).not.toContain("ask:opened")
  })
})

describe("a session that opens no asks", () => {
  it("denies at once, notifies clients and continues", async () => {
    const { client, idle, events, result } = await start(
      [{ content: [write()] }, DONE],
      {},
      { permission_prompts: "deny" },
    )
    await idle()
    expect(client.asked("can_use_tool")).toEqual([])
    expect(payloadsOf(events(), "sdk:system/permission_denied")).toMatchObject([{ tool_name: "Write" }])
    expect(result()).toMatchObject({ subtype: "success", permission_denials: [{ tool_name: "Write" }] })
  })
})

describe("two parallel asks", () => {
  it("are open at the same time, and the turn resumes when both are answered", async () => {
    const outside = (name: string) => call("Read", { file_path: `/elsewhere/${name}` })
    const { client, idle, events, turn, session } = await start(
      [{ content: [outside("a"), outside("b")] }, DONE],
      {},
      {},
    )
    await until(() => client.asked("can_use_tool").length === 2)
    const [first, second] = client.asked("can_use_tool")
    client.answer(second!.id, { behavior: "deny", message: "no" })
    expect(session.state).toBe("requires_action")
    client.answer(first!.id, { behavior: "allow" })
    await idle()
    expect(problemsOf(events(), [turn])).toEqual([])
  })

  it("stay parked until both are answered", async () => {
    const outside = (name: string) => call("Read", { file_path: `/elsewhere/${name}` })
    const script = scripted([{ content: [outside("a"), outside("b")] }, textAnswer("Both.")])
    const { session, idle } = harnessOf({}).boot()
    const turn = prompt(session, promptFor(script))
    await idle()
    const [first, second] = session.askStore.open
    session.asks.answer(first!.requestId, { behavior: "deny", message: "no" })
    await idle()
    expect(session.askStore.open).toHaveLength(1)
    expect(session.asks.parkedEntry()?.turn).toBe(turn)
    session.asks.answer(second!.requestId, { behavior: "deny", message: "no" })
    await idle()
    expect(session.turns.status(turn)).toMatchObject({ status: "completed", result: { result: "Both." } })
  })
})

// Turns that wait for an ask, and turns that are interrupted: how each call and the turn end.
import { describe, expect, it, vi } from "vitest"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { hooksOf, namesOf, resultOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { clientlessTurns } from "./clientless-turns.ts"

const made = clientlessTurns()
const { start, finish, requests } = made

const streamTypeOf = (json: string): string =>
  (JSON.parse(json) as { payload: { event: { type: string } } }).payload.event.type

describe("permissions", () => {
  const write = () => call("Write", { file_path: "/workspace/n.txt", content: "x" })

  it("an ask parks the turn; allowing it with another input writes that", async () => {
    const { session, idle, log, workspace, turn } = start([{ content: [write()] }, textAnswer("Done.")], {})
    await idle()
    expect(session.state).toBe("requires_action")
    const [ask] = session.askStore.open
    expect(
      session.asks.answer(ask!.requestId, {
        behavior: "allow",
        updatedInput: { file_path: "/workspace/n.txt", content: "edited" },
      }),
    ).toBeUndefined()
    await idle()
    expect(workspace.readText("/workspace/n.txt")).toBe("edited")
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
    expect(hooksOf(eventsOf(log)).filter((name) => name === "PreToolUse")).toHaveLength(1)
  })

  it("the same answer again is accepted, a different one is a conflict, a malformed one is refused", async () => {
    const { session, idle } = start([{ content: [write()] }, textAnswer("Done.")], {})
    await idle()
    const id = session.askStore.open[0]!.requestId
    expect(session.asks.answer(id, { behavior: "perhaps" })).toMatchObject({
      refused: { type: "invalid_request_error" },
    })
    expect(session.asks.answer(id, { behavior: "deny", message: "no" })).toBeUndefined()
    expect(session.asks.answer(id, { behavior: "deny", message: "no" })).toBeUndefined()
    expect(session.asks.answer(id, { behavior: "allow" })).toMatchObject({ refused: { type: "conflict_error" } })
    expect(session.asks.answer("nope", { behavior: "allow" })).toMatchObject({
      refused: { type: "not_found_error" },
    })
    await idle()
  })

  it("a denial is sent to the model and listed in the result", async () => {
    const tool = write()
    const { session, idle, log } = start([{ content: [tool] }, textAnswer("Done.")], {})
    await idle()
    session.asks.answer(session.askStore.open[0]!.requestId, { behavior: "deny", message: "not today" })
    await idle()
    expect(toolResultsOf(eventsOf(log))[0]).toMatchObject({ is_error: true, content: "not today" })
    expect(resultOf(eventsOf(log))).toMatchObject({
      subtype: "success",
      permission_denials: [
        { tool_name: "Write", tool_use_id: tool.id, tool_input: { file_path: "/workspace/n.txt", content: "x" } },
      ],
    })
  })

  it("a denial with interrupt ends the turn, and calls that had not started are rejected", async () => {
    const { session, idle, log, turn } = start([{ content: [write(), write()] }, textAnswer("Done.")], {})
    await idle()
    session.asks.answer(session.askStore.open[0]!.requestId, { behavior: "deny", message: "stop", interrupt: true })
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({
      subtype: "error_during_execution",
      terminal_reason: "aborted_tools",
      num_turns: 4,
    })
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
  })

  it("with permission_prompts deny no ask is opened, and clients are notified", async () => {
    const { events, result } = await finish([{ content: [write()] }, textAnswer("Done.")], {
      permission_prompts: "deny",
    })
    expect(namesOf(events)).toContain("sdk:system/permission_denied")
    expect(namesOf(events)).not.toContain("ask:opened")
    expect(hooksOf(events)).toContain("PermissionDenied")
    expect(result["permission_denials"]).toHaveLength(1)
  })

  it("updatedPermissions of an answer apply to the next call", async () => {
    const other = call("Write", { file_path: "/workspace/o.txt", content: "x" })
    const { session, idle, log, workspace } = start(
      [{ content: [write()] }, { content: [other] }, textAnswer("Done.")],
      {},
    )
    await idle()
    const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
    session.asks.answer(session.askStore.open[0]!.requestId, { behavior: "allow", updatedPermissions })
    await idle()
    expect(workspace.exists("/workspace/o.txt")).toBe(true)
    expect(eventsOf(log).filter((event) => event.name === "ask:opened")).toHaveLength(1)
    expect(eventsOf(log).find((event) => event.name === "sdk:system/status")?.payload).toMatchObject({
      permissionMode: "acceptEdits",
    })
    expect(session.info().permissionMode).toBe("acceptEdits")
  })

  it("an ask without an answer in time is denied", async () => {
    const { session, idle, log } = start([{ content: [write()] }, textAnswer("Done.")], {})
    await idle()
    vi.setSystemTime(Date.now() + 25 * 60 * 60 * 1000)
    session.asks.expire()
    vi.useRealTimers()
    await idle()
    expect(eventsOf(log).find((event) => event.name === "ask:settled")?.payload).toMatchObject({ by: "expiry" })
    expect(resultOf(eventsOf(log))).toMatchObject({ subtype: "success" })
  })
})

describe("an interrupt", () => {
  it("in mid-text keeps the text so far, and the conversation continues", async () => {
    const { runner, session, idle, log, turn, script } = start([
      { content: [text("word ".repeat(40))], chunk: 10, pause: { after: 8 } },
    ])
    await until(() => runner.current?.live.decoder.openText()?.length === 50)
    expect(await runner.interrupt()).toBe(true)
    const events = eventsOf(log)
    expect(problemsOf(events, [turn])).toEqual([])
    const partial = events.find((event) => event.name === "sdk:assistant")?.payload as {
      aborted: boolean
      message: { content: unknown }
    }
    expect(partial).toMatchObject({ aborted: true, message: { content: [{ type: "text", text: "word ".repeat(10) }] } })
    expect(resultOf(events)).toMatchObject({
      subtype: "error_during_execution",
      terminal_reason: "aborted_streaming",
      num_turns: 2,
    })
    const next = scriptName("next")
    made.api.set(next, [textAnswer("Again.")])
    prompt(session, promptFor(next))
    await idle()
    const sent = requests(next)[0]?.body.messages as ReadonlyArray<{
      role: string
      content: ReadonlyArray<{ text: string }>
    }>
    expect(sent.map((message) => message.role)).toEqual(["user", "assistant", "user"])
    expect(sent[1]?.content[0]?.text).toBe("word ".repeat(10))
    expect(sent[2]?.content.map((block) => block.text)).toEqual(["[Request interrupted by user]", promptFor(next)])
    expect(requests(script)).toHaveLength(1)
  })

  it.each([
    ["a text", text("Hello."), "aborted_streaming"],
    ["a call that asks", call("Write", { file_path: "/workspace/n.txt", content: "x" }), "aborted_tools"],
  ] as const)("behind %s with its end finishes that answer once", async (_, block, reason) => {
    const { runner, harness, log, turn } = start([{ content: [block], chunk: 1000, pause: { after: 6 } }], {})
    const live = harness.view({ after: 0, facts: true })
    await until(() => runner.current?.live.decoder.ended()?.usage["output_tokens"] !== undefined)
    expect(await runner.interrupt()).toBe(true)
    const streamed = live.filter(({ name }) => name === "sdk:stream_event").map(({ json }) => streamTypeOf(json))
    expect(streamed.filter((type) => !type.startsWith("content_block"))).toEqual([
      "message_start",
      "message_delta",
      "message_stop",
    ])
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
    expect(resultOf(eventsOf(log))).toMatchObject({ terminal_reason: reason })
    const ends = eventsOf(log).filter((event) => event.name === "call:finished")
    expect(ends.map(({ payload }) => payload)).toMatchObject([{ stop_reason: expect.any(String), wasted: false }])
  })

  it.each([
    ["a finished call", call("LS", { path: "/workspace" }), "sdk:user"],
    ["a running call", call("Bash", { command: "sleep 100", description: "d" }), "hook:fired"],
  ] as const)("in the text that follows %s is one of the answer, as recorded", async (_, block, name) => {
    const { runner, log, turn } = start([
      { content: [block, text("word ".repeat(40))], chunk: 80, pause: { after: 9 } },
    ])
    await until(() => eventsOf(log).findLast((event) => event.name.startsWith(name)) !== undefined)
    await until(() => (runner.current?.live.decoder.openText() ?? "") !== "")
    expect(await runner.interrupt()).toBe(true)
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
    expect(resultOf(eventsOf(log))).toMatchObject({ terminal_reason: "aborted_streaming", num_turns: 3 })
    const last = eventsOf(log).findLast((event) => event.name === "sdk:user")
    expect(JSON.stringify(last?.payload)).toContain('"[Request interrupted by user]"')
  })

  it("in mid-tool stops the command and rejects its call", async () => {
    const { runner, log, turn, workspace } = start([
      // Longer than this test may take: it would not end by itself.
      { content: [call("Bash", { command: "sleep 100; touch done", description: "d" })] },
    ])
    await until(() => hooksOf(eventsOf(log)).includes("PreToolUse"))
    expect(await runner.interrupt()).toBe(true)
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
    expect(resultOf(eventsOf(log))).toMatchObject({ terminal_reason: "aborted_tools" })
    expect(workspace.exists("/workspace/done")).toBe(false)
  })

  it("while an ask is open settles the ask", async () => {
    const { session, runner, idle, log, turn } = start(
      [{ content: [call("Write", { file_path: "/workspace/a", content: "x" })] }],
      {},
    )
    await idle()
    const parked = session.asks.parkedEntry()
    expect(parked?.turn).toBe(turn)
    await runner.interruptParked(parked!)
    expect(session.state).toBe("idle")
    expect(eventsOf(log).find((event) => event.name === "ask:settled")?.payload).toMatchObject({ by: "interrupt" })
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
  })

  it("does nothing when no turn runs", async () => {
    const { runner } = await finish([textAnswer("Hello.")])
    expect(await runner.interrupt()).toBe(false)
  })
})

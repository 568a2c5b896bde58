// One turn against a scripted Messages API: what it emits, in which order, and how it ends.
import { describe, expect, it } from "vitest"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASS, hooksOf, namesOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { clientlessTurns } from "./clientless-turns.ts"

const made = clientlessTurns()
const { start, finish, requests } = made

describe("a text turn", () => {
  it("fires its hooks and emits init first, the result last, then idle", async () => {
    const { events, result } = await finish([textAnswer("Hello.")])
    expect(namesOf(events)).toEqual([
      "turn:queued",
      "hook:fired",
      "hook:fired",
      "sdk:system/init",
      "sdk:system/session_state_changed",
      "sdk:assistant",
      "call:finished",
      "hook:fired",
      "sdk:result/success",
      "sdk:system/session_state_changed",
    ])
    expect(hooksOf(events)).toEqual(["SessionStart", "UserPromptSubmit", "Stop"])
    expect(result).toMatchObject({
      result: "Hello.",
      num_turns: 1,
      is_error: false,
      terminal_reason: "completed",
      stop_reason: "end_turn",
      total_cost_usd: 0.0006,
    })
  })

  it("an answer without visible content is requested once more", async () => {
    const { result, script } = await finish([
      [{ content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }] }, textAnswer("Now.")],
    ])
    expect(result).toMatchObject({ result: "Now.", num_turns: 2 })
    expect(requests(script)).toHaveLength(2)
  })

  it("pause_turn continues with the same conversation", async () => {
    const { result, script } = await finish([
      { content: [text("Half.")], stop_reason: "pause_turn" },
      textAnswer("Whole."),
    ])
    expect(result).toMatchObject({ result: "Whole." })
    expect(requests(script)).toHaveLength(2)
  })

  it("an answer that pauses repeatedly ends the turn with the text so far", async () => {
    const paused = { content: [text("Half.")], stop_reason: "pause_turn" }
    const { result, script } = await finish([paused, paused])
    expect(result).toMatchObject({ subtype: "success", result: "Half.", stop_reason: "pause_turn" })
    expect(requests(script)).toHaveLength(51)
  })
})

describe("tool calls", () => {
  it("run in parallel when they only read, and their results arrive as they end", async () => {
    const slow = call("Bash", { command: "sleep 0.3; echo slow", description: "d" })
    const fast = call("Bash", { command: "sleep 0.05; echo fast", description: "d" })
    const { events, result } = await finish([{ content: [slow, fast] }, textAnswer("Done.")])
    expect(toolResultsOf(events).map((block) => block.tool_use_id)).toEqual([fast.id, slow.id])
    expect(result).toMatchObject({ num_turns: 3 })
    expect(hooksOf(events)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PreToolUse",
      "PostToolUse",
      "PostToolBatch",
      "Stop",
    ])
  })

  it("that write run alone, in order, and a read after a write sees its result", async () => {
    const first = call("Write", { file_path: "/workspace/a", content: "1" })
    const second = call("Bash", { command: "echo 2 > b; cat a", description: "d" })
    const third = call("Glob", { pattern: "*" })
    const { events } = await finish([{ content: [first, second, third] }, textAnswer("Done.")])
    expect(toolResultsOf(events).map((block) => block.tool_use_id)).toEqual([first.id, second.id, third.id])
    expect(toolResultsOf(events)[1]?.content).toBe("1")
  })

  it("that are unknown or malformed get an error and fire no hooks", async () => {
    const { events, result } = await finish([
      {
        content: [
          call("Nope", {}),
          call("Read", { path: 1 }),
          { type: "tool_use", id: "toolu_bad", name: "Read", raw_input: '{"file_path": ' },
        ],
      },
      textAnswer("Done."),
    ])
    expect(
      toolResultsOf(events).every(
        (block) => block.is_error === true && String(block.content).startsWith("<tool_use_error>"),
      ),
    ).toBe(true)
    expect(toolResultsOf(events)).toHaveLength(3)
    expect(hooksOf(events)).toEqual(["SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop"])
    expect(result).toMatchObject({ subtype: "success" })
  })

  it("that fail fire PostToolUseFailure, and the turn continues", async () => {
    const { events, result } = await finish([
      { content: [call("Bash", { command: "exit 3", description: "d" })] },
      textAnswer("Done."),
    ])
    expect(hooksOf(events)).toContain("PostToolUseFailure")
    expect(toolResultsOf(events)[0]).toMatchObject({ is_error: true })
    expect(String(toolResultsOf(events)[0]?.content)).toMatch(/^Exit code 3/)
    expect(result).toMatchObject({ subtype: "success" })
  })

  it("start while the answer is still streaming", async () => {
    const read = call("Glob", { pattern: "*" })
    const { script, idle, log } = start([
      { content: [read, text("more ".repeat(20))], pause: { after: 7 } },
      textAnswer("Done."),
    ])
    await until(() => toolResultsOf(eventsOf(log)).length === 1)
    expect(namesOf(eventsOf(log))).not.toContain("call:finished")
    await fetch(`${made.api.url}/__release`, { method: "POST", body: JSON.stringify({ gate: `${script}#0` }) })
    await idle()
    const [, second] = requests(script)
    const content = second?.body.messages.at(-2)?.content as ReadonlyArray<{ type: string }>
    // In the request, calls come last.
    expect(content.map((block) => block.type)).toEqual(["text", "tool_use"])
  })

  it("maxTurns ends the turn once the tools of the last allowed request have run", async () => {
    const glob = () => call("Glob", { pattern: "*" })
    const { result, events } = await finish([{ content: [glob()] }, { content: [glob()] }, { content: [glob()] }], {
      ...BYPASS,
      maxTurns: 2,
    })
    expect(result).toMatchObject({
      subtype: "error_max_turns",
      is_error: true,
      num_turns: 3,
      terminal_reason: "max_turns",
    })
    expect(toolResultsOf(events)).toHaveLength(2)
  })
})

describe("the inbox", () => {
  it("runs prompts one after the other and refuses a repeated id with another prompt", async () => {
    const { session, idle, log, turn } = start([{ content: [text("One.")], delay_ms: 50 }])
    const two = scriptName("two")
    made.api.set(two, [textAnswer("Two.")])
    const second = prompt(session, promptFor(two))
    expect(
      session.prompts.submit({ turn: second, prompt: "x", onBusy: "queue", options: {}, fingerprint: "other" }),
    ).toMatchObject({
      refused: {
        type: "unprocessable_error",
        message: "this Idempotency-Key or id was used before with another request",
      },
    })
    expect(
      session.prompts.submit({
        turn: crypto.randomUUID(),
        prompt: "x",
        onBusy: "reject",
        options: {},
        fingerprint: "x",
      }),
    ).toMatchObject({ refused: { type: "conflict_error" } })
    await idle()
    const events = eventsOf(log)
    expect(problemsOf(events, [turn, second])).toEqual([])
    const spans = [turn, second].map((id) =>
      events.filter((event) => event.turn === id && event.name !== "turn:queued").map((event) => event.seq),
    )
    expect(Math.max(...spans[0]!)).toBeLessThan(Math.min(...spans[1]!))
    expect(session.turns.status(second)).toMatchObject({ status: "completed", result: { result: "Two." } })
  })
})

describe("a turn that is interrupted before its runner continues it", () => {
  it("runs no call, although its permission was given", async () => {
    const write = call("Write", { file_path: "/workspace/n.txt", content: "x" })
    const { harness, session, turn } = start([{ content: [write] }], { permission_prompts: "ask" })
    await until(() => session.askStore.open.length === 1)
    harness.crash()
    const again = harness.boot()
    await again.idle()
    expect(again.session.asks.answer(again.session.askStore.open[0]!.requestId, { behavior: "allow" })).toBeUndefined()
    await again.stopTurn()
    const events = eventsOf(again.log)
    expect(problemsOf(events, [turn])).toEqual([])
    expect(toolResultsOf(events)).toMatchObject([{ tool_use_id: write.id, is_error: true }])
    expect(again.workspace.exists("/workspace/n.txt")).toBe(false)
  })

  it("closes an answer that a crash cut off, and does not ask the model to continue it", async () => {
    const { harness, log, turn } = start([{ content: [text("Half."), text("Never.")], pause: { after: 6 } }])
    await until(() => namesOf(eventsOf(log)).includes("sdk:assistant"))
    harness.crash()
    const again = harness.boot()
    await again.stopTurn()
    const events = eventsOf(again.log)
    expect(problemsOf(events, [turn])).toEqual([])
    expect(namesOf(events).filter((name) => name === "call:finished")).toHaveLength(1)
    expect(namesOf(events)).not.toContain("turn:nudged")
    expect(again.session.memory.transcript.fragment()).toBeUndefined()
    expect(eventsOf(again.log).at(-2)).toMatchObject({ payload: { subtype: "error_during_execution" } })
  })
})

// One turn against a scripted Messages API: what it emits, in which order, and how it ends.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"
import {
  blocksOf,
  type Booted,
  eventsOf,
  problemsOf,
  prompt,
  SessionHarness,
} from "../../support/session/session-harness.ts"

let api: ScriptedApi
const open: Array<SessionHarness> = []

beforeAll(async () => {
  api = await createFakeApi()
})
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.dispose()
})
afterAll(() => api.close())

const BYPASS: SessionOptions = { permissionMode: "bypassPermissions" }

type Turns = Parameters<ScriptedApi["set"]>[1]

const start = (
  turns: Turns,
  options: SessionOptions = BYPASS,
): Booted & { readonly turn: string; readonly script: string; readonly harness: SessionHarness } => {
  const script = scriptName("turn")
  api.set(script, turns)
  const harness = new SessionHarness(api.url, options)
  open.push(harness)
  const booted = harness.boot()
  return { ...booted, turn: prompt(booted.session, promptFor(script)), script, harness }
}

const finish = async (turns: Turns, options?: SessionOptions) => {
  const started = start(turns, options)
  await started.idle()
  const events = eventsOf(started.log)
  expect(problemsOf(events, [started.turn])).toEqual([])
  return { ...started, events, result: resultOf(events) }
}

const resultOf = (events: ReadonlyArray<LogEvent>) =>
  events.findLast((event) => event.name.startsWith("sdk:result"))?.payload as Record<string, unknown>
const names = (events: ReadonlyArray<LogEvent>) => events.map((event) => event.name)
const hooks = (events: ReadonlyArray<LogEvent>) =>
  events
    .filter((event) => event.name === "hook:fired")
    .map((event) => (event.payload as { hook_event_name: string }).hook_event_name)
const results = (events: ReadonlyArray<LogEvent>) =>
  events.flatMap(blocksOf).filter((block) => block.type === "tool_result")
const until = async (check: () => boolean) => {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5))
}
const requests = (script: string) => api.log.filter((entry) => entry.script === script)

describe("a text turn", () => {
  it("fires its hooks and emits init first, the result last, then idle", async () => {
    const { events, result } = await finish([{ content: [text("Hello.")] }])
    expect(names(events)).toEqual([
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
    expect(hooks(events)).toEqual(["SessionStart", "UserPromptSubmit", "Stop"])
    expect(result).toMatchObject({
      result: "Hello.",
      num_turns: 1,
      is_error: false,
      terminal_reason: "completed",
      stop_reason: "end_turn",
      total_cost_usd: 0.0006,
    })
  })

  it("an answer with nothing visible is asked for once more", async () => {
    const { result, script } = await finish([
      [{ content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }] }, { content: [text("Now.")] }],
    ])
    expect(result).toMatchObject({ result: "Now.", num_turns: 2 })
    expect(requests(script)).toHaveLength(2)
  })

  it("pause_turn goes on with the same conversation", async () => {
    const { result, script } = await finish([
      { content: [text("Half.")], stop_reason: "pause_turn" },
      { content: [text("Whole.")] },
    ])
    expect(result).toMatchObject({ result: "Whole." })
    expect(requests(script)).toHaveLength(2)
  })

  it("an answer that pauses again and again ends the turn with what there is of it", async () => {
    const paused = { content: [text("Half.")], stop_reason: "pause_turn" }
    const { result, script } = await finish([paused, paused])
    expect(result).toMatchObject({ subtype: "success", result: "Half.", stop_reason: "pause_turn" })
    expect(requests(script)).toHaveLength(51)
  })
})

describe("tool calls", () => {
  it("run together when they only read, and their results come as they end", async () => {
    const slow = call("Bash", { command: "sleep 0.3; echo slow", description: "d" })
    const fast = call("Bash", { command: "sleep 0.05; echo fast", description: "d" })
    const { events, result } = await finish([{ content: [slow, fast] }, { content: [text("Done.")] }])
    expect(results(events).map((block) => block.tool_use_id)).toEqual([fast.id, slow.id])
    expect(result).toMatchObject({ num_turns: 3 })
    expect(hooks(events)).toEqual([
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

  it("that write run alone, in order, and a reader behind one sees what it wrote", async () => {
    const first = call("Write", { file_path: "/workspace/a", content: "1" })
    const second = call("Bash", { command: "echo 2 > b; cat a", description: "d" })
    const third = call("Glob", { pattern: "*" })
    const { events } = await finish([{ content: [first, second, third] }, { content: [text("Done.")] }])
    expect(results(events).map((block) => block.tool_use_id)).toEqual([first.id, second.id, third.id])
    expect(results(events)[1]?.content).toBe("1")
  })

  it("that are unknown or malformed get an error and fire no hook of their own", async () => {
    const { events, result } = await finish([
      {
        content: [
          call("Nope", {}),
          call("Read", { path: 1 }),
          { type: "tool_use", id: "toolu_bad", name: "Read", raw_input: '{"file_path": ' },
        ],
      },
      { content: [text("Done.")] },
    ])
    expect(
      results(events).every((block) => block.is_error === true && String(block.content).startsWith("<tool_use_error>")),
    ).toBe(true)
    expect(results(events)).toHaveLength(3)
    expect(hooks(events)).toEqual(["SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop"])
    expect(result).toMatchObject({ subtype: "success" })
  })

  it("that fail fire PostToolUseFailure, and the turn goes on", async () => {
    const { events, result } = await finish([
      { content: [call("Bash", { command: "exit 3", description: "d" })] },
      { content: [text("Done.")] },
    ])
    expect(hooks(events)).toContain("PostToolUseFailure")
    expect(results(events)[0]).toMatchObject({ is_error: true })
    expect(String(results(events)[0]?.content)).toMatch(/^Exit code 3/)
    expect(result).toMatchObject({ subtype: "success" })
  })

  it("start while the answer still streams", async () => {
    const read = call("Glob", { pattern: "*" })
    const { script, idle, log } = start([
      { content: [read, text("more ".repeat(20))], pause: { after: 7 } },
      { content: [text("Done.")] },
    ])
    await until(() => results(eventsOf(log)).length === 1)
    expect(names(eventsOf(log))).not.toContain("call:finished")
    await fetch(`${api.url}/__release`, { method: "POST", body: JSON.stringify({ gate: `${script}#0` }) })
    await idle()
    const [, second] = requests(script)
    const content = second?.body.messages.at(-2)?.content as ReadonlyArray<{ type: string }>
    // Calls come last in what is sent back.
    expect(content.map((block) => block.type)).toEqual(["text", "tool_use"])
  })

  it("maxTurns ends the turn once the last allowed request's tools have run", async () => {
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
    expect(results(events)).toHaveLength(2)
  })
})

describe("permissions", () => {
  const write = () => call("Write", { file_path: "/workspace/n.txt", content: "x" })

  it("a question parks the turn; allowing it with another input writes that", async () => {
    const { session, idle, log, workspace, turn } = start([{ content: [write()] }, { content: [text("Done.")] }], {})
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
    expect(hooks(eventsOf(log)).filter((name) => name === "PreToolUse")).toHaveLength(1)
  })

  it("the same answer again is accepted, another is a conflict, a malformed one is refused", async () => {
    const { session, idle } = start([{ content: [write()] }, { content: [text("Done.")] }], {})
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
    const { session, idle, log } = start([{ content: [tool] }, { content: [text("Done.")] }], {})
    await idle()
    session.asks.answer(session.askStore.open[0]!.requestId, { behavior: "deny", message: "not today" })
    await idle()
    expect(results(eventsOf(log))[0]).toMatchObject({ is_error: true, content: "not today" })
    expect(resultOf(eventsOf(log))).toMatchObject({
      subtype: "success",
      permission_denials: [
        { tool_name: "Write", tool_use_id: tool.id, tool_input: { file_path: "/workspace/n.txt", content: "x" } },
      ],
    })
  })

  it("a denial with interrupt ends the turn, and what had not started is rejected", async () => {
    const { session, idle, log, turn } = start([{ content: [write(), write()] }, { content: [text("Done.")] }], {})
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
    const { events, result } = await finish([{ content: [write()] }, { content: [text("Done.")] }], {
      permission_prompts: "deny",
    })
    expect(names(events)).toContain("sdk:system/permission_denied")
    expect(names(events)).not.toContain("ask:opened")
    expect(hooks(events)).toContain("PermissionDenied")
    expect(result["permission_denials"]).toHaveLength(1)
  })

  it("updatedPermissions of an answer hold for the next call", async () => {
    const other = call("Write", { file_path: "/workspace/o.txt", content: "x" })
    const { session, idle, log, workspace } = start(
      [{ content: [write()] }, { content: [other] }, { content: [text("Done.")] }],
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
    const { session, idle, log } = start([{ content: [write()] }, { content: [text("Done.")] }], {})
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
  it("in mid-text keeps the text so far and the conversation goes on", async () => {
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
    api.set(next, [{ content: [text("Again.")] }])
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

  it("in mid-tool stops the command and rejects its call", async () => {
    const { runner, log, turn, workspace } = start([
      { content: [call("Bash", { command: "sleep 5; touch done", description: "d" })] },
    ])
    await until(() => hooks(eventsOf(log)).includes("PreToolUse"))
    const before = performance.now()
    expect(await runner.interrupt()).toBe(true)
    expect(performance.now() - before).toBeLessThan(1000)
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
    expect(resultOf(eventsOf(log))).toMatchObject({ terminal_reason: "aborted_tools" })
    expect(workspace.exists("/workspace/done")).toBe(false)
  })

  it("while a question waits settles the question", async () => {
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

  it("does nothing when nothing runs", async () => {
    const { runner } = await finish([{ content: [text("Hello.")] }])
    expect(await runner.interrupt()).toBe(false)
  })
})

describe("a model request that fails", () => {
  it("with 529 is tried again, and each try is reported", async () => {
    const overloaded = { error: { status: 529, type: "overloaded_error", message: "busy" } }
    const { events, result } = await finish([[overloaded, { content: [text("Done.")] }]])
    expect(events.filter((event) => event.name === "sdk:system/api_retry").map((event) => event.payload)).toMatchObject(
      [{ attempt: 1, max_retries: 10, error_status: 529, error: "overloaded" }],
    )
    expect(result).toMatchObject({ result: "Done.", num_turns: 1 })
  })

  it("with 400 ends the turn with the error as its result", async () => {
    const { events, result } = await finish([{ error: { status: 400, type: "invalid_request_error", message: "bad" } }])
    expect(hooks(events)).toContain("StopFailure")
    expect(hooks(events)).not.toContain("Stop")
    expect(events.find((event) => event.name === "sdk:assistant")?.payload).toMatchObject({
      message: { model: "<synthetic>" },
      error: "unknown",
      is_api_error_message: true,
      api_error_status: 400,
    })
    expect(result).toMatchObject({
      subtype: "success",
      is_error: true,
      terminal_reason: "api_error",
      api_error_status: 400,
      stop_reason: "stop_sequence",
    })
  })

  it("by a drop before any block is tried again, and the lost request is paid for", async () => {
    const lost = { content: [text("lost words here")], drop: { after: 4 } }
    const { events, result } = await finish([[lost, { content: [text("Done.")] }]])
    const calls = events
      .filter((event) => event.name === "call:finished")
      .map((event) => event.payload as { wasted: boolean; usd: number })
    expect(calls.map((one) => one.wasted)).toEqual([true, false])
    expect(result["total_cost_usd"]).toBeCloseTo(calls[0]!.usd + calls[1]!.usd, 12)
    expect(events.find((event) => event.name === "sdk:system/api_retry")?.payload).toMatchObject({
      error_status: null,
      error: "unknown",
    })
  })

  it("by a drop after a complete call keeps the call", async () => {
    const kept = call("Bash", { command: "echo x >> f", description: "d" })
    const { events, workspace, script } = await finish([
      { content: [kept, text("never finished words")], drop: { after: 9 } },
      { content: [text("Done.")] },
    ])
    expect(results(events).map((block) => block.tool_use_id)).toEqual([kept.id])
    expect(workspace.readText("/workspace/f")).toBe("x\n")
    expect(requests(script)).toHaveLength(2)
  })

  it("by a drop after a complete text goes on from that text", async () => {
    const { events, script } = await finish([
      { content: [text("Complete."), text("never finished words")], chunk: 50, drop: { after: 7 } },
      { content: [text("Done.")] },
    ])
    expect(events.filter((event) => event.name === "sdk:user").map((event) => event.payload)).toMatchObject([
      { isSynthetic: true },
    ])
    const sent = requests(script)[1]?.body.messages as ReadonlyArray<{ role: string }>
    expect(sent.map((message) => message.role)).toEqual(["user", "assistant", "user"])
  })
})

describe("the inbox", () => {
  it("runs prompts one after the other and refuses a known id with another prompt", async () => {
    const { session, idle, log, turn } = start([{ content: [text("One.")], delay_ms: 50 }])
    const two = scriptName("two")
    api.set(two, [{ content: [text("Two.")] }])
    const second = prompt(session, promptFor(two))
    expect(
      session.prompts.submit({ turn: second, prompt: "x", onBusy: "queue", options: {}, fingerprint: "other" }),
    ).toMatchObject({ refused: { type: "unprocessable_error" } })
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

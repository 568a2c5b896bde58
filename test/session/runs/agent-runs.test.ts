// Runs of a session: their start and end, their time limits, and pauses for the results of client tools.
import { randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { currentStretch } from "../../../src/session/runs/run-stretch.ts"
import { runResultOf, runStatusOf, submitRun, tryRun } from "../../support/runs/submitted-runs.ts"
import { BYPASS, DONE, loop, namesOf, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { blocksOf, eventsOf, problemsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"

const made = loop()
const { harnessOf, scripted } = made

const CLIENT_TOOLS = [
  {
    name: "lookup",
    description: "Looks it up",
    inputSchema: { type: "object", properties: { q: { type: "string" } } },
  },
]

const weather = (id: string, q: string) => call("lookup", { q }, id)

describe("a run", () => {
  it("starts with its runtime, logs its facts, and ends with the turn", async () => {
    const booted = harnessOf().boot()
    const script = scripted([DONE])
    const run = await submitRun(booted, { run_id: "run-1", prompt: promptFor(script), session_key: "chat:1" })
    expect(runStatusOf(booted, run)).toMatchObject({ run_id: "run-1", turn: run, last_seq: null })
    await booted.idle()
    const events = eventsOf(booted.log)
    expect(payloadsOf(events, "run:started")).toMatchObject([
      { run_id: "run-1", timeout_ms: 60_000, runtime: "live", session_key: "chat:1" },
    ])
    expect(namesOf(events).indexOf("run:started")).toBeLessThan(namesOf(events).indexOf("sdk:system/init"))
    expect(problemsOf(events, [run])).toEqual([])
    expect(runStatusOf(booted, run)).toMatchObject({
      status: "completed",
      last_seq: booted.session.inbox.find(run)?.resultSeq,
    })
    expect(runResultOf(booted, run).meta).toMatchObject({
      agentMeta: { provider: "anthropic", usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, total: 110 } },
      stopReason: "completed",
    })
    const { systemPromptReport: report } = runResultOf(booted, run).meta
    expect(report).toMatchObject({ source: "run", sessionKey: "chat:1", workspaceDir: "/workspace" })
    expect(report?.systemPrompt.chars).toBeGreaterThan(0)
    expect(report?.tools.entries.map(({ name }) => name)).toContain("Read")
    expect(report?.tools.schemaChars).toBe(report?.tools.entries.reduce((sum, { schemaChars }) => sum + schemaChars, 0))
  })

  it("does not change the log of a session without runs", async () => {
    const booted = harnessOf().boot()
    await submitRun(booted, { prompt: promptFor(scripted([DONE])) })
    await booted.idle()
    const other = harnessOf().boot()
    prompt(other.session, promptFor(scripted([DONE])))
    await other.idle()
    expect(namesOf(eventsOf(booted.log)).filter((name) => !name.startsWith("run:"))).toEqual(
      namesOf(eventsOf(other.log)),
    )
  })

  it("is the same when it is sent again, and is refused if it differs", async () => {
    const booted = harnessOf().boot()
    const asked = { turn: randomUUID(), prompt: promptFor(scripted([DONE])) }
    await submitRun(booted, asked)
    expect(await tryRun(booted, asked)).toMatchObject({ replayed: true, turn_id: asked.turn })
    expect(await tryRun(booted, { ...asked, timeout_ms: 5 })).toMatchObject({
      refused: { type: "unprocessable_error" },
    })
    await booted.idle()
    expect(await tryRun(booted, asked)).toMatchObject({ replayed: true, status: "completed" })
  })

  it("queues after the previous run: its time starts with its own turn", async () => {
    const booted = harnessOf().boot()
    const script = scripted([{ ...DONE, hold: {} }])
    const first = await submitRun(booted, { prompt: promptFor(script) })
    const second = await submitRun(booted, { prompt: promptFor(scripted([DONE])), timeout_ms: 30_000 })
    await until(() => namesOf(eventsOf(booted.log)).includes("run:started"))
    expect(payloadsOf(eventsOf(booted.log), "run:started")).toHaveLength(1)
    expect(runStatusOf(booted, second)).toMatchObject({ status: "queued", last_seq: null })
    made.api.release(`${script}#0`)
    await booted.idle()
    const ends = eventsOf(booted.log).filter(({ name }) => name === "run:started" || name.startsWith("sdk:result"))
    expect(ends.map(({ name, turn }) => [name, turn])).toEqual([
      ["run:started", first],
      ["sdk:result/success", first],
      ["run:started", second],
      ["sdk:result/success", second],
    ])
  })
})

describe("the server's runtime setting", () => {
  const booted = (PERCH_RUNTIME: string) => new SessionHarness(made.api.url, BYPASS, { PERCH_RUNTIME })

  it("answers runs that name none, without calling a model", async () => {
    const harness = booted("offline")
    const session = harness.boot()
    const script = scripted([DONE])
    const run = await submitRun(session, { prompt: promptFor(script) })
    const live = await submitRun(session, { prompt: promptFor(script), runtime: "live" })
    await session.idle()
    expect(runResultOf(session, run).meta.agentMeta).toMatchObject({ provider: "offline" })
    expect(runResultOf(session, live).meta.agentMeta).toMatchObject({ provider: "anthropic" })
    expect(made.messagesSent(script)).toHaveLength(1)
    await harness.dispose()
  })

  it("that can't be executed ends the run with an error that names it", async () => {
    const harness = booted("claude-sdk")
    const session = harness.boot()
    const run = await submitRun(session, { prompt: "Hello" })
    await session.idle()
    expect(runResultOf(session, run)).toMatchObject({
      payloads: [{ text: expect.stringContaining("PERCH_RUNTIME: claude-sdk"), isError: true }],
      meta: { stopReason: "turn_setup_failed" },
    })
    await harness.dispose()
  })

  it("is refused for a session that was created for another runtime", async () => {
    const session = harnessOf().boot()
    expect(await tryRun(session, { prompt: "x", runtime: "record" })).toMatchObject({
      refused: { type: "conflict_error", field: "runtime" },
    })
  })
})

describe("the time limit of a run", () => {
  it("ends its turn and keeps the text so far", async () => {
    const booted = harnessOf().boot()
    const script = scripted([{ content: [text("Half of it.")], chunk: 6, pause: { after: 3 } }])
    const run = await submitRun(booted, { prompt: promptFor(script), timeout_ms: 250 })
    await booted.idle()
    const events = eventsOf(booted.log)
    expect(payloadsOf(events, "run:timed_out")).toHaveLength(1)
    const { meta, payloads } = runResultOf(booted, run)
    expect(meta).toMatchObject({ aborted: true, stopReason: "aborted_streaming" })
    // How far the answer had come by then is the machine's.
    const written = events.findLast(({ name }) => name === "sdk:assistant")
    const shown = (written === undefined ? [] : blocksOf(written)).flatMap((block) => Reflect.get(block, "text") ?? [])
    expect((payloads ?? []).map((payload) => payload.text)).toEqual(shown.map((one) => String(one).trim()))
    expect(problemsOf(events, [run])).toEqual([])
  })

  it("continues over a crash from the start of its turn", async () => {
    const harness = harnessOf()
    const booted = harness.boot()
    const script = scripted([{ content: [text("Half of it.")], chunk: 6, pause: { after: 3 } }])
    const run = await submitRun(booted, { prompt: promptFor(script), timeout_ms: 250 })
    await until(() => namesOf(eventsOf(booted.log)).includes("run:started"))
    harness.crash()
    const again = harness.boot()
    await again.idle()
    expect(payloadsOf(eventsOf(again.log), "run:started")).toHaveLength(1)
    expect(runResultOf(again, run).meta).toMatchObject({ aborted: true })
  })

  it("excludes the time that its turn waits in the queue, before and after a crash", async () => {
    const harness = harnessOf()
    const booted = harness.boot()
    const script = scripted([{ content: [text("Half of it.")], chunk: 6, pause: { after: 3 } }])
    const run = await submitRun(booted, { prompt: promptFor(script), timeout_ms: 60_000 })
    await until(() => namesOf(eventsOf(booted.log)).includes("run:started"))
    const waiting = { position: 1, limit: 1, since: 1 }
    booted.session.append([{ name: "lane:waiting", payload: waiting, turn: run }])
    booted.session.append([{ name: "lane:entered", payload: { waited_ms: 3_600_000 }, turn: run }])
    harness.crash()
    const again = harness.boot()
    const started = eventsOf(again.log).find(({ name }) => name === "run:started")
    expect(currentStretch(again.log, run)?.run?.deadline).toBe((started?.at ?? 0) + 60_000 + 3_600_000)
    await again.stopTurn()
    expect(namesOf(eventsOf(again.log))).not.toContain("run:timed_out")
  })

  it("is paused while only the caller's own tools are pending", async () => {
    const booted = harnessOf({ ...BYPASS, clientTools: CLIENT_TOOLS }).boot()
    const script = scripted([{ content: [weather("toolu_a", "Rome")] }, DONE])
    const run = await submitRun(booted, { prompt: promptFor(script), timeout_ms: 60_000 })
    await booted.idle()
    const [ask] = booted.session.askStore.open
    expect(runResultOf(booted, run).meta).toMatchObject({ stopReason: "tool_calls" })
    booted.session.asks.answer(ask?.requestId ?? "", { content: "sunny" })
    await booted.idle()
    expect(namesOf(eventsOf(booted.log))).not.toContain("run:timed_out")
    expect(runResultOf(booted, run).meta.stopReason).toBe("tool_calls")
  })
})

describe("a call of the caller's own tool", () => {
  const paused = async () => {
    const harness = harnessOf({ ...BYPASS, clientTools: CLIENT_TOOLS })
    const booted = harness.boot()
    const calls = [weather("toolu_a", "Rome"), weather("toolu_b", "Oslo")]
    const run = await submitRun(booted, { prompt: promptFor(scripted([{ content: calls }, DONE])) })
    await booted.idle()
    return { harness, booted, run }
  }

  it("ends the run with stopReason tool_calls and every call, with arguments as text", async () => {
    const { booted, run } = await paused()
    expect(runStatusOf(booted, run)).toMatchObject({ status: "requires_action" })
    expect(runResultOf(booted, run).meta).toMatchObject({
      stopReason: "tool_calls",
      pendingToolCalls: [
        { id: "toolu_a", name: "lookup", arguments: '{"q":"Rome"}' },
        { id: "toolu_b", name: "lookup", arguments: '{"q":"Oslo"}' },
      ],
    })
  })

  it("gets its result with the next run, which continues the turn", async () => {
    const { booted, run } = await paused()
    const results = [
      { id: "toolu_a", answer: { content: "sunny" } },
      { id: "toolu_b", answer: { content: "no idea", is_error: true } },
    ]
    const next = await submitRun(booted, { run_id: "next", results })
    await booted.idle()
    expect(runStatusOf(booted, next)).toMatchObject({ run_id: "next", turn: run, status: "completed" })
    expect(runResultOf(booted, next).meta).toMatchObject({ stopReason: "completed" })
    expect(runResultOf(booted, run).meta).toMatchObject({ stopReason: "tool_calls" })
    expect(problemsOf(eventsOf(booted.log), [run])).toEqual([])
  })

  it("pauses the next run too, if that brings one of two results", async () => {
    const { booted, run } = await paused()
    const next = await submitRun(booted, { results: [{ id: "toolu_b", answer: { content: "rain" } }] })
    expect(runResultOf(booted, next).meta.pendingToolCalls).toEqual([
      { id: "toolu_a", name: "lookup", arguments: '{"q":"Rome"}' },
    ])
    const last = await submitRun(booted, { results: [{ id: "toolu_a", answer: { content: "sunny" } }] })
    await booted.idle()
    expect(runResultOf(booted, last).meta.stopReason).toBe("completed")
    expect(problemsOf(eventsOf(booted.log), [run])).toEqual([])
  })

  it("accepts its results over a crash, and only once", async () => {
    const { harness, booted, run } = await paused()
    harness.crash()
    const again = harness.boot()
    const turn = randomUUID()
    const asked = {
      turn,
      results: [
        { id: "toolu_a", answer: { content: "sunny" } },
        { id: "toolu_b", answer: { content: "rain" } },
      ],
    }
    await submitRun(again, asked)
    await again.idle()
    expect(await tryRun(again, asked)).toMatchObject({ replayed: true, status: "completed" })
    expect(await tryRun(again, { results: asked.results })).toMatchObject({
      refused: { type: "conflict_error", field: "toolResults[0].id" },
    })
    expect(runResultOf(again, run).meta.stopReason).toBe("tool_calls")
    expect(booted.session.id).toBe(again.session.id)
  })
})

import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { flushToD1, rowsOf } from "../../../src/store/delivery/flush.ts"
import { jsonLists } from "../../../src/store/delivery/json-rows.ts"
import { eraseSession } from "../../../src/store/sessions.ts"
import { PartsProjection } from "../../../src/views/parts/parts.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { SqliteD1 } from "../../support/session/sqlite-d1.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"
import { sessionInfo, TENANT } from "../../store/session-info.ts"

const TABLES = ["sessions", "messages", "parts", "costs"]
const dump = (db: SqliteD1) => Object.fromEntries(TABLES.map((table) => [table, db.rows(table)]))

const flush = (db: SqliteD1, events: ReadonlyArray<LogEvent>, projection: PartsProjection) =>
  Effect.runPromise(flushToD1(db.d1, rowsOf(TENANT, sessionInfo(events.at(-1)?.seq ?? 0), events, projection)))

const oneTurn = () => {
  const log = new TurnLog()
  log.queued("Hello")
  log.init()
  log.block("m1", { type: "thinking", thinking: "hm", signature: "s" })
  log.toolUse("m1", "t1", "Read", { file_path: "/a" })
  log.toolUse("m1", "t2", "Read", { file_path: "/b" })
  log.hook("PreToolUse", { tool_use_id: "t1" })
  log.toolResult("t2", "b")
  log.call("m1", { stop_reason: "tool_use" })
  log.toolResult("t1", "a", { output: { type: "text" } })
  log.text("m2", "Done")
  log.call("m2", {
    usd: null,
    usage: {
      input_tokens: 1,
      output_tokens: 2,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 4 },
      server_tool_use: { web_search_requests: 2 },
    },
  })
  log.result()
  return log
}

describe("rows of the log in D1", () => {
  it("equal the projection of the log", async () => {
    const db = new SqliteD1()
    const log = oneTurn()
    await flush(db, log.events, new PartsProjection(SESSION))
    const messages = projectParts(SESSION, log.events)
    expect(db.rows("messages").map((row) => JSON.parse(String(row.info)))).toEqual(
      messages.map((message) => message.info),
    )
    expect(db.rows("parts").map((row) => JSON.parse(String(row.part)))).toEqual(
      messages.flatMap((message) => message.parts),
    )
    expect(db.rows("sessions")).toMatchObject([
      { tenant: TENANT, session_id: SESSION, state: "idle", seq: 12, deleted_at: null },
    ])
  })

  it("have no cost in a session that plays a recording: the recorded session has paid", async () => {
    const db = new SqliteD1()
    const { events } = oneTurn()
    const options = { runtime: { mode: "playback", recording: "r" } } as const
    const session = { ...sessionInfo(events.length), options }
    await Effect.runPromise(flushToD1(db.d1, rowsOf(TENANT, session, events, new PartsProjection(SESSION))))
    expect(db.rows("costs")).toEqual([])
    expect(db.rows("messages").length).toBeGreaterThan(0)
  })

  it("have a cost for each request, with separate cache writes and an unknown price as null", async () => {
    const db = new SqliteD1()
    await flush(db, oneTurn().events, new PartsProjection(SESSION))
    expect(db.rows("costs")).toMatchObject([
      {
        seq: 8,
        message_id: "m1",
        input: 10,
        output: 5,
        cache_read: 3,
        cache_write_5m: 2,
        cache_write_1h: 0,
        usd: 0.25,
        wasted: 0,
      },
      { seq: 11, input: 1, output: 2, cache_read: 3, cache_write_5m: 6, cache_write_1h: 4, web_searches: 2, usd: null },
    ])
  })

  it("stay the same when everything is delivered twice, or late", async () => {
    const db = new SqliteD1()
    const { events } = oneTurn()
    const early = rowsOf(TENANT, sessionInfo(5, { state: "running" }), events.slice(0, 5), new PartsProjection(SESSION))
    const all = rowsOf(TENANT, sessionInfo(12), events, new PartsProjection(SESSION))
    await Effect.runPromise(flushToD1(db.d1, all))
    const once = dump(db)
    await Effect.runPromise(flushToD1(db.d1, all))
    await Effect.runPromise(flushToD1(db.d1, early))
    expect(dump(db)).toEqual(once)
  })

  it("are complete after a failure in the middle and a retry with more events", async () => {
    const db = new SqliteD1()
    const whole = new SqliteD1()
    const { events } = oneTurn()
    const projection = new PartsProjection(SESSION)
    db.failBatchIn = 1
    const failed = await Effect.runPromise(
      Effect.flip(flushToD1(db.d1, rowsOf(TENANT, sessionInfo(9), events.slice(0, 9), projection))),
    )
    expect(JSON.stringify(failed)).not.toContain("INSERT")
    expect(failed).toMatchObject({ _tag: "StoreError", operation: "flush" })
    await flush(db, events, projection)
    await flush(whole, events, new PartsProjection(SESSION))
    expect(dump(db)).toEqual(dump(whole))
  })

  it("do not return after the session was erased", async () => {
    const db = new SqliteD1()
    const { events } = oneTurn()
    await flush(db, events, new PartsProjection(SESSION))
    const counts = await Effect.runPromise(eraseSession(db.d1, TENANT, SESSION, "2026-11-22T00:00:00.000Z"))
    expect(counts).toEqual({ messages: 3, parts: 9, costs: 2, hook_events: 0 })
    await flush(db, events, new PartsProjection(SESSION))
    expect(dump(db)).toMatchObject({ messages: [], parts: [], costs: [] })
    expect(db.rows("sessions")).toMatchObject([
      { title: null, cwd: "", options: "{}", deleted_at: "2026-11-22T00:00:00.000Z" },
    ])
  })

  it("over 16 KiB are truncated to valid JSON that names the event with the whole", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    log.queued("x".repeat(500_000))
    log.init()
    log.toolUse("m1", "t1", "Write", { file_path: "/a", content: "é😀".repeat(40_000) })
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key${n}`, "v".repeat(50)]))
    const result = log.toolResult("t1", "ok", { output: wide })
    log.result()
    await flush(db, log.events, new PartsProjection(SESSION))
    const parts = db
      .rows("parts")
      .map((row) => ({ bytes: Buffer.byteLength(String(row.part)), part: JSON.parse(String(row.part)) }))
    for (const { bytes } of parts) expect(bytes).toBeLessThanOrEqual(16 * 1024)
    expect(parts[0]?.part).toMatchObject({ type: "text", truncated: true, seq: 1 })
    expect(parts[2]?.part).toMatchObject({
      type: "tool",
      callID: "t1",
      state: { status: "completed", output: "ok", input: { file_path: "/a" } },
      truncated: true,
      seq: result.seq,
    })
  })

  it("contain input that is nested deeper than SQLite's JSON allows", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    log.queued("x")
    log.init()
    const deep = JSON.parse(`${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}`) as Record<string, unknown>
    log.toolUse("m1", "t1", "mcp__x__y", deep)
    await flush(db, log.events, new PartsProjection(SESSION))
    expect(db.rows("parts")).toHaveLength(3)
  })

  it("are written in batches of about a megabyte, in order", () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ n, text: "é".repeat(5_000) }))
    const lists = jsonLists(rows)
    expect(lists.length).toBeGreaterThan(4)
    for (const list of lists) expect(Buffer.byteLength(list)).toBeLessThanOrEqual(1_000_100)
    expect(lists.flatMap((list) => (JSON.parse(list) as Array<{ n: number }>).map(({ n }) => n))).toEqual(
      rows.map(({ n }) => n),
    )
  })

  it("of a large turn fit D1's limits", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    log.queued("x")
    log.init()
    for (let n = 0; n < 400; n += 1) {
      log.toolUse(`m${n}`, `t${n}`, "Bash", { command: "cat" })
      log.toolResult(`t${n}`, "o".repeat(15_000))
      log.call(`m${n}`)
    }
    await flush(db, log.events, new PartsProjection(SESSION))
    expect(db.rows("parts")).toHaveLength(1 + 400 * 3)
    expect(db.calls).toBeLessThan(20)
  })
})

type Command =
  | { readonly do: "queue" | "cancel" | "join" | "text" | "thinking" | "call" | "retry" | "interrupt" | "end" | "note" }
  | { readonly do: "use" | "start" | "finish"; readonly tool: number }

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constantFrom("text", "thinking", "call", "call", "retry", "interrupt", "end", "note") }),
  fc.record({ do: fc.constantFrom("queue", "cancel", "join") }),
  fc.record({ do: fc.constantFrom("use", "start", "finish"), tool: fc.nat(3) }),
)

/**
 * A log from any commands, sensible or not: results without calls, calls without results, prompts that wait, join a turn or are
 * taken back.
 */
const logOf = (commands: ReadonlyArray<Command>): ReadonlyArray<LogEvent> => {
  const log = new TurnLog()
  const waiting: Array<string> = []
  log.queued("first")
  log.init()
  let message = 0
  const end = (subtype: string) => {
    log.result(subtype)
    const next = waiting.shift()
    if (next === undefined) log.queued("next")
    else log.turn = next
    log.init()
  }
  for (const step of commands) {
    if (step.do === "text") log.text(`m${message}`, "text")
    if (step.do === "thinking") log.block(`m${message}`, { type: "redacted_thinking", data: "x" })
    if (step.do === "call") log.call(`m${message++}`)
    if (step.do === "retry") log.sdk("system/api_retry", { attempt: 1, error_status: 529, error: "overloaded" })
    if (step.do === "note") log.sdk("user", { message: { role: "user", content: "Go on" } })
    if (step.do === "interrupt") end("error_during_execution")
    if (step.do === "end") end("success")
    if (step.do === "use") log.toolUse(`m${message}`, `t${step.tool}`, "Bash", { command: "ls" })
    if (step.do === "start") log.hook("PreToolUse", { tool_use_id: `t${step.tool}` })
    if (step.do === "finish") log.toolResult(`t${step.tool}`, "out")
    if (step.do === "queue") {
      const running = log.turn
      log.queued("waits")
      waiting.push(log.turn)
      log.turn = running
    }
    const next = step.do === "cancel" ? waiting.pop() : step.do === "join" ? waiting.shift() : undefined
    if (next !== undefined && step.do === "cancel") log.add("turn:cancelled", {}, next)
    if (next !== undefined && step.do === "join") log.add("turn:joined", { turn: next, prompt: "waits" })
  }
  return log.events
}

describe("any split of a log", () => {
  it("produces the same rows as one delivery, even if memory is freed and the fold restarts in between", async () => {
    const plan = fc.record({
      commands: fc.array(command, { maxLength: 60 }),
      cuts: fc.array(fc.nat(80), { maxLength: 6 }),
      restart: fc.boolean(),
      free: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ commands, cuts, restart, free }) => {
        const events = logOf(commands)
        const [whole, split] = [new SqliteD1(), new SqliteD1()]
        await flush(whole, events, new PartsProjection(SESSION))
        let projection = new PartsProjection(SESSION)
        let done = 0
        for (const cut of [...cuts.toSorted((a, b) => a - b), events.length]) {
          const until = Math.min(cut, events.length)
          if (until <= done) continue
          if (restart) {
            const from = projection.settledBefore()
            projection = new PartsProjection(SESSION)
            for (const event of events.slice(0, done)) if (event.seq >= from) projection.apply(event)
          }
          await flush(split, events.slice(done, until), projection)
          if (free) projection.dropFlushed(until)
          done = until
        }
        expect(dump(split)).toEqual(dump(whole))
        const begun = projectParts(SESSION, events).filter(({ info }) => info.role !== "user" || !info.sdk?.queued)
        expect(split.rows("messages").map(({ info }) => JSON.parse(String(info)))).toEqual(
          begun.map(({ info }) => info),
        )
        expect(split.rows("parts").map(({ part }) => JSON.parse(String(part)))).toEqual(
          begun.flatMap(({ parts }) => parts),
        )
      }),
      { numRuns: 300 },
    )
  })
})

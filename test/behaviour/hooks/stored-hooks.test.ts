import { Effect, Exit, Logger, Schema } from "effect"
import * as fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { consumeHookBatch } from "../../../src/store/delivery/consumer.ts"
import { consumeDeadLetters } from "../../../src/store/delivery/dead-letters.ts"
import {
  HookMessage,
  type HookPack,
  hookPacks,
  queueMessagesOf,
  sendToQueue,
} from "../../../src/store/delivery/hook-message.ts"
import { CALL_LIMIT_MS, storeFailures } from "../../../src/store/store-error.ts"
import { eraseSession } from "../../../src/store/sessions.ts"
import { batchOf, FakeMessage } from "../../support/session/fake-queue.ts"
import { SqliteD1 } from "../../support/session/sqlite-d1.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"
import { TENANT } from "../../store/session-info.ts"

const threeHooks = () => {
  const log = new TurnLog()
  log.queued("Hello")
  log.hook("UserPromptSubmit", { prompt: "Hello" })
  log.init()
  log.hook("PreToolUse", { tool_name: "Bash" }, { decision: "allow" })
  log.hook("Stop")
  return log
}

/** Consumes the messages; returns what was logged meanwhile. */
const consume = async (db: SqliteD1, messages: ReadonlyArray<FakeMessage>): Promise<ReadonlyArray<unknown>> => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => void logged.push(message))
  await Effect.runPromise(Effect.provide(consumeHookBatch(batchOf(messages), { DB: db.d1 }), Logger.layer([logger])))
  return logged
}

describe("hook events on the Queue", () => {
  it("are one message for each hook:fired event, as in the schema", () => {
    const messages = queueMessagesOf(TENANT, SESSION, threeHooks().events)
    expect(messages).toMatchObject([
      {
        tenant: TENANT,
        session_id: SESSION,
        seq: 2,
        hook_event_name: "UserPromptSubmit",
        input: { prompt: "Hello" },
        outcome: {},
      },
      { seq: 4, hook_event_name: "PreToolUse", outcome: { decision: "allow" } },
      { seq: 5, hook_event_name: "Stop" },
    ])
    for (const message of messages) expect(Exit.isSuccess(Schema.decodeUnknownExit(HookMessage)(message))).toBe(true)
  })

  it("carry a large input or outcome as a reference to the event", () => {
    const log = new TurnLog()
    const large = { tool_input: { content: "é".repeat(32_000) } }
    log.hook("PreToolUse", large, large)
    log.hook("PreToolUse", { tool_input: { content: "x".repeat(63_000) } }, {})
    const bytes = Buffer.byteLength(JSON.stringify(large))
    const [first, second] = queueMessagesOf(TENANT, SESSION, log.events)
    expect(first).toMatchObject({
      input: { truncated: true, bytes, event_seq: 1 },
      outcome: { truncated: true, bytes, event_seq: 1 },
    })
    expect(second?.input).toHaveProperty("tool_input")
  })

  it("are sent in as few messages as the Queue accepts, each event once and in order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60_000), { maxLength: 250 }), (sizes) => {
        const log = new TurnLog()
        for (const size of sizes) log.hook("Stop", { text: "x".repeat(size) })
        const events = queueMessagesOf(TENANT, SESSION, log.events)
        const packs = hookPacks(events)
        expect(packs.flatMap((pack) => pack.events)).toEqual(events)
        for (const pack of packs) {
          expect(pack.events.length).toBeLessThanOrEqual(100)
          expect(JSON.stringify(pack).length).toBeLessThanOrEqual(128_000)
        }
        const bytes = JSON.stringify(events).length
        expect(packs.length).toBeLessThanOrEqual(1 + Math.ceil(bytes / 50_000) + Math.ceil(events.length / 100))
      }),
      { numRuns: 30 },
    )
  })

  it("are sent as JSON, two messages per call, and a failure reveals no content", async () => {
    const calls: Array<ReadonlyArray<{ readonly body: HookPack }>> = []
    const sendBatch = async (messages: ReadonlyArray<{ readonly body: HookPack }>) => {
      if (calls.length > 1) throw new Error("secret")
      calls.push(messages)
    }
    // sendToQueue calls `sendBatch` only.
    const queue = { sendBatch } as unknown as Queue
    const log = new TurnLog()
    for (let left = 250; left > 0; left -= 1) log.hook("Stop", { text: "short" })
    const events = queueMessagesOf(TENANT, SESSION, log.events)
    await Effect.runPromise(sendToQueue(queue, events))
    expect(calls.map((messages) => messages.map(({ body }) => body.events.length))).toEqual([[100, 100], [50]])
    expect(calls[0]?.[0]).toMatchObject({ contentType: "json", body: { events: { 0: { seq: 1 }, 99: { seq: 100 } } } })
    const error = await Effect.runPromise(Effect.flip(sendToQueue(queue, events)))
    expect(error).toMatchObject({ _tag: "StoreError", operation: "queue" })
    expect(JSON.stringify(error)).not.toContain("secret")
  })
})

describe("the consumer", () => {
  afterEach(() => void vi.useRealTimers())

  const delivered = () =>
    queueMessagesOf(TENANT, SESSION, threeHooks().events).map((body, index) => new FakeMessage(`q${index}`, body))

  it("leaves one row for each hook event, however often it is delivered", async () => {
    const db = new SqliteD1()
    const first = delivered()
    await consume(db, first)
    const rows = db.rows("hook_events")
    expect(rows).toMatchObject([
      {
        tenant: TENANT,
        session_id: SESSION,
        seq: 2,
        hook_event_name: "UserPromptSubmit",
        input: '{"prompt":"Hello"}',
        outcome: "{}",
      },
      { seq: 4 },
      { seq: 5 },
    ])
    await consume(db, [...delivered(), ...delivered()])
    expect(db.rows("hook_events")).toEqual(rows)
    expect(first.map((message) => message.outcome)).toEqual(["ack", "ack", "ack"])
  })

  it("gives up after one call without a response, so that the queue retries all messages", async () => {
    vi.useFakeTimers()
    const db = new SqliteD1()
    let calls = 0
    db.batch = () => {
      calls += 1
      return new Promise(() => undefined)
    }
    const messages = delivered()
    const consumed = consume(db, messages)
    await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS)
    for (const { outcome } of messages) expect(outcome).toEqual({ retryIn: 5 })
    expect(calls).toBe(1)
    await consumed
  })

  it("drops messages that are not hook events and stores the rest", async () => {
    const db = new SqliteD1()
    const bad = [new FakeMessage("b1", "text"), new FakeMessage("b2", { id: "x" }), new FakeMessage("b3", null)]
    await consume(db, [...bad, ...delivered()])
    expect(bad.map((message) => message.outcome)).toEqual(["ack", "ack", "ack"])
    expect(db.rows("hook_events")).toHaveLength(3)
  })

  it("stores every event of a message, and the readable events of a partly unreadable message", async () => {
    const db = new SqliteD1()
    const events = queueMessagesOf(TENANT, SESSION, threeHooks().events)
    const whole = new FakeMessage("q1", { events: events.slice(0, 1) })
    const part = new FakeMessage("q2", { events: [{ id: "x" }, ...events.slice(1), null] })
    const none = [new FakeMessage("q3", { events: [] }), new FakeMessage("q4", { events: "text" })]
    const logged = await consume(db, [whole, part, ...none])
    expect(db.rows("hook_events").map(({ seq }) => seq)).toEqual([2, 4, 5])
    expect([whole, part, ...none].map((message) => message.outcome)).toEqual(["ack", "ack", "ack", "ack"])
    const dropped = logged.filter((line) => JSON.stringify(line).includes("dropped"))
    expect(dropped.map((line) => (Array.isArray(line) ? line[1] : line))).toMatchObject([
      { id: "q2" },
      { id: "q3" },
      { id: "q4" },
    ])
  })

  it("stores an input that does not match its event too, and logs where it differs but not its content", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    const base = { session_id: SESSION, transcript_path: "/v1", cwd: "/workspace" }
    const call = { tool_name: "Bash", tool_input: {}, tool_use_id: "toolu_1" }
    log.hook("PreToolUse", { ...base, hook_event_name: "PreToolUse", ...call })
    log.hook("PreToolUse", { ...base, hook_event_name: "PreToolUse", ...call, tool_name: { secret: "secret" } })
    log.hook("Stop", { ...base, hook_event_name: "PreToolUse", ...call })
    log.hook("EventOfTomorrow", { ...base, hook_event_name: "EventOfTomorrow", secret: "secret" })
    log.hook("PreToolUse", { ...base, hook_event_name: "PreToolUse", tool_input: "x".repeat(70_000) })
    const messages = queueMessagesOf(TENANT, SESSION, log.events).map((body, at) => new FakeMessage(`q${at}`, body))
    const logged = await consume(db, messages)
    expect(logged).toMatchObject([
      [expect.any(String), { seq: 2, event: "PreToolUse", paths: ["tool_name"] }],
      [expect.any(String), { seq: 3, event: "Stop", paths: ["hook_event_name"] }],
    ])
    expect(JSON.stringify(logged)).not.toContain("secret")
    expect(db.rows("hook_events").map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(messages.map((message) => message.outcome)).toEqual(Array.from({ length: 5 }, () => "ack"))
  })

  it("retries later, with growing pauses, when D1 fails", async () => {
    const db = new SqliteD1()
    const body = queueMessagesOf(TENANT, SESSION, threeHooks().events)[0]
    const messages = [new FakeMessage("q1", body, 1), new FakeMessage("q2", body, 4), new FakeMessage("q3", body, 90)]
    db.down = true
    await consume(db, messages)
    expect(messages.map((message) => message.outcome)).toEqual([{ retryIn: 5 }, { retryIn: 40 }, { retryIn: 600 }])
    expect(db.rows("hook_events")).toEqual([])
  })

  /** D1 with a table that rejects the rows of one event. */
  const rejecting = (table: string, seq: number) => {
    const db = new SqliteD1()
    db.sqlite.exec(`CREATE TRIGGER rejects BEFORE INSERT ON ${table} WHEN NEW.seq = ${seq}
      BEGIN SELECT RAISE(ABORT, 'rejected'); END`)
    return db
  }
  /** A full batch, with an event each. */
  const fullBatch = () => {
    const log = new TurnLog()
    for (let left = 100; left > 0; left -= 1) log.hook("Stop")
    return queueMessagesOf(TENANT, SESSION, log.events).map((body, at) => new FakeMessage(`q${at}`, body))
  }
  const others = Array.from({ length: 100 }, (_, at) => at + 1).filter((seq) => seq !== 38)

  it("retries only the message whose rows D1 rejects, and stores all others of its batch", async () => {
    const db = rejecting("hook_events", 38)
    const messages = fullBatch()
    const logged = await consume(db, messages)
    expect(messages.flatMap(({ id, outcome }) => (outcome === "ack" ? [] : [{ id, outcome }]))).toEqual([
      { id: "q37", outcome: { retryIn: 5 } },
    ])
    expect(db.rows("hook_events").map(({ seq }) => seq)).toEqual(others)
    expect(logged.at(-1)).toMatchObject(["hook events were not stored", { messages: 1, events: 1 }])
  })

  it("stores the other dead letters of a batch, too", async () => {
    const db = rejecting("hook_dead_letters", 38)
    const messages = fullBatch()
    const consumed = consumeDeadLetters(batchOf(messages, "perch-hooks-dead"), { DB: db.d1 }, 1000)
    await Effect.runPromise(Effect.provide(consumed, Logger.layer([])))
    expect(messages.filter(({ outcome }) => outcome !== "ack").map(({ id }) => id)).toEqual(["q37"])
    expect(db.rows("hook_dead_letters").map(({ seq }) => seq)).toEqual(others)
  })

  it("makes few calls while D1 is away", async () => {
    const db = new SqliteD1()
    db.down = true
    const messages = fullBatch()
    const before = storeFailures().d1
    await consume(db, messages)
    expect(messages.map(({ outcome }) => outcome)).toEqual(messages.map(() => ({ retryIn: 5 })))
    expect(storeFailures().d1 - before).toBeLessThanOrEqual(16)
  })

  it("writes nothing for an erased session, and acknowledges", async () => {
    const db = new SqliteD1()
    await Effect.runPromise(eraseSession(db.d1, TENANT, SESSION, "2026-11-22T00:00:00.000Z"))
    const messages = delivered()
    await consume(db, messages)
    expect(db.rows("hook_events")).toEqual([])
    expect(messages.map((message) => message.outcome)).toEqual(["ack", "ack", "ack"])
  })

  it("truncates large bodies in its rows", async () => {
    const db = new SqliteD1()
    const log = new TurnLog()
    log.hook("PreToolUse", { tool_name: "Write", tool_input: { content: "x".repeat(40_000) } })
    await consume(db, [new FakeMessage("q", queueMessagesOf(TENANT, SESSION, log.events)[0])])
    const input = String(db.rows("hook_events")[0]?.input)
    expect(input.length).toBeLessThanOrEqual(16 * 1024)
    expect(JSON.parse(input)).toMatchObject({ tool_name: "Write", truncated: true, seq: 1 })
  })
})

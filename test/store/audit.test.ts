// The audit's rows: which events are audited, what they contain, and that they are written once and outlive their session.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { EventNames, type LogEvent } from "../../src/schemas/log/events.ts"
import { listAudit } from "../../src/store/audit.ts"
import { auditRowsOf } from "../../src/store/delivery/audit-rows.ts"
import { flushToD1, rowsOf } from "../../src/store/delivery/flush.ts"
import { eraseSession } from "../../src/store/sessions.ts"
import { PartsProjection } from "../../src/views/parts/parts.ts"
import { SqliteD1 } from "../support/session/sqlite-d1.ts"
import { SESSION } from "../support/session/turn-log.ts"
import { sessionInfo, TENANT } from "./session-info.ts"
import { logEvent, type TestName } from "../support/session/log-event.ts"

const actor = { key: "0123456789abcdef", ticket: "t1", address: "203.0.113.7" }
const TURN = "0199a000-0000-4000-8000-000000000001"

/** Every event that a caller causes, and its name in the audit. */
const CAUSED: ReadonlyArray<readonly [name: TestName, payload: object, action: string, subject: string | null]> = [
  [EventNames.sessionCreated, { title: "private" }, "session:created", null],
  [EventNames.sessionForked, { parent: "p", through: 3 }, "session:forked", "p"],
  [EventNames.sessionChanged, { options: { systemPrompt: "private" } }, "session:changed", null],
  [EventNames.sessionChanged, { options: {}, reopened: true }, "session:reopened", null],
  [EventNames.turnQueued, { prompt: "private", options: {} }, "turn:queued", TURN],
  [EventNames.askSettled, { request_id: "r", by: "client", answer: { message: "private" } }, "ask:settled", "r"],
  [EventNames.toolCalled, { tool_use_id: "u", input: { content: "private" } }, "tool:called", "u"],
]

const eventsOf = (payloads: ReadonlyArray<readonly [name: TestName, payload: object]>): ReadonlyArray<LogEvent> =>
  payloads.map(([name, payload], index) => {
    const turn = name === EventNames.turnQueued ? TURN : null
    return logEvent({
      seq: index + 1,
      name,
      uuid: `u${index}`,
      turn,
      parent_tool_use_id: null,
      at: 1000 + index,
      payload,
    })
  })

const caused = eventsOf(CAUSED.map(([name, payload]) => [name, { ...payload, actor }]))

describe(`the ${CAUSED.length} events that a caller causes`, () => {
  it("are one row each, containing only ids; Perch's own events are not audited", () => {
    const rows = auditRowsOf(TENANT, SESSION, caused)
    expect(rows.map(({ action, subject }) => [action, subject])).toEqual(CAUSED.map(([, , ...rest]) => rest))
    for (const row of rows) {
      expect(row).toMatchObject({ key_id: actor.key, ticket_id: "t1", address: actor.address, session_id: SESSION })
    }
    expect(JSON.stringify(rows)).not.toContain("private")
    expect(auditRowsOf(TENANT, SESSION, eventsOf(CAUSED.map(([name, payload]) => [name, payload])))).toEqual([])
  })

  it("are written once, however often and however split they are sent", async () => {
    const db = new SqliteD1()
    const flush = (events: ReadonlyArray<LogEvent>) => {
      const info = sessionInfo(events.at(-1)?.seq ?? 0)
      return Effect.runPromise(flushToD1(db.d1, rowsOf(TENANT, info, events, new PartsProjection(SESSION))))
    }
    await flush(caused.slice(0, 4))
    await flush(caused)
    await flush(caused.slice(2))
    expect(db.rows("audit")).toHaveLength(caused.length)
  })

  it("outlive their session, including those that D1 did not have when it was erased", async () => {
    const db = new SqliteD1()
    const rows = auditRowsOf(TENANT, SESSION, caused)
    await Effect.runPromise(eraseSession(db.d1, TENANT, SESSION, "2026-11-22T00:00:00.000Z", rows))
    await Effect.runPromise(eraseSession(db.d1, TENANT, SESSION, "2026-11-22T00:00:00.000Z", rows))
    const { data } = await Effect.runPromise(listAudit(db.d1, { tenant: TENANT, session: SESSION, limit: 100 }))
    expect(data.map(({ action }) => action)).toEqual(CAUSED.map(([, , action]) => action).toReversed())
    const others = await Effect.runPromise(listAudit(db.d1, { tenant: "another", limit: 100 }))
    expect(others).toEqual({ data: [], next_cursor: null })
  })
})

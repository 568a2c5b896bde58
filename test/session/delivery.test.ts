// How far D1 and the Queue are behind a session's log, as the session tells it.
import { describe, expect, it } from "vitest"
import type { OutboxCursors } from "../../src/session/meta.ts"
import { Outbox } from "../../src/session/outbox.ts"
import { sessionInfo } from "../store/session-info.ts"
import { SqliteD1 } from "../support/sqlite-d1.ts"
import { SESSION, TurnLog } from "../support/turn-log.ts"

const NOW = Date.parse("2026-11-22T12:00:00.000Z")

const setUp = () => {
  const log = new TurnLog()
  log.queued("Hello")
  log.hook("UserPromptSubmit", { prompt: "Hello" })
  const db = new SqliteD1()
  const queue = { down: false }
  let cursors: OutboxCursors = { d1_seq: 0, queue_seq: 0, head_seq: 0 }
  const outbox = new Outbox({
    tenant: "test",
    sessionId: SESSION,
    db: db.d1,
    // The outbox uses this method of the queue.
    queue: {
      sendBatch: async () => {
        if (queue.down) throw new Error("QUEUE_ERROR: secret")
      },
    } as unknown as Queue,
    lastSeq: () => log.events.length,
    read: (after, limit) => log.events.slice(after, after + limit),
    headMoves: () => [],
    foldFrom: (seq) => seq + 1,
    info: () => sessionInfo(log.events.length),
    load: () => cursors,
    save: (next) => {
      cursors = next
    },
    now: () => NOW,
  })
  return { log, db, queue, outbox }
}

describe("the delivery of a session", () => {
  it("tells what is behind, since when, and why", async () => {
    const { log, db, queue, outbox } = setUp()
    const behind = { last_seq: 2, d1_seq: 0, queue_seq: 0, lag_events: 2 }
    const oldest = new Date(log.events[0]!.at).toISOString()
    expect(outbox.report()).toEqual({ ...behind, oldest_undelivered_at: oldest })
    const at = "2026-11-22T12:00:00.000Z"
    db.failBatchIn = 1
    await outbox.flush()
    expect(outbox.report()).toEqual({
      ...behind,
      oldest_undelivered_at: oldest,
      last_error: { at, message: "flush failed" },
    })
    queue.down = true
    await outbox.flush()
    expect(outbox.report().last_error).toEqual({ at, message: "queue failed" })
    queue.down = false
    await outbox.flush()
    expect(outbox.report()).toEqual({
      last_seq: 2,
      d1_seq: 2,
      queue_seq: 2,
      lag_events: 0,
      oldest_undelivered_at: null,
    })
  })
})

// The session's report of how far D1 and the Queue are behind its log.
import { describe, expect, it } from "vitest"
import { LogDelivery } from "../../session/delivery/log-delivery.ts"

const setUp = () => {
  const delivery = new LogDelivery()
  delivery.log.queued("Hello")
  delivery.log.hook("UserPromptSubmit", { prompt: "Hello" })
  return delivery
}

describe("the delivery of a session", () => {
  it("reports how much is pending, since when, and why", async () => {
    const delivery = setUp()
    const { log, db, outbox } = delivery
    const behind = { last_seq: 2, d1_seq: 0, queue_seq: 0, stored_seq: 0, lag_events: 2 }
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
    delivery.queueDown = true
    await outbox.flush()
    expect(outbox.report().last_error).toEqual({ at, message: "queue failed" })
    delivery.queueDown = false
    await outbox.flush()
    expect(outbox.report()).toEqual({
      last_seq: 2,
      d1_seq: 2,
      queue_seq: 2,
      stored_seq: 0,
      lag_events: 0,
      oldest_undelivered_at: null,
    })
  })
})

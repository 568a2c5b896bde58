// D1 receives every hook event of the log, whatever the Queue and D1 lose on the way.
import { describe, expect, it, vi } from "vitest"
import type { WebhookNamespace } from "../../../src/schemas/api/webhooks.ts"
import { CALL_LIMIT_MS } from "../../../src/store/store-error.ts"
import { forgetPatterns } from "../../../src/webhooks/patterns.ts"
import { eraseSession } from "../../../src/store/sessions.ts"
import { SESSION } from "../../support/session/turn-log.ts"
import { Effect } from "effect"
import { LogDelivery } from "./log-delivery.ts"

const withHooks = (count: number): LogDelivery => {
  const delivery = new LogDelivery()
  delivery.log.queued("Hello")
  for (let n = 0; n < count; n += 1) {
    delivery.log.init()
    delivery.log.hook("PreToolUse", { tool_name: "Bash", n })
  }
  return delivery
}

describe("hook events that the Queue accepted", () => {
  it("are looked up once D1 has them, and never again", async () => {
    const delivery = withHooks(3)
    expect(delivery.outbox.checkAt).toBeNull()
    await delivery.outbox.flush()
    expect(delivery.outbox.checkAt).toBe(delivery.now + 10_000)
    expect(delivery.outbox.report()).toMatchObject({ queue_seq: 7, stored_seq: 0 })
    await delivery.deliver()
    const { calls } = delivery.db
    await delivery.checkWhenDue()
    expect(delivery.db.calls).toBe(calls + 1)
    expect(delivery.outbox.checkAt).toBeNull()
    expect(delivery.outbox.report()).toMatchObject({ queue_seq: 7, stored_seq: 7 })
    delivery.restart()
    expect(delivery.outbox.checkAt).toBeNull()
    expect(delivery.taken).toBe(3)
  })

  it("are sent again by the next process when the queue of the previous one is lost", async () => {
    const delivery = withHooks(5)
    await delivery.outbox.flush()
    delivery.restart()
    expect(delivery.outbox.checkAt).toBe(delivery.now + 3_000)
    await delivery.checkWhenDue()
    await delivery.deliver()
    expect(delivery.stored).toEqual(delivery.expected)
    await delivery.checkWhenDue()
    expect(delivery.outbox.checkAt).toBeNull()
  })

  it("are sent again only if D1 lacks them", async () => {
    const delivery = withHooks(4)
    await delivery.outbox.flush()
    delivery.queued.splice(1, 2)
    await delivery.deliver()
    await delivery.checkWhenDue()
    expect(delivery.taken).toBe(6)
    await delivery.deliver()
    expect(delivery.stored).toEqual(delivery.expected)
  })

  it("are looked up again at growing intervals while D1 is down, also over restarts", async () => {
    const delivery = withHooks(2)
    await delivery.outbox.flush()
    delivery.queued = []
    delivery.db.sqlite.exec("ALTER TABLE hook_events RENAME TO away")
    const pauses: Array<number> = []
    for (let n = 0; n < 9; n += 1) {
      await delivery.checkWhenDue()
      pauses.push((delivery.outbox.checkAt! - delivery.now) / 1000)
      if (n === 4) delivery.restart()
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600])
    delivery.db.sqlite.exec("ALTER TABLE away RENAME TO hook_events")
    await delivery.checkWhenDue()
    await delivery.deliver()
    await delivery.checkWhenDue()
    expect(delivery.stored).toEqual(delivery.expected)
    expect(delivery.outbox.checkAt).toBeNull()
  })

  it("are written directly to D1 when the Queue keeps losing them", async () => {
    const delivery = withHooks(2)
    await delivery.outbox.flush()
    for (let n = 0; n < 4; n += 1) {
      delivery.queued = []
      await delivery.checkWhenDue()
      expect(delivery.stored).toEqual([])
    }
    delivery.queued = []
    await delivery.checkWhenDue()
    expect(delivery.stored).toEqual(delivery.expected)
    await delivery.checkWhenDue()
    expect(delivery.outbox.checkAt).toBeNull()
  })

  it("stay pending while the Queue is down", async () => {
    const delivery = withHooks(2)
    await delivery.outbox.flush()
    delivery.restart()
    delivery.queueDown = true
    await delivery.checkWhenDue()
    expect(delivery.outbox.checkAt).not.toBeNull()
    delivery.queueDown = false
    await delivery.checkWhenDue()
    await delivery.deliver()
    expect(delivery.stored).toEqual(delivery.expected)
  })

  it("are found in a session that an earlier version stored, except those that a fork copied from its parent", async () => {
    const delivery = withHooks(6)
    delivery.cursors = { d1_seq: 13, queue_seq: 13 }
    delivery.copiedThrough = 6
    delivery.restart()
    await delivery.checkWhenDue()
    await delivery.deliver()
    expect(delivery.stored).toEqual([7, 9, 11, 13])
    await delivery.checkWhenDue()
    expect(delivery.cursors.stored_seq).toBe(13)
  })

  it("are delivered in pages: one D1 read for two thousand", async () => {
    const delivery = withHooks(4_500)
    await delivery.outbox.flush()
    await delivery.deliver()
    const { calls } = delivery.db
    await delivery.checkWhenDue()
    expect(delivery.db.calls).toBe(calls + 3)
    expect(delivery.outbox.checkAt).toBeNull()
  })

  it("are not looked up after the session is erased, and none of an erased session counts as missing", async () => {
    const delivery = withHooks(2)
    await delivery.outbox.flush()
    delivery.queued = []
    await Effect.runPromise(eraseSession(delivery.db.d1, "test", SESSION, "2026-11-22T12:00:00.000Z"))
    await delivery.checkWhenDue()
    expect(delivery.taken).toBe(2)
    expect(delivery.outbox.checkAt).toBeNull()
    const other = withHooks(1)
    await other.outbox.flush()
    other.erased = true
    expect(other.outbox.checkAt).toBeNull()
  })
})

describe("a flush that fails", () => {
  it("is retried after pauses that double, also over restarts, up to five minutes", async () => {
    const delivery = withHooks(1)
    const pauses: Array<number> = []
    for (let n = 0; n < 10; n += 1) {
      delivery.db.failBatchIn = 1
      await delivery.outbox.flush()
      pauses.push((delivery.outbox.retryAt! - delivery.now) / 1000)
      if (n === 3) delivery.restart()
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    await delivery.outbox.flush()
    expect(delivery.outbox.retryAt).toBeNull()
    expect(delivery.cursors.failures).toBe(0)
  })
  it("does not wait for webhooks that never answer: D1 and the Queue have the events", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const delivery = withHooks(2)
      const webhook = { patterns: async () => ["**"], offer: () => new Promise(() => undefined) }
      delivery.webhooks = { getByName: () => webhook } as unknown as WebhookNamespace // sessions call these two
      forgetPatterns("test")
      delivery.restart()
      let done = false
      const flushed = delivery.outbox.flush().then(() => {
        done = true
      })
      for (let turns = 0; turns < 100 && !done; turns += 1) {
        await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(done).toBe(true)
      await flushed
      await delivery.deliver()
      expect(delivery.stored).toEqual(delivery.expected)
      // The offer is repeated later.
      expect(delivery.outbox.retryAt).not.toBeNull()
    } finally {
      vi.useRealTimers()
      forgetPatterns("test")
    }
  })
})

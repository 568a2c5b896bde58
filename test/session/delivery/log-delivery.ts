// Delivers a hand-written log to an in-memory D1 and to a queue that can lose messages; the queue's messages reach the real
// consumer when `deliver` is called.
import { Effect, Logger } from "effect"
import type { OutboxCursors } from "../../../src/session/storage/meta.ts"
import { Outbox } from "../../../src/session/storage/outbox.ts"
import { consumeHookBatch } from "../../../src/store/delivery/consumer.ts"
import { type HookPack, queueMessagesOf } from "../../../src/store/delivery/hook-message.ts"
import type { WebhookNamespace } from "../../../src/schemas/api/webhooks.ts"
import { sessionInfo } from "../../store/session-info.ts"
import { batchOf, FakeMessage } from "../../support/session/fake-queue.ts"
import { SqliteD1 } from "../../support/session/sqlite-d1.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"
import { NoWebhooks } from "../../support/session/webhooks.ts"

const TENANT = "test"

export class LogDelivery {
  readonly log = new TurnLog()
  readonly db = new SqliteD1()
  now = Date.parse("2026-11-22T12:00:00.000Z")
  cursors: OutboxCursors = { d1_seq: 0, queue_seq: 0, head_seq: 0, stored_seq: 0 }
  copiedThrough = 0
  queueDown = false
  erased = false
  webhooks: WebhookNamespace = new NoWebhooks()
  /** The hook events that the queue has accepted and not delivered; it may lose each of them. */
  queued: Array<unknown> = []
  /** The number of hook events that the queue has accepted in total. */
  taken = 0
  outbox = this.#process()

  #process(): Outbox {
    const sendBatch = async (messages: ReadonlyArray<{ readonly body: HookPack }>) => {
      if (this.queueDown) throw new Error("QUEUE_ERROR: secret")
      this.queued.push(...messages.flatMap(({ body }) => body.events))
      this.taken += messages.flatMap(({ body }) => body.events).length
    }
    return new Outbox({
      tenant: TENANT,
      sessionId: SESSION,
      db: this.db.d1,
      // The outbox uses this method of the queue.
      queue: { sendBatch } as unknown as Queue,
      webhooks: this.webhooks,
      isErased: () => this.erased,
      lastSeq: () => this.log.events.length,
      read: (after, limit) => this.log.events.slice(after, after + limit),
      hookSeqs: (after, through, limit) =>
        this.log.events
          .filter(({ name, seq }) => name === "hook:fired" && seq > after && seq <= through)
          .slice(0, limit)
          .map(({ seq }) => seq),
      eventAt: (seq) => this.log.events[seq - 1],
      copiedThrough: () => this.copiedThrough,
      headMoves: () => [],
      foldFrom: (seq) => seq + 1,
      info: () => sessionInfo(this.log.events.length),
      rests: () => undefined,
      load: () => this.cursors,
      save: (change) => {
        this.cursors = { ...this.cursors, ...change } as OutboxCursors // no change removes a cursor
      },
      now: () => this.now,
    })
  }

  /** Ends the process and starts another one from what was stored. The queue's messages in memory are lost. */
  restart(): void {
    this.queued = []
    this.outbox = this.#process()
  }

  /** Delivers the queue's messages. */
  async deliver(): Promise<void> {
    const batch = batchOf(this.queued.map((body, index) => new FakeMessage(String(index), body)))
    this.queued = []
    await Effect.runPromise(Effect.provide(consumeHookBatch(batch, { DB: this.db.d1 }), Logger.layer([])))
  }

  /** Advances the clock to the next check and runs it. */
  async checkWhenDue(): Promise<void> {
    const due = this.outbox.checkAt
    if (due === null) throw new Error("no check is due")
    this.now = Math.max(this.now, due)
    await this.outbox.check()
  }

  /** The seqs of the rows that D1 has. */
  get stored(): ReadonlyArray<unknown> {
    return this.db
      .rows("hook_events")
      .map(({ seq }) => seq)
      .toSorted((a, b) => Number(a) - Number(b))
  }

  /** The seqs of the rows that the log implies. */
  get expected(): ReadonlyArray<number> {
    return queueMessagesOf(TENANT, SESSION, this.log.events).map(({ seq }) => seq)
  }
}

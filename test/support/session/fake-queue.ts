// Messages of a queue as its consumer receives them, a queue that stores what it is sent, and one that delivers at once.
import { Effect } from "effect"
import type { HookPack } from "../../../src/store/delivery/hook-message.ts"
import { storeHookEvents } from "../../../src/store/delivery/stored-hooks.ts"
import type { SqliteD1 } from "./sqlite-d1.ts"

export class FakeMessage {
  readonly id: string
  readonly timestamp = new Date(0)
  readonly body: unknown
  readonly attempts: number
  outcome: "ack" | { readonly retryIn: number | undefined } | null = null

  constructor(id: string, body: unknown, attempts = 1) {
    this.id = id
    // The Queue returns a copy that was serialized as JSON.
    this.body = JSON.parse(JSON.stringify(body))
    this.attempts = attempts
  }

  ack(): void {
    this.outcome = "ack"
  }

  retry(options?: { readonly delaySeconds?: number }): void {
    this.outcome = { retryIn: options?.delaySeconds }
  }
}

/** The consumers read only `messages` and `queue`. */
export const batchOf = (messages: ReadonlyArray<FakeMessage>, queue = "perch-hooks"): MessageBatch =>
  ({ queue, messages }) as unknown as MessageBatch

export class FakeQueue {
  readonly sent: Array<unknown> = []

  async send(body: unknown): Promise<void> {
    this.sent.push(body)
  }

  /** The queue with the type that the routes take; they only send. */
  get queue(): Queue {
    return this as unknown as Queue
  }
}

/** A queue that delivers each batch as soon as it is sent. */
export const deliveringQueue = (database: SqliteD1) => ({
  sendBatch: async (messages: ReadonlyArray<{ readonly body: HookPack }>) =>
    Effect.runPromise(
      storeHookEvents(
        database.d1,
        messages.flatMap(({ body }) => body.events),
      ),
    ),
})

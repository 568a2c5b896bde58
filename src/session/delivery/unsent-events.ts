// Keeps in memory the events of a session that were written and not yet delivered, while they are few: the outbox reads them
// here, and earlier ones from the log.
// Invariant: its events have no gap and end with the last one that was added, or there are none.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { StoredEvent } from "../storage/log.ts"

/** Maximum of payload characters that are kept: enough for a few dozen tool calls between two deliveries. */
const ROOM = 256 * 1024

export class UnsentEvents {
  #events: Array<LogEvent> = []
  #room = ROOM

  /** Adds events, in the order of the log. When they exceed the limit, all are dropped. */
  add(written: ReadonlyArray<StoredEvent>): void {
    for (const { event, json } of written) {
      if (this.#events.length > 0 && event.seq !== this.#lastSeq + 1) this.clear()
      this.#room -= json.length
      this.#events.push(event)
    }
    if (this.#room < 0) this.clear()
  }

  get #lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0
  }

  /** The first `limit` events after `after`; null when the first of them is not kept here, or there is none. */
  read(after: number, limit: number): ReadonlyArray<LogEvent> | null {
    const first = this.#events[0]
    if (first === undefined || first.seq > after + 1 || after >= this.#lastSeq) return null
    const from = after + 1 - first.seq
    return this.#events.slice(from, from + limit)
  }

  /** Drops the events up to this seq: they are delivered. */
  dropThrough(seq: number): void {
    const first = this.#events[0]
    if (first !== undefined && first.seq <= seq) this.#events.splice(0, seq + 1 - first.seq)
    if (this.#events.length === 0) this.#room = ROOM
  }

  clear(): void {
    this.#events = []
    this.#room = ROOM
  }
}

// The events of a session that were written and not yet delivered, as far as they are few: the outbox reads them here, and
// what lies before them from the log.
// Invariant: what it holds has no gap and ends with the last event that was added.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { StoredEvent } from "../storage/log.ts"

/** Characters of payloads that are held: a session of a few dozen tool calls between two deliveries. */
const ROOM = 256 * 1024

export class UnsentEvents {
  #events: Array<LogEvent> = []
  #room = ROOM

  /** Takes events in the order of the log. */
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

  /** The events behind `after`, the first `limit` of them; null when it does not hold the first of them, or none. */
  read(after: number, limit: number): ReadonlyArray<LogEvent> | null {
    const first = this.#events[0]
    if (first === undefined || first.seq > after + 1 || after >= this.#lastSeq) return null
    const from = after + 1 - first.seq
    return this.#events.slice(from, from + limit)
  }

  /** The events up to this one are delivered. */
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

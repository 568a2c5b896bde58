// Carries the log to D1 and the Queue, behind the turns: two cursors say how far each has got.
// Invariant: what is sent is a pure function of the events, so sending again after a failure changes nothing.
import { Effect } from "effect"
import type { Delivery, SessionInfo } from "../schemas/session-rpc.ts"
import { StoreError } from "../store/store-error.ts"
import { EventNames, type LogEvent } from "../schemas/events.ts"
import { flushToD1, rowsOf } from "../store/delivery/flush.ts"
import { queueBatches, queueMessagesOf, sendToQueue } from "../store/delivery/hook-message.ts"
import { PartsProjection } from "../views/parts.ts"
import { HeadPath, type Move } from "./head.ts"
import { logLine } from "./log-line.ts"
import type { OutboxCursors } from "./meta.ts"

const PAGE = 500
/** While a turn runs, D1 and the Queue are at most about this far behind. */
const FLUSH_AFTER_MS = 5_000
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 5 * 60_000

export interface OutboxDeps {
  readonly tenant: string
  readonly sessionId: string
  readonly db: D1Database
  readonly queue: Queue
  readonly lastSeq: () => number
  readonly read: (after: number, limit: number) => ReadonlyArray<LogEvent>
  /** Every `head:moved` of the log, in its order. */
  readonly headMoves: () => ReadonlyArray<Move>
  /** Where a fold of turns must begin so that it knows the turns that were open at `seq`. */
  readonly foldFrom: (seq: number) => number
  readonly info: () => SessionInfo
  readonly load: () => OutboxCursors
  readonly save: (cursors: OutboxCursors) => void
  readonly now: () => number
}

export class Outbox {
  readonly #deps: OutboxDeps
  #projection: { readonly fold: PartsProjection; readonly through: number } | null = null
  #running: Promise<void> | null = null
  #failures = 0
  #lastError: Delivery["last_error"]
  #stopped = false
  /** When the first event came that no flush has taken yet. */
  #waitingSince: number | null = null
  /** When to try again after a failure, in milliseconds since 1970. */
  retryAt: number | null = null

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /** Sends nothing more: the session is gone. */
  stop(): void {
    this.#stopped = true
  }

  /** True when D1 has the whole conversation as it is now. */
  get isStored(): boolean {
    if (this.#stopped) return false
    const { d1_seq, head_seq } = this.#deps.load()
    return head_seq !== undefined && d1_seq >= this.#deps.lastSeq()
  }

  /** True when D1 or the Queue lacks events. */
  get behind(): boolean {
    if (this.#stopped) return false
    const cursors = this.#deps.load()
    return Math.min(cursors.d1_seq, cursors.queue_seq) < this.#deps.lastSeq()
  }

  /** The events that D1 has not got yet. */
  undelivered(): ReadonlyArray<LogEvent> {
    const events: Array<LogEvent> = []
    for (let from = this.#deps.load().d1_seq; ;) {
      const page = this.#deps.read(from, PAGE)
      events.push(...page)
      if (page.length < PAGE) return events
      from = page.at(-1)?.seq ?? from
    }
  }

  /** How far D1 and the Queue have got. */
  report(): Delivery {
    const { d1_seq, queue_seq } = this.#deps.load()
    const last_seq = this.#deps.lastSeq()
    const from = Math.min(d1_seq, queue_seq)
    const oldest = from < last_seq ? this.#deps.read(from, 1)[0] : undefined
    return {
      last_seq,
      d1_seq,
      queue_seq,
      lag_events: Math.max(0, last_seq - from),
      oldest_undelivered_at: oldest === undefined ? null : new Date(oldest.at).toISOString(),
      ...(this.#lastError === undefined ? {} : { last_error: this.#lastError }),
    }
  }

  /** Call it for every write: true when events have waited long enough to be sent while their turn still runs. */
  isDue(): boolean {
    this.#waitingSince ??= this.#deps.now()
    return this.#running === null && this.retryAt === null && this.#deps.now() - this.#waitingSince >= FLUSH_AFTER_MS
  }

  /** Sends everything that is in the log now; one flush runs at a time. Never rejects. */
  flush(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #run(): Promise<void> {
    this.#waitingSince = null
    try {
      while (this.behind) await this.#page()
      this.#failures = 0
      this.#lastError = undefined
      this.retryAt = null
    } catch (error) {
      this.#failures += 1
      // A store's error names its operation and nothing else.
      const message = error instanceof StoreError ? error.message : "the delivery failed"
      this.#lastError = { at: new Date(this.#deps.now()).toISOString(), message }
      this.#projection = null
      this.retryAt = this.#deps.now() + Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS)
      logLine("warn", "outbox: the flush failed and will be tried again", {
        session: this.#deps.sessionId,
        failures: this.#failures,
        error,
      })
    }
  }

  async #page(): Promise<void> {
    const { tenant, sessionId, db, queue } = this.#deps
    const cursors = this.#deps.load()
    const from = Math.min(cursors.d1_seq, cursors.queue_seq)
    const events = this.#deps.read(from, PAGE)
    const last = events.at(-1)?.seq ?? from
    const forD1 = events.filter((event) => event.seq > cursors.d1_seq)
    const forQueue = events.filter((event) => event.seq > cursors.queue_seq && event.name === EventNames.hookFired)
    const moved = forD1.findLast((event) => event.name === EventNames.headMoved)
    const head_seq = moved?.seq ?? cursors.head_seq
    const fold = moved === undefined ? this.#foldAt(cursors.d1_seq) : this.#foldPath(last)
    if (events.length === 0) throw new Error("the log ends before its last event")
    await Effect.runPromise(flushToD1(db, rowsOf(tenant, sessionId, this.#deps.info(), forD1, fold, head_seq ?? 0)))
    fold.dropFlushed(last)
    this.#projection = { fold, through: Math.max(last, cursors.d1_seq) }
    const batches = queueBatches(queueMessagesOf(tenant, sessionId, forQueue))
    if (batches.length > 0) await Effect.runPromise(sendToQueue(queue, batches))
    if (this.#stopped) return
    this.#deps.save({
      d1_seq: Math.max(last, cursors.d1_seq),
      queue_seq: Math.max(last, cursors.queue_seq),
      ...(head_seq === undefined ? {} : { head_seq }),
    })
  }

  /** The fold as it stood at `seq`: kept from the last flush, or made again from the turns that were open then. */
  #foldAt(seq: number): PartsProjection {
    if (this.#projection?.through === seq) return this.#projection.fold
    return this.#fold(this.#deps.foldFrom(seq), seq, () => true)
  }

  /** The whole conversation as the head's path had it at `seq`: after a move every row is written again. */
  #foldPath(seq: number): PartsProjection {
    const path = new HeadPath(this.#deps.headMoves().filter((move) => move.seq <= seq))
    return this.#fold(1, seq, (event) => path.has(event.seq))
  }

  #fold(first: number, through: number, takes: (event: LogEvent) => boolean): PartsProjection {
    const fold = new PartsProjection(this.#deps.sessionId)
    for (let from = first - 1; from < through;) {
      const events = this.#deps.read(from, PAGE)
      if (events.length === 0) break
      for (const event of events) {
        if (event.seq <= through && takes(event)) fold.apply(event)
        from = event.seq
      }
    }
    return fold
  }
}

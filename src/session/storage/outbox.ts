// Delivers the log to D1, the Queue and the tenant's webhooks, without delaying turns: a cursor says how far each has
// received it.
// Invariant: what is sent is a pure function of the events, so sending again after a failure changes nothing.
import * as Effect from "effect/Effect"
import type { RebuiltRows } from "../../schemas/api/rebuild.ts"
import type { Delivery, SessionInfo } from "../../schemas/rpc/session.ts"
import type { WebhookNamespace } from "../../schemas/api/webhooks.ts"
import { forgetLag, OutboxLag, watchLag } from "../../observe/outbox-lag.ts"
import { inTime, StoreError } from "../../store/store-error.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { flushToD1, type Rewrite, rowsOf } from "../../store/delivery/flush.ts"
import { countRows, removeRows } from "../../store/delivery/rebuilt-rows.ts"
import { queueMessagesOf, sendToQueue } from "../../store/delivery/hook-message.ts"
import { PartsProjection, PROJECTION_VERSION } from "../../views/parts/parts.ts"
import { StoredHooks, type StoredHooksDeps } from "../delivery/stored-hooks.ts"
import { UnsentEvents } from "../delivery/unsent-events.ts"
import { offerToWebhooks } from "../delivery/webhook-offers.ts"
import { HeadPath, type Move } from "../../schemas/log/head-path.ts"
import type { StoredEvent } from "./log.ts"
import { logLine } from "../server-log.ts"
import type { OutboxCursors } from "./meta.ts"

const PAGE = 500
/** While a turn runs, D1 and the Queue are at most about this far behind. */
const FLUSH_AFTER_MS = 5_000
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 5 * 60_000

export interface OutboxDeps extends StoredHooksDeps {
  readonly webhooks: WebhookNamespace
  readonly lastSeq: () => number
  /** The events of the log after `after`, at most `limit`. */
  readonly read: (after: number, limit: number) => ReadonlyArray<LogEvent>
  /** Every `head:moved` of the log, in its order. */
  readonly headMoves: () => ReadonlyArray<Move>
  /** seq of the first event of a fold that knows the turns that were open at `seq`. */
  readonly foldFrom: (seq: number) => number
  readonly info: () => SessionInfo
  /** Notes where the session is idle, if it is: this is saved with the next cursors. */
  readonly rests: () => void
}

export class Outbox {
  readonly #deps: OutboxDeps
  readonly #storedHooks: StoredHooks
  #projection: { readonly fold: PartsProjection; readonly through: number } | null = null
  #running: Promise<void> | null = null
  #lastError: Delivery["last_error"]
  readonly #lag: OutboxLag
  readonly #unsent = new UnsentEvents()
  /** When the first event was written that no flush has included yet. */
  #waitingSince: number | null = null
  /** When to try again after a failure, in milliseconds since 1970. */
  retryAt: number | null = null

  constructor(deps: OutboxDeps) {
    this.#deps = deps
    this.#storedHooks = new StoredHooks(deps)
    this.#lag = new OutboxLag(deps.lastSeq)
    watchLag(deps.tenant, deps.sessionId, this.#lag)
  }

  /** Call it when the session was erased: its lag is no longer reported. */
  forgetLag(): void {
    this.#lag.delivered()
    forgetLag(this.#deps.tenant, this.#deps.sessionId)
  }

  /**
   * When D1 is to be checked for the hook events that the Queue accepted, in milliseconds since 1970; null when it has them
   * all.
   */
  get checkAt(): number | null {
    return this.#storedHooks.dueAt
  }

  /** Checks D1 for those hook events and sends again what it lacks. Never rejects. */
  check(): Promise<void> {
    return this.#storedHooks.check()
  }

  /** True when D1 has the whole conversation as it is now. */
  get isStored(): boolean {
    if (this.#deps.isErased()) return false
    const { d1_seq, head_seq, projection_version, has_queued } = this.#deps.load()
    if (head_seq === undefined || has_queued === true) return false
    return projection_version === PROJECTION_VERSION && d1_seq >= this.#deps.lastSeq()
  }

  /** True when D1 has the session, so that lists show it. */
  get isListed(): boolean {
    return this.#deps.load().d1_seq > 0
  }

  /** True when D1, the Queue or the webhooks lack events. */
  get isBehind(): boolean {
    return !this.#deps.isErased() && leastOf(this.#deps.load()) < this.#deps.lastSeq()
  }

  /** The events that D1 has not received yet. */
  undelivered(): ReadonlyArray<LogEvent> {
    const events: Array<LogEvent> = []
    for (let from = this.#deps.load().d1_seq; ;) {
      const page = this.#deps.read(from, PAGE)
      events.push(...page)
      if (page.length < PAGE) return events
      from = page.at(-1)?.seq ?? from
    }
  }

  /** How far D1 and the Queue have received the log, and the last error. */
  report(): Delivery {
    const { d1_seq, queue_seq } = this.#deps.load()
    const last_seq = this.#deps.lastSeq()
    const from = Math.min(d1_seq, queue_seq)
    const oldest = from < last_seq ? this.#deps.read(from, 1)[0] : undefined
    return {
      last_seq,
      d1_seq,
      queue_seq,
      stored_seq: this.#storedHooks.through,
      lag_events: Math.max(0, last_seq - from),
      oldest_undelivered_at: oldest === undefined ? null : new Date(oldest.at).toISOString(),
      ...(this.#lastError === undefined ? {} : { last_error: this.#lastError }),
    }
  }

  /** Receives what was written; true when events have waited so long that they should be sent while their turn still runs. */
  wrote(events: ReadonlyArray<StoredEvent>): boolean {
    this.#unsent.add(events)
    this.#waitingSince ??= this.#deps.now()
    this.#lag.wrote(this.#waitingSince)
    return this.#running === null && this.retryAt === null && this.#deps.now() - this.#waitingSince >= FLUSH_AFTER_MS
  }

  /** Call it when a turn has ended: the next one may start before the flush. */
  turnEnded(): void {
    this.#deps.rests()
  }

  /** Sends everything that is in the log now; one flush runs at a time. Never rejects. */
  flush(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /**
   * Removes the session's rows from D1 and writes them again from the log; flushes wait for it. Rejects with a StoreError
   * when D1 fails: then the outbox is behind, and the next flush continues.
   */
  async rebuild(): Promise<RebuiltRows> {
    while (this.#running !== null) await this.#running
    const rebuilt = this.#rebuild()
    this.#running = Promise.allSettled([rebuilt]).then(() => {
      this.#running = null
    })
    return rebuilt
  }

  async #rebuild(): Promise<RebuiltRows> {
    const { tenant, sessionId, db, copiedThrough, load, save } = this.#deps
    const start = copiedThrough()
    this.#projection = null
    const { d1_seq, webhook_seq = Math.max(d1_seq, start) } = load()
    // The cursors of a new session or fork, saved before anything is removed, so that all of it is written again in any case.
    // Webhooks are offered nothing again.
    save({ d1_seq: start, stored_seq: start, webhook_seq, head_seq: start === 0 ? 0 : undefined })
    await Effect.runPromise(removeRows(db, tenant, sessionId))
    while (this.isBehind) await this.#page()
    await this.#storedHooks.rebuild()
    return Effect.runPromise(countRows(db, tenant, sessionId))
  }

  async #run(): Promise<void> {
    this.#waitingSince = null
    try {
      this.#noteLag()
      while (this.isBehind) await this.#page()
      this.#lag.delivered()
      this.#lastError = undefined
      this.retryAt = null
    } catch (error) {
      // Stored, because the object rarely lives through the longer pauses.
      const failures = (this.#deps.load().failures ?? 0) + 1
      if (!this.#deps.isErased()) this.#deps.save({ failures })
      // A store's error names its operation and nothing else.
      const message = error instanceof StoreError ? error.message : "the delivery failed"
      this.#lastError = { at: new Date(this.#deps.now()).toISOString(), message }
      this.#projection = null
      const pause = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10), MAX_RETRY_MS)
      this.retryAt = this.#deps.now() + pause
      logLine("warn", "outbox: the flush failed and will be tried again", {
        session: this.#deps.sessionId,
        failures,
        error,
      })
    }
  }

  /** Before a flush: events that an earlier process did not deliver have waited since they were written. */
  #noteLag(): void {
    if (!this.isBehind) return
    const from = leastOf(this.#deps.load())
    this.#lag.through = from
    this.#lag.since ??= this.#deps.read(from, 1)[0]?.at ?? this.#deps.now()
  }

  async #page(): Promise<void> {
    const { tenant, sessionId, db, queue } = this.#deps
    const cursors = this.#deps.load()
    const from = leastOf(cursors)
    const events = this.#unsent.read(from, PAGE) ?? this.#deps.read(from, PAGE)
    const last = events.at(-1)?.seq ?? from
    const forD1 = events.filter((event) => event.seq > cursors.d1_seq)
    const forQueue = events.filter((event) => event.seq > cursors.queue_seq)
    const moved = forD1.findLast((event) => event.name === EventNames.headMoved)
    const head_seq = moved?.seq ?? cursors.head_seq
    const isRebuild = isOutdated(cursors)
    if (events.length === 0) throw new Error("the log ends before its last event")
    // Copied events are not offered: they happened in another session.
    const { webhook_seq = Math.max(cursors.d1_seq, this.#deps.copiedThrough()) } = cursors
    // Webhooks that can't be reached hold up neither D1 nor the Queue.
    const offered = await inTime(() =>
      offerToWebhooks(
        this.#deps.webhooks,
        { tenant, session: sessionId, now: this.#deps.now() },
        events.filter((event) => event.seq > webhook_seq),
      ),
    ).then(
      () => Math.max(last, webhook_seq),
      () => webhook_seq,
    )
    const headSeq = head_seq ?? 0
    const removeBefore = isRebuild ? Number.MAX_SAFE_INTEGER : headSeq
    const rewritten = moved === undefined && !isRebuild ? null : await this.#rewrite(last, headSeq, removeBefore)
    const fold = rewritten?.fold ?? this.#foldAt(cursors.d1_seq)
    await Effect.runPromise(
      flushToD1(db, rowsOf(tenant, this.#deps.info(), forD1, fold, { headSeq, rewrite: rewritten?.rest ?? null })),
    )
    fold.dropFlushed(last)
    this.#projection = { fold, through: Math.max(last, cursors.d1_seq) }
    const hookEvents = queueMessagesOf(tenant, sessionId, forQueue)
    if (hookEvents.length > 0) await Effect.runPromise(sendToQueue(queue, hookEvents))
    if (this.#deps.isErased()) return
    if (hookEvents.length > 0) this.#storedHooks.sent()
    this.#deps.save({
      d1_seq: Math.max(last, cursors.d1_seq),
      queue_seq: Math.max(last, cursors.queue_seq),
      webhook_seq: offered,
      ...(head_seq === undefined ? {} : { head_seq }),
      projection_version: PROJECTION_VERSION,
      ...(fold.hasQueued === (cursors.has_queued ?? false) ? {} : { has_queued: fold.hasQueued }),
      ...(cursors.failures === undefined ? {} : { failures: 0 }),
    })
    this.#lag.through = Math.min(last, offered)
    this.#unsent.dropThrough(this.#lag.through)
    if (offered < last)
      throw new StoreError({ operation: "webhooks", message: "the webhooks could not be reached", unavailable: true })
  }

  /** The fold as it was at `seq`: kept from the last flush, or made again from the turns that were open then. */
  #foldAt(seq: number): PartsProjection {
    if (this.#projection?.through === seq) return this.#projection.fold
    return this.#fold(this.#deps.foldFrom(seq), seq)
  }

  /**
   * Writes the messages and parts of the whole conversation, as the head's path has it at `last`, again. Returns what is left
   * to write, and the fold at `last`. No more than a page is in memory, however long the conversation is.
   */
  async #rewrite(
    last: number,
    headSeq: number,
    removeBefore: number,
  ): Promise<{ fold: PartsProjection; rest: Rewrite }> {
    const { tenant, sessionId, db } = this.#deps
    const path = new HeadPath(this.#deps.headMoves().filter((move) => move.seq <= last))
    const fold = new PartsProjection(sessionId)
    let rest: Rewrite = { from: 0, removeBefore }
    for (let after = 0; ;) {
      const events = this.#deps.read(after, PAGE)
      const onPath = events.filter(({ seq }) => seq <= last && path.has(seq))
      for (const event of onPath) fold.apply(event)
      after = events.at(-1)?.seq ?? last
      if (after >= last) return { fold, rest }
      if (onPath.length === 0) continue
      await Effect.runPromise(flushToD1(db, rowsOf(tenant, this.#deps.info(), [], fold, { headSeq, rewrite: rest })))
      fold.dropFlushed(after)
      rest = { from: after + 1, removeBefore: null }
    }
  }

  #fold(first: number, through: number): PartsProjection {
    const fold = new PartsProjection(this.#deps.sessionId)
    for (let from = first - 1; from < through;) {
      const events = this.#deps.read(from, PAGE)
      if (events.length === 0) break
      for (const event of events) {
        if (event.seq <= through) fold.apply(event)
        from = event.seq
      }
    }
    return fold
  }
}

/** Whether D1 has messages that another version folded. Of a fork D1 has only later messages, and no page is read from them. */
const isOutdated = ({ d1_seq, head_seq, projection_version }: OutboxCursors): boolean =>
  d1_seq > 0 && head_seq !== undefined && projection_version !== PROJECTION_VERSION

/** The seq up to which all three have every event. */
const leastOf = ({ d1_seq, queue_seq, webhook_seq = d1_seq }: OutboxCursors): number =>
  Math.min(d1_seq, queue_seq, webhook_seq)

// Makes sure that D1 has the hook events that the Queue accepted: receives the cursors and the log, asks D1 which it lacks,
// and sends those again. A queue may lose messages (a local one is in memory) or give up on them.
// Invariant: `stored_seq` moves only past hook events that D1 has. One check is one D1 read, made while no turn runs; it is
// repeated, with growing pauses, until D1 has them all.
import * as Effect from "effect/Effect"
import type { LogEvent } from "../../schemas/log/events.ts"
import { type HookMessage, queueMessagesOf, sendToQueue } from "../../store/delivery/hook-message.ts"
import { missingHookEvents, storeHookEvents } from "../../store/delivery/stored-hooks.ts"
import { logLine } from "../server-log.ts"
import type { OutboxCursors } from "../storage/meta.ts"

/** From a send to its check: the Queue delivers within about a second, and retries a failed message after five. */
const CHECK_AFTER_MS = 10_000
/** From the object's start to a check: messages of the previous process may still be on their way. */
const CHECK_AFTER_START_MS = 3_000
const MAX_PAUSE_MS = 10 * 60_000
/** Maximum number of hook events that one query asks about. */
const CHECKED = 2_000
/** Hook events that are read from the log and sent at once. */
const RESENT = 100
/** After this many resends without success the rows are written to D1 directly. */
const RESENDS = 4

/** New values of some cursors; `undefined` removes one. */
export type CursorChange = { readonly [Name in keyof OutboxCursors]?: OutboxCursors[Name] | undefined }

export interface StoredHooksDeps {
  readonly tenant: string
  readonly sessionId: string
  readonly db: D1Database
  readonly queue: Queue
  /** True once the session was erased: nothing more is sent or stored. */
  readonly isErased: () => boolean
  /** seqs of the hook events with `after < seq <= through`, the first `limit` of them. */
  readonly hookSeqs: (after: number, through: number, limit: number) => ReadonlyArray<number>
  readonly eventAt: (seq: number) => LogEvent | undefined
  /** seq of the last event that was copied from another session; its hook events are that session's. */
  readonly copiedThrough: () => number
  readonly load: () => OutboxCursors
  /** Writes these cursors and leaves the others as they are. */
  readonly save: (change: CursorChange) => void
  readonly now: () => number
}

export class StoredHooks {
  readonly #deps: StoredHooksDeps
  #checking: Promise<void> | null = null
  #checkAt: number
  #copiedThrough: number | null = null

  constructor(deps: StoredHooksDeps) {
    this.#deps = deps
    this.#checkAt = deps.now() + CHECK_AFTER_START_MS
  }

  /** Call it when the Queue has accepted messages: schedules their check. */
  sent(): void {
    this.#checkAt = this.#deps.now() + CHECK_AFTER_MS
  }

  /** D1 has all hook events through this seq. */
  get through(): number {
    return this.#isComplete() ? this.#deps.load().queue_seq : this.#storedSeq()
  }

  /** When the next check is due, in milliseconds since 1970; null when D1 lacks nothing. */
  get dueAt(): number | null {
    return this.#deps.isErased() || this.#isComplete() ? null : this.#checkAt
  }

  /** Asks D1 and sends again what it lacks. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  /** Writes the rows of all hook events that the Queue accepted to D1 directly. Rejects with a StoreError when D1 fails. */
  async rebuild(): Promise<void> {
    const { hookSeqs, load, save } = this.#deps
    for (let after = this.#deps.copiedThrough(); !this.#deps.isErased();) {
      const { queue_seq } = load()
      const seqs = hookSeqs(after, queue_seq, RESENT)
      if (seqs.length > 0) await Effect.runPromise(storeHookEvents(this.#deps.db, this.#messages(seqs)))
      after = seqs.at(-1) ?? queue_seq
      save({ stored_seq: after })
      if (seqs.length < RESENT) return
    }
  }

  #storedSeq(): number {
    const { stored_seq } = this.#deps.load()
    if (stored_seq !== undefined) return stored_seq
    this.#copiedThrough ??= this.#deps.copiedThrough()
    return this.#copiedThrough
  }

  #isComplete(): boolean {
    const { queue_seq } = this.#deps.load()
    const stored = this.#storedSeq()
    return stored >= queue_seq || this.#deps.hookSeqs(stored, queue_seq, 1).length === 0
  }

  async #check(): Promise<void> {
    try {
      for (let more = true; more && !this.#deps.isErased();) more = await this.#page()
    } catch (error) {
      this.#pause({})
      logLine("warn", "D1 could not be asked for hook events and will be asked again", {
        session: this.#deps.sessionId,
        error,
      })
    }
  }

  /** Asks about the next hook events; true when D1 has these and there may be more. */
  async #page(): Promise<boolean> {
    const { tenant, sessionId, db, hookSeqs, load, save } = this.#deps
    const { queue_seq } = load()
    const stored = this.#storedSeq()
    const seqs = hookSeqs(stored, queue_seq, CHECKED)
    if (seqs.length === 0) return false
    const missing = await Effect.runPromise(missingHookEvents(db, tenant, sessionId, seqs))
    if (this.#deps.isErased()) return false
    const [first] = missing
    const through = first === undefined ? (seqs.length < CHECKED ? queue_seq : seqs.at(-1)!) : first - 1 // not empty
    if (first === undefined) {
      save({ stored_seq: through, unstored: 0, resends: 0 })
      return through < queue_seq
    }
    const { resends = 0 } = load()
    logLine("warn", "D1 lacks hook events, which are sent again", {
      session: sessionId,
      events: missing.length,
      resends,
    })
    await this.#resend(missing, resends)
    this.#pause({ stored_seq: Math.max(stored, through), resends: resends + 1 })
    return false
  }

  async #resend(seqs: ReadonlyArray<number>, resends: number): Promise<void> {
    const { db, queue } = this.#deps
    for (let from = 0; from < seqs.length && !this.#deps.isErased(); from += RESENT) {
      const messages = this.#messages(seqs.slice(from, from + RESENT))
      await Effect.runPromise(resends < RESENDS ? sendToQueue(queue, messages) : storeHookEvents(db, messages))
    }
  }

  /** Messages that are marked as sent again, so that their dead letters are removed. */
  #messages(seqs: ReadonlyArray<number>): ReadonlyArray<HookMessage> {
    const { tenant, sessionId, eventAt } = this.#deps
    const events = seqs.flatMap((seq) => eventAt(seq) ?? [])
    return queueMessagesOf(tenant, sessionId, events).map((message) => ({ ...message, redelivery: true as const }))
  }

  #pause(change: CursorChange): void {
    if (this.#deps.isErased()) return
    const unstored = (this.#deps.load().unstored ?? 0) + 1
    this.#checkAt = this.#deps.now() + Math.min(CHECK_AFTER_MS * 2 ** Math.min(unstored - 1, 10), MAX_PAUSE_MS)
    this.#deps.save({ ...change, unstored })
  }
}

// The upkeep of a session outside its turns: receives its alarms and each write; sends D1 and the Queue what they lack, and
// resumes the work of a process that died.
// Invariant: the alarm is armed before the work it guards, so that interrupted work is resumed.
import type { SessionLife } from "./life.ts"
import type { ObjectContext } from "./object-context.ts"
import type { OpenSession } from "./open-session.ts"
import { CHECK_INTERVAL_MS } from "./storage/alarm.ts"

/** From the end of a turn, or a write outside of turns, to the flush of what was written. */
const FLUSH_AFTER_MS = 300
/**
 * Delay of the next alarm of an idle session. An idle object is evicted after ten seconds, and an alarm within them would
 * keep it in memory for ten more. D1 is not asked for hook events before then either.
 */
const REST_MS = 20_000
/** From a session's creation to its flush: an immediate one would delay the first prompt. */
const FLUSH_CREATED_AFTER_MS = 100

export class Maintenance {
  readonly #context: ObjectContext
  readonly #life: SessionLife
  #soon: ReturnType<typeof setTimeout> | null = null

  constructor(context: ObjectContext, life: SessionLife) {
    this.#context = context
    this.#life = life
  }

  /** Sends what D1 and the Queue lack, without waiting for a running turn; a failure arms the alarm. */
  flush(): void {
    const { alarm, keepAlive } = this.#context
    const outbox = this.#life.session?.core.outbox
    if (outbox === undefined) return
    // If this process dies before the flush is done, the alarm does it.
    this.#guard()
    keepAlive(
      outbox.flush().then(() => {
        if (outbox.retryAt !== null && this.#life.session !== null) alarm.arm(outbox.retryAt)
        this.#rest()
      }),
    )
  }

  /** After a flush: postpones the alarm when nothing runs and nothing is left to send. */
  #rest(): void {
    const { alarm, now } = this.#context
    const { session } = this.#life
    if (session === null || session.runner.current !== null) return
    if (!session.core.isBusy && !session.core.outbox.isBehind) alarm.postpone(now() + REST_MS)
  }

  /** Flushes a new session, even while its first turn runs, so that lists show it a moment after its creation. */
  flushCreated(): void {
    this.#guard()
    setTimeout(() => {
      if (this.#life.session?.core.outbox.isListed === false) this.flush()
    }, FLUSH_CREATED_AFTER_MS)
  }

  /**
   * Call it at the end of a turn: flushes a moment later, so that consecutive turns are sent together. A first turn is
   * flushed at once, so that a client that has its result finds the session in lists. If this process dies first, the alarm
   * sends it.
   */
  flushSoon(): void {
    // The delay restarts each time: a flush at the start of the next turn would compete with it.
    if (this.#soon !== null) clearTimeout(this.#soon)
    this.#guard()
    const core = this.#life.session?.core
    core?.outbox.turnEnded()
    if (core?.outbox.isListed === false) this.flush()
    core?.fold.pause()
    this.#soon = setTimeout(() => {
      this.#soon = null
      const { session } = this.#life
      if (session === null || session.runner.current !== null) return
      this.flush()
      session.core.fold.rest()
    }, FLUSH_AFTER_MS)
  }

  /**
   * Call it after a write: flushes it a moment later, unless a turn or a task runs, whose end sends it. If this process dies
   * first, the alarm sends it.
   */
  wrote(): void {
    const { session } = this.#life
    if (session === null || this.#soon !== null || session.runner.current !== null) return
    const { core } = session
    // A turn that is about to run sends its prompt when it ends.
    if (core.runnable() !== undefined || core.background.running().length > 0) return
    this.#guard()
    this.#soon = setTimeout(() => {
      this.#soon = null
      if (this.#life.session?.runner.current === null) this.flush()
    }, FLUSH_AFTER_MS)
  }

  /** Lists and webhooks get it a moment later, even while its turn or agent waits in memory. */
  askOpened(): void {
    this.#guard()
    setTimeout(() => this.flush(), FLUSH_AFTER_MS)
  }

  /** Arms the alarm for what is not sent yet. */
  #guard(): void {
    const { alarm, now } = this.#context
    if (this.#life.session?.core.outbox.isBehind === true) alarm.guard(now() + CHECK_INTERVAL_MS)
  }

  /** Arms the next alarm first, then does what is due. Never waits for a turn, never throws. */
  onAlarm({ core, runner }: OpenSession): void {
    const { alarm } = this.#context
    const { askStore, asks, background, outbox, runningTurn, share } = core
    const now = this.#context.now()
    background.recover()
    if (runner.current !== null) {
      share.renewTurn()
      runningTurn.lane.renew(runner.current.turn)
    }
    if (core.runnable() !== undefined || background.running().length > 0) alarm.guard(now + CHECK_INTERVAL_MS)
    const expiry = Math.min(...askStore.open.map((ask) => ask.expiresAt).filter((at) => at > now))
    if (Number.isFinite(expiry)) alarm.arm(expiry)
    asks.expire()
    runningTurn.runs.onAlarm(() => this.#context.keepAlive(runner.stop()))
    runner.onAlarm()
    if (outbox.isBehind) this.flush()
  }

  /**
   * After `onAlarm`: checks that D1 has the hook events that the Queue accepted, unless a turn runs, whose end sends more.
   * The alarm waits for the check, so that an interrupted one is retried. Never rejects.
   */
  async check(): Promise<void> {
    const { alarm, now } = this.#context
    const { session } = this.#life
    if (session === null || session.runner.current !== null) return
    const { outbox } = session.core
    const due = outbox.checkAt
    if (due !== null && due <= now()) await outbox.check()
    const next = outbox.checkAt
    if (next !== null && this.#life.session !== null) alarm.guard(next)
  }

  /**
   * When the object starts: what the previous process sent may be lost, so a check is due. Its alarm is armed already, unless
   * an earlier version stored the session. Nothing else is written, so that a session can be read while its disk is full.
   */
  started(): void {
    const { alarm } = this.#context
    const due = this.#life.session?.core.outbox.checkAt ?? null
    if (due !== null && !alarm.isArmed) alarm.guard(due)
  }
}

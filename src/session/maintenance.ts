// What a session needs beside its turns: receives its alarms and each write; sends D1 and the Queue what they lack, and
// takes up again what a process that died left behind.
// Invariant: the alarm is armed before the work it guards, so that work which is cut off is taken up again.
import type { SessionLife } from "./life.ts"
import type { ObjectContext } from "./object-context.ts"
import type { OpenSession } from "./open-session.ts"
import { CHECK_INTERVAL_MS } from "./storage/alarm.ts"

/** From the end of a turn, or a write outside of turns, to the flush of what was written. */
const FLUSH_AFTER_MS = 300
/**
 * An object that rests is evicted after ten seconds, and an alarm within them would keep it in memory for as long again. D1 is not to
 * be asked for hook events before either.
 */
const REST_MS = 20_000
/** From a session's creation to its flush, which would delay the first prompt if it came at once. */
const FLUSH_CREATED_AFTER_MS = 100

export class Maintenance {
  readonly #context: ObjectContext
  readonly #life: SessionLife
  #soon: ReturnType<typeof setTimeout> | null = null

  constructor(context: ObjectContext, life: SessionLife) {
    this.#context = context
    this.#life = life
  }

  /** Sends what D1 and the Queue lack, beside whatever runs; a failure arms the alarm. */
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

  /** Behind a flush: when nothing is under way and nothing left to send, no alarm has work to take up. */
  #rest(): void {
    const { alarm, now } = this.#context
    const { session } = this.#life
    if (session === null || session.runner.current !== null) return
    if (!session.core.isBusy && !session.core.outbox.behind) alarm.postpone(now() + REST_MS)
  }

  /** Sends a session that was just made, also while its first turn runs: lists have it a moment after its creation. */
  flushCreated(): void {
    this.#guard()
    setTimeout(() => {
      if (this.#life.session?.core.outbox.isListed === false) this.flush()
    }, FLUSH_CREATED_AFTER_MS)
  }

  /**
   * At the end of a turn: sends it a moment later, so that turns that follow one another are sent together. A first turn is
   * sent at once: who has its result finds the session in lists. If this process dies before, the alarm sends it.
   */
  flushSoon(): void {
    // Anew each time: a flush at the beginning of the next turn would compete with it.
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
   * Something was written: without a turn or a task, whose end sends it, it is sent a moment later. If this process dies before,
   * the alarm sends it.
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

  /** A question was opened: lists and webhooks have it a moment later, also while its turn or its agent waits in memory. */
  asked(): void {
    this.#guard()
    setTimeout(() => this.flush(), FLUSH_AFTER_MS)
  }

  /** Arms the alarm for what is not sent yet. */
  #guard(): void {
    const { alarm, now } = this.#context
    if (this.#life.session?.core.outbox.behind === true) alarm.guard(now() + CHECK_INTERVAL_MS)
  }

  /** At an alarm: arms the next one first, then does what is due. Never waits for a turn, never throws. */
  look({ core, runner }: OpenSession): void {
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
    runningTurn.runs.look(() => this.#context.keepAlive(runner.stop()))
    runner.look()
    if (outbox.behind) this.flush()
  }

  /**
   * At an alarm, behind `look`: asks D1 for the hook events that the Queue took, unless a turn runs, whose end sends more.
   * The alarm waits for it: one that is cut off goes off again. Never rejects.
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
   * When the object starts: what the process before it sent may be lost. Its alarm is armed, unless an earlier version
   * stored the session: starting writes nothing else, so that a session can be read while its disk is full.
   */
  started(): void {
    const { alarm } = this.#context
    const due = this.#life.session?.core.outbox.checkAt ?? null
    if (due !== null && !alarm.isArmed) alarm.guard(due)
  }
}

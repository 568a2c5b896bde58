// What a session needs beside its turns: receives its alarms and the word that something was written; sends D1 and the
// Queue what they lack, and starts again what a process that died left behind.
// Invariant: the alarm is armed before the work it guards, so that work which is cut off is taken up again.
import { type Alarm, CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import type { OpenSession } from "./wire-session.ts"

export interface MaintenanceDeps {
  readonly alarm: Alarm
  /** The session, while there is one. */
  readonly open: () => OpenSession | null
  readonly keepAlive: (work: Promise<void>) => void
  readonly now: () => number
}

export class Maintenance {
  readonly #deps: MaintenanceDeps

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps
  }

  /** Sends what D1 and the Queue lack, beside whatever runs; a failure arms the alarm. */
  flush(): void {
    const { alarm, open, keepAlive, now } = this.#deps
    const outbox = open()?.outbox
    if (outbox === undefined) return
    // If this process dies before the flush is done, the alarm does it.
    if (outbox.behind) alarm.arm(now() + CHECK_INTERVAL_MS)
    keepAlive(
      outbox.flush().then(() => {
        if (outbox.retryAt !== null && open() !== null) alarm.arm(outbox.retryAt)
      }),
    )
  }

  /** At an alarm: arms the next one first, then looks after what is due. Never waits for a turn, never throws. */
  look({ session, runner, outbox, background, share }: OpenSession): void {
    const { alarm } = this.#deps
    const now = this.#deps.now()
    background.recover()
    if (runner.current !== null) share.renewTurn()
    if (session.runnable() !== undefined || background.running().length > 0) alarm.arm(now + CHECK_INTERVAL_MS)
    const expiry = Math.min(...session.askStore.open.map((ask) => ask.expiresAt).filter((at) => at > now))
    if (Number.isFinite(expiry)) alarm.arm(expiry)
    session.asks.expire()
    runner.look()
    if (outbox.behind) this.flush()
  }

  /**
   * At an alarm, behind `look`: asks D1 for the hook events that the Queue took, unless a turn runs, whose end sends more.
   * The alarm waits for it: one that is cut off goes off again. Never rejects.
   */
  async check(): Promise<void> {
    const { alarm, open, now } = this.#deps
    const session = open()
    if (session === null || session.runner.current !== null) return
    const { outbox } = session
    const due = outbox.checkAt
    if (due !== null && due <= now()) await outbox.check()
    const next = outbox.checkAt
    if (next !== null && open() !== null) alarm.arm(next)
  }

  /**
   * When the object starts: what the process before it sent may be lost. Its alarm is armed, unless an earlier version
   * stored the session: starting writes nothing else, so that a session can be read while its disk is full.
   */
  arise(): void {
    const { alarm, open } = this.#deps
    const due = open()?.outbox.checkAt ?? null
    if (due !== null && !alarm.isArmed) alarm.arm(due)
  }
}

// What a session needs beside its turns: receives its alarms and the word that something was written; sends D1 and the
// Queue what they lack, and starts again what a process that died left behind.
// Invariant: the alarm is armed before the work it guards, so that work which is cut off is taken up again.
import type { Alarm } from "./alarm.ts"
import { HEARTBEAT_MS, type OpenSession } from "./open-session.ts"

export interface UpkeepDeps {
  readonly alarm: Alarm
  /** The session, while there is one. */
  readonly open: () => OpenSession | null
  readonly keepAlive: (work: Promise<void>) => void
  readonly now: () => number
}

export class Upkeep {
  readonly #deps: UpkeepDeps

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  /** Sends what D1 and the Queue lack, beside whatever runs; a failure arms the alarm. */
  flush(): void {
    const { alarm, open, keepAlive, now } = this.#deps
    const outbox = open()?.outbox
    if (outbox === undefined) return
    // If this process dies before the flush is done, the alarm does it.
    if (outbox.behind) alarm.arm(now() + HEARTBEAT_MS)
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
    if (session.runnable() !== undefined || background.running().length > 0) alarm.arm(now + HEARTBEAT_MS)
    const expiry = Math.min(...session.asks.open.map((ask) => ask.expiresAt).filter((at) => at > now))
    if (Number.isFinite(expiry)) alarm.arm(expiry)
    session.questions.expire()
    runner.start()
    if (outbox.behind) this.flush()
  }
}

// Decides when a session with `persistSession: false` is to be erased.
// Invariant: it is erased when no client was connected and nothing was written for a minute, and never while a turn is open.
import type { Meta } from "./meta.ts"

/** How long a client may be away. */
const ALONE_MS = 60_000
/**
 * Between two checks while a client is connected. The end of its connection is an event of its socket; this check finds a
 * client that ended together with the server.
 */
const LOOK_AGAIN_MS = 10 * 60_000

export interface EphemeralSessionDeps {
  readonly meta: Meta
  /** True while the session's options say that it is not kept. */
  readonly applies: () => boolean
  /** Whether a client is connected, other than by `leaving`. */
  readonly attached: (leaving?: WebSocket) => boolean
  readonly busy: () => boolean
  /** When the last event was written. */
  readonly lastAt: () => number
  readonly now: () => number
  readonly alarmAt: (at: number) => void
}

export class EphemeralSession {
  readonly #deps: EphemeralSessionDeps

  constructor(deps: EphemeralSessionDeps) {
    this.#deps = deps
  }

  /**
   * Call it when a client comes or goes, when a turn has ended, when options have changed, and at each alarm. True when
   * the session is to be erased now; otherwise the alarm is armed for the next check.
   */
  checkAbandoned(leaving?: WebSocket): boolean {
    const { meta, applies, attached, busy, lastAt, now, alarmAt } = this.#deps
    if (!applies()) return false
    const alone = meta.get("alone")
    if (attached(leaving)) {
      if (alone !== undefined) meta.delete("alone")
      alarmAt(now() + LOOK_AGAIN_MS)
      return false
    }
    // The next check is at the end of the turn.
    if (busy()) return false
    if (alone === undefined) meta.set("alone", now())
    const end = Math.max(alone ?? now(), lastAt()) + ALONE_MS
    if (end <= now()) return true
    alarmAt(end)
    return false
  }
}

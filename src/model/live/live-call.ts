// One HTTP exchange with the Messages API: its deadline, and how it ends.
// Invariant: a call whose answer is no longer needed is aborted; a call that ended by itself is not, so that its connection
// can be reused.

import type { ModelTimeouts, TimedOut } from "./model-timeouts.ts"

/** How long the body may take to end after `message_stop`. */
const ENDING_TIMEOUT_MS = 250
/** How often the clock checks the open calls. */
const CHECK_EVERY_MS = 1000
/** A check that is later than this was delayed by a suspended machine, or the machine's clock was changed. */
const SUSPENDED_MS = 60_000

/**
 * One timer for all calls: in a Durable Object, setting and clearing a timer per call costs more than reading an answer. It
 * reads the machine's own clock, which is what its timers follow and what jumps when the machine was suspended.
 */
export class CallClock {
  readonly #open = new Set<LiveCall>()
  #ticking = false
  #checkedAt = 0

  watch(call: LiveCall): void {
    this.#open.add(call)
    if (this.#ticking) return
    this.#ticking = true
    this.#checkedAt = Date.now()
    setTimeout(this.#check, CHECK_EVERY_MS)
  }

  forget(call: LiveCall): void {
    // A connection that was lost meanwhile may be reported before the next check.
    this.#noticeSuspension(Date.now())
    this.#open.delete(call)
  }

  #noticeSuspension(now: number): void {
    const late = now - this.#checkedAt - CHECK_EVERY_MS
    this.#checkedAt = now
    if (late > SUSPENDED_MS) for (const call of this.#open) call.suspended(late)
  }

  readonly #check = (): void => {
    const now = Date.now()
    this.#noticeSuspension(now)
    for (const call of this.#open) call.abortIfLate(now)
    this.#ticking = this.#open.size > 0
    if (this.#ticking) setTimeout(this.#check, CHECK_EVERY_MS)
  }
}

/** A body, or its reader. */
export interface Drained {
  read(): Promise<{ readonly done?: boolean }>
}

export class LiveCall {
  readonly #clock: CallClock
  readonly #controller = new AbortController()
  readonly #timeouts: ModelTimeouts
  /** The current deadline in milliseconds since 1970, and the limit that it belongs to. */
  #until = 0
  #limit: TimedOut = "first_byte"
  #answered = false
  /** The limit at which the call was aborted; null when it was not. */
  timedOut: TimedOut | null = null

  constructor(clock: CallClock, timeouts: ModelTimeouts) {
    this.#clock = clock
    this.#timeouts = timeouts
    this.#allow(timeouts.firstByteMs, "first_byte")
    clock.watch(this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** To be called when the answer has started or a part has arrived: extends the deadline, which is checked once a second. */
  progressed(): void {
    this.#allow(this.#timeouts.idleMs, "idle")
  }

  #allow(ms: number, limit: TimedOut): void {
    const at = Date.now() + ms
    this.#limit = at < this.#timeouts.until ? limit : "total"
    this.#until = Math.min(at, this.#timeouts.until)
  }

  /** To be called when the answer is complete: reads the few bytes that may follow in the background. */
  drain(body: Drained): void {
    this.#answered = true
    this.#allow(ENDING_TIMEOUT_MS, "idle")
    void readOut(body).finally(() => this.ended())
  }

  /** To be called when the body was read to its end. */
  ended(): void {
    this.#answered = true
    this.#clock.forget(this)
  }

  /** To be called when the answer is no longer needed: aborts the call unless the answer is complete. */
  leave(): void {
    if (!this.#answered) this.#abort()
  }

  /** Postpones the step's limit by the time during which the machine was suspended. The other limits include that time. */
  suspended(ms: number): void {
    this.#timeouts.until += ms
    if (this.#limit === "total") this.#until += ms
  }

  /** Aborts the call if its deadline has passed. */
  abortIfLate(now: number): void {
    if (now < this.#until) return
    this.timedOut = this.#limit
    this.#abort()
  }

  #abort(): void {
    this.#clock.forget(this)
    this.#controller.abort()
  }
}

/** Resolves at the end of the body, however it ends. */
const readOut = async (body: Drained): Promise<void> => {
  try {
    while (!(await body.read()).done);
  } catch {
    // The answer was already complete: nothing is lost when the connection breaks now.
  }
}

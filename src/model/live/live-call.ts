// HTTP exchanges with the Messages API: the time that is left for each, and its end.
// Invariant: a call whose answer is not needed any more is aborted; one that ended by itself is left alone, so that its
// connection can be used again.

import type { ModelTimeouts, TimedOut } from "./model-timeouts.ts"

/** After `message_stop`, for the end of the body. */
const ENDING_TIMEOUT_MS = 250
/** How often the clock looks at the calls that are open. */
const LOOK_EVERY_MS = 1000

/** One timer for all calls: in a Durable Object to set and clear one for each costs more than to read an answer. */
export class CallClock {
  readonly #open = new Set<LiveCall>()
  #ticking = false

  watch(call: LiveCall): void {
    this.#open.add(call)
    if (this.#ticking) return
    this.#ticking = true
    setTimeout(this.#look, LOOK_EVERY_MS)
  }

  forget(call: LiveCall): void {
    this.#open.delete(call)
  }

  readonly #look = (): void => {
    const now = Date.now()
    for (const call of this.#open) call.look(now)
    this.#ticking = this.#open.size > 0
    if (this.#ticking) setTimeout(this.#look, LOOK_EVERY_MS)
  }
}

/** A body, or what it is read through. */
export interface Drained {
  read(): Promise<{ readonly done?: boolean }>
}

export class LiveCall {
  readonly #clock: CallClock
  readonly #controller = new AbortController()
  readonly #timeouts: ModelTimeouts
  /** When the time is up, in milliseconds since 1970, and which limit that is. */
  #until = 0
  #limit: TimedOut = "first_byte"
  #answered = false
  /** The limit that the call was aborted at. */
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

  /** The answer has begun, or a part of it has come: there is time for the next, give or take the second of the clock. */
  progressed(): void {
    this.#allow(this.#timeouts.idleMs, "idle")
  }

  #allow(ms: number, limit: TimedOut): void {
    const at = Date.now() + ms
    this.#limit = at < this.#timeouts.until ? limit : "total"
    this.#until = Math.min(at, this.#timeouts.until)
  }

  /** The answer is complete: the few bytes that may follow are read in the background. */
  drain(body: Drained): void {
    this.#answered = true
    this.#allow(ENDING_TIMEOUT_MS, "idle")
    void readOut(body).finally(() => this.ended())
  }

  /** The body was read to its end. */
  ended(): void {
    this.#answered = true
    this.#clock.forget(this)
  }

  /** The answer is not needed any more. */
  leave(): void {
    if (!this.#answered) this.#abort()
  }

  /** Aborts the call when its time is up. */
  look(now: number): void {
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
    // The answer was complete before: a connection that breaks now takes nothing with it.
  }
}

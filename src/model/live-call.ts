// HTTP exchanges with the Messages API: the time that is left for each, and its end.
// Invariant: a call that nobody waits for any more is aborted; one that ended by itself is left alone, so that its
// connection can be used again.

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

export class LiveCall {
  readonly #clock: CallClock
  readonly #controller = new AbortController()
  /** When the time is up, in milliseconds since 1970. */
  #until: number
  #answered = false
  /** True when the call was aborted because its time was up. */
  timedOut = false

  constructor(clock: CallClock, withinMs: number) {
    this.#clock = clock
    this.#until = Date.now() + withinMs
    clock.watch(this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Something was heard: there is so much time for the next, give or take the second of the clock. */
  allow(ms: number): void {
    this.#until = Date.now() + ms
  }

  /** The answer is complete: what little may follow is read while nobody waits. */
  drain(body: ReadableStreamDefaultReader<Uint8Array>): void {
    this.#answered = true
    this.allow(ENDING_TIMEOUT_MS)
    void readOut(body).finally(() => this.ended())
  }

  /** The body was read to its end. */
  ended(): void {
    this.#answered = true
    this.#clock.forget(this)
  }

  /** Nobody waits any more. */
  leave(): void {
    if (!this.#answered) this.#abort()
  }

  /** Aborts the call when its time is up. */
  look(now: number): void {
    if (now < this.#until) return
    this.timedOut = true
    this.#abort()
  }

  #abort(): void {
    this.#clock.forget(this)
    this.#controller.abort()
  }
}

/** Resolves at the end of the body, however it ends. */
const readOut = async (body: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  try {
    while (!(await body.read()).done);
  } catch {
    // The answer was complete before: a connection that breaks now takes nothing with it.
  }
}

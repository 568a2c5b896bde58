// One HTTP exchange with the Messages API: the time that is left for it, and its end.
// Invariant: a call that nobody waits for any more is aborted; one that ended by itself is left alone, so that its
// connection can be used again.

/** After `message_stop`, for the end of the body. */
const ENDING_TIMEOUT_MS = 250

export class LiveCall {
  readonly #controller = new AbortController()
  /** When the time is up, in milliseconds since 1970. */
  #until: number
  #timer: ReturnType<typeof setTimeout>
  #over = false
  /** True when the call was aborted because its time was up. */
  timedOut = false

  constructor(withinMs: number) {
    this.#until = Date.now() + withinMs
    this.#timer = setTimeout(this.#look, withinMs)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Something was heard: there is so much time for the next. It sets no timer, the one that runs looks again. */
  allow(ms: number): void {
    this.#until = Date.now() + ms
  }

  /** Reads what little may follow the last event, while nobody waits. */
  drain(body: ReadableStreamDefaultReader<Uint8Array>): void {
    clearTimeout(this.#timer)
    this.#over = true
    this.#timer = setTimeout(() => this.#controller.abort(), ENDING_TIMEOUT_MS)
    void readOut(body).finally(() => clearTimeout(this.#timer))
  }

  /** The answer was read to its end. */
  ended(): void {
    this.#over = true
    clearTimeout(this.#timer)
  }

  /** Aborts a call that has not ended. */
  leave(): void {
    if (this.#over) return
    this.ended()
    this.#controller.abort()
  }

  readonly #look = (): void => {
    const left = this.#until - Date.now()
    if (left > 0) {
      this.#timer = setTimeout(this.#look, left)
      return
    }
    this.timedOut = true
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

// Limits how long a script runs: at the end of its time it is stopped, unless it continues in the background with another limit.
// Invariant: a script always has a limit while it runs.

/** Milliseconds after which the official SDK shows a command as a task. */
const LONG_MS = 3000

export class TimeLimit {
  #whenLong: (() => void) | undefined
  readonly #stop = new AbortController()
  #timer: ReturnType<typeof setTimeout> | null = null
  #move: (() => boolean) | null = null
  #isOver = false

  /** `whenLong` is called once the script has run for `LONG_MS` within its first limit. */
  constructor(whenLong?: () => void) {
    this.#whenLong = whenLong
  }

  /** Aborts when the script must stop. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Limits the script to `ms` milliseconds from now; has no effect once it has ended. */
  start(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#isOver) return
    const whenLong = ms > LONG_MS ? this.#whenLong : undefined
    this.#whenLong = undefined
    this.#timer = setTimeout(
      () => {
        if (whenLong !== undefined) {
          whenLong()
          this.start(ms - LONG_MS)
        } else if (this.#move?.() !== true) this.#stop.abort()
      },
      whenLong === undefined ? ms : LONG_MS,
    )
  }

  /** Calls `move` at the end of the time: it returns true if the script continues with a limit of its own. Null stops the script. */
  atEnd(move: (() => boolean) | null): void {
    this.#move = move
  }

  /** Ends the limit together with its script. */
  end(): void {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }
}

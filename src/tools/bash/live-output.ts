// Receives the output of a running script; periodically sends the end of it to clients that watch the call.
// Invariant: nothing is sent for a script that ends without waiting; what is sent is bounded, however much is printed.
import type { Printed } from "../context-parts.ts"

/** The most characters of the end of the output that are sent. */
const MAX_PRINTED = 8192
/** Milliseconds from the first output to the first update, and between updates. */
const EVERY_MS = 500

export class LiveOutput {
  readonly #show: (printed: Printed) => void
  #output = ""
  #truncated = false
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(show: (printed: Printed) => void) {
    this.#show = show
  }

  /** Adds output and schedules an update; the timer can only fire while the script waits. */
  readonly print = (text: string): void => {
    const output = this.#output + text
    this.#truncated ||= output.length > MAX_PRINTED
    this.#output = output.slice(-MAX_PRINTED).toWellFormed()
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#show({ output: this.#output, truncated: this.#truncated })
    }, EVERY_MS)
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }
}

// Receives what a script prints as it comes; shows its end now and then to those who watch the call.
// Invariant: a script that ends without a wait shows nothing; what is shown is bounded, however much is printed.
import type { Printed } from "../tool.ts"

/** More than this of the end is not shown. */
const MAX_PRINTED = 8192
/** Milliseconds between the first output and what is shown first, and between two times. */
const EVERY_MS = 500

export class LiveOutput {
  readonly #show: (printed: Printed) => void
  #output = ""
  #truncated = false
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(show: (printed: Printed) => void) {
    this.#show = show
  }

  /** Timers come only while the script waits. */
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

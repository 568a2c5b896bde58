// The error of the read that failed last, as a sentence, until a later read of the same thing succeeds.
import { signal } from "@preact/signals"
import { messageOf } from "../app/server.ts"

export class ReadErrors {
  readonly shown = signal<string | null>(null)
  /** What could not be read, such as "The session", and the sentence about it. */
  #failed: { readonly unread: string; readonly text: string } | null = null

  /** Shows the error, unless the read was cancelled because the user left the session. */
  report(unread: string, error: unknown): void {
    if (error instanceof DOMException) return
    const text = `${unread} could not be read. ${messageOf(error)}`
    this.#failed = { unread, text }
    this.shown.value = text
  }

  /** Waits for a read; shows its error, or ends the error of an earlier read of the same thing. */
  async of(unread: string, read: Promise<void>): Promise<void> {
    try {
      await read
      if (this.#failed?.unread === unread && this.shown.peek() === this.#failed.text) this.shown.value = null
    } catch (error) {
      this.report(unread, error)
    }
  }
}

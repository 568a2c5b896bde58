// The error of the read that failed last, as a sentence, until the same thing is read.
import { signal } from "@preact/signals"
import { messageOf } from "../app/server.ts"

export class ReadErrors {
  readonly shown = signal<string | null>(null)

  /** A read that ended because the session was left is no failure. */
  report(unread: string, error: unknown): void {
    if (!(error instanceof DOMException)) this.shown.value = `${unread} could not be read. ${messageOf(error)}`
  }

  /** Waits for a read, and reports its failure. */
  async of(unread: string, read: Promise<void>): Promise<void> {
    try {
      await read
      if (this.shown.peek()?.startsWith(unread) === true) this.shown.value = null
    } catch (error) {
      this.report(unread, error)
    }
  }
}

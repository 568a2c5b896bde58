// Receives the steps of runs; returns the steps to send, numbered.
// Invariant: the steps of a run are numbered 1, 2, 3 … without gaps, and a number depends only on what is stored, not on what was
// sent ahead. After a rollback, a step is sent again only if it differs from the step sent under the same number.

export class StepSender {
  #run: string | null = null
  #seq = 0
  /** Number of the last committed step. */
  #certain = 0
  /** The texts that were sent after it. */
  #ahead: Array<string> = []

  /** The text to send; null when the step is not shown, or was sent already. `encode` gets the step's number. */
  send(runId: string, encode: (seq: number) => string | null): string | null {
    if (runId !== this.#run) {
      this.#run = runId
      this.#seq = 0
      this.#certain = 0
      this.#ahead = []
    }
    const text = encode(this.#seq + 1)
    if (text === null) return null
    const place = this.#seq - this.#certain
    this.#seq += 1
    if (this.#ahead[place] === text) return null
    this.#ahead.length = place
    this.#ahead.push(text)
    return text
  }

  commit(): void {
    this.#certain = this.#seq
    this.#ahead = []
  }

  rollback(): void {
    this.#seq = this.#certain
  }
}

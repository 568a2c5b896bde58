// Receives the steps of runs; returns those that are to be sent, numbered.
// Invariant: the steps of a run have the numbers 1, 2, 3 …, without a gap and whatever was sent ahead: a number is a function of what
// is stored. A step that comes again after a rollback is sent again only where it is another one than before.

export class StepSender {
  #run: string | null = null
  #seq = 0
  /** Number of the last step that is certain. */
  #certain = 0
  /** What was sent behind it. */
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

// The budget of one run of an interpreter (awk, jq), in steps: for its statements, the items and texts that it copies or scans,
// and the text that its patterns reread.
// Invariant: everything that a script can repeat endlessly is counted, and ends the run at the limit.

const MAX_STEPS = 1_000_000
const STEPS_PER_TICK = 24
const ITEMS_PER_STEP = 16
const TEXT_PER_STEP = 1024
const READS_PER_STEP = 4

export class ProgramSteps {
  /** Is called every 24 steps, and may end the run by throwing. */
  readonly #tick: () => void
  /** Creates the error of a run that exceeds `most` steps. */
  readonly #tooMany: (most: number) => Error
  #steps = 0
  #nextTick = STEPS_PER_TICK

  constructor(tick: () => void, tooMany: (most: number) => Error) {
    this.#tick = tick
    this.#tooMany = tooMany
  }

  take(count = 1): void {
    this.#steps += count
    if (this.#steps > MAX_STEPS) throw this.#tooMany(MAX_STEPS)
    for (; this.#nextTick <= this.#steps; this.#nextTick += STEPS_PER_TICK) this.#tick()
  }

  /** Counts `count` copied items. */
  items(count: number): void {
    this.take(1 + Math.ceil(count / ITEMS_PER_STEP))
  }

  /** Counts `length` characters that were scanned or copied. */
  text(length: number): void {
    if (length >= TEXT_PER_STEP) this.take(Math.floor(length / TEXT_PER_STEP))
  }

  /** Counts characters that were reread by a pattern that searches for all its matches. */
  readonly reads = (characters: number): void => this.take(Math.ceil(characters / READS_PER_STEP))
}

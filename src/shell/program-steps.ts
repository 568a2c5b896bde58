// What one run of an interpreter (awk, jq) may do, in steps: its statements, the items and texts that it copies or looks
// through, and the text that its patterns read again.
// Invariant: what a script can repeat for ever is counted, and ends it.

const MAX_STEPS = 1_000_000
const STEPS_PER_TICK = 64
const ITEMS_PER_STEP = 16
const TEXT_PER_STEP = 1024
const READS_PER_STEP = 4

export class ProgramSteps {
  /** Called for each 64 steps; ends the run by throwing. */
  readonly #tick: () => void
  /** The error of a run that took more than `most` steps. */
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

  /** So many items were copied. */
  items(count: number): void {
    this.take(1 + Math.ceil(count / ITEMS_PER_STEP))
  }

  /** So many characters were looked through or copied. */
  text(length: number): void {
    if (length >= TEXT_PER_STEP) this.take(Math.floor(length / TEXT_PER_STEP))
  }

  /** So many characters were read again by a pattern that looks for all its matches. */
  readonly reads = (characters: number): void => this.take(Math.ceil(characters / READS_PER_STEP))
}

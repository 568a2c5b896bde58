// What one run of an awk program may do, in steps: statements, and the text that is looked through or copied.
// Invariant: what a program can repeat for ever is counted, and ends it.
import { UsageError } from "../program.ts"

const MAX_STEPS = 1_000_000
const STEPS_PER_TICK = 64
const TEXT_PER_STEP = 1024
const READS_PER_STEP = 4

export class Allowance {
  /** Called for each so many steps; ends the run by throwing. */
  readonly #tick: () => void
  #steps = 0
  #nextTick = STEPS_PER_TICK

  constructor(tick: () => void) {
    this.#tick = tick
  }

  step(count = 1): void {
    this.#steps += count
    if (this.#steps > MAX_STEPS) throw new UsageError(`maximum iterations exceeded (${MAX_STEPS})`)
    for (; this.#nextTick <= this.#steps; this.#nextTick += STEPS_PER_TICK) this.#tick()
  }

  /** So many characters were read again by a pattern that looks for all its matches. */
  readonly reads = (characters: number): void => this.step(Math.ceil(characters / READS_PER_STEP))

  /** So much text was looked through or copied. */
  text(length: number): void {
    if (length >= TEXT_PER_STEP) this.step(Math.floor(length / TEXT_PER_STEP))
  }
}

// What one run of a jq filter may do, in steps: its parts, the items that it copies, and the text that it reads again.
// Invariant: what a filter can repeat for ever is counted, and ends it.
import { LimitError } from "./paths.ts"

const MAX_STEPS = 1_000_000
const STEPS_PER_TICK = 64
const ITEMS_PER_STEP = 16
const READS_PER_STEP = 4

export class Steps {
  /** Called for each so many steps; ends the run by throwing. */
  readonly #tick: () => void
  #steps = 0
  #nextTick = STEPS_PER_TICK

  constructor(tick: () => void) {
    this.#tick = tick
  }

  take(count = 1): void {
    this.#steps += count
    if (this.#steps > MAX_STEPS) throw new LimitError(`too many iterations (${MAX_STEPS})`)
    for (; this.#nextTick <= this.#steps; this.#nextTick += STEPS_PER_TICK) this.#tick()
  }

  copied(items: number): void {
    this.take(1 + Math.ceil(items / ITEMS_PER_STEP))
  }

  /** So many characters were read again by a pattern that looks for all its matches. */
  readonly reads = (characters: number): void => this.take(1 + Math.ceil(characters / READS_PER_STEP))
}

// Receives reports of changed files, of which a client that uploads a folder causes hundreds; counts them, so that lists are read again.
// Invariant: the first report counts at once; those of the next second count together at its end, so that none is missed.
import { signal } from "@preact/signals"

const TOGETHER_MS = 1000

export class FileChanges {
  /** Changes with each report that counts. */
  readonly count = signal(0)
  #timer: ReturnType<typeof setTimeout> | null = null
  #hasMore = false

  note(): void {
    if (this.#timer !== null) {
      this.#hasMore = true
      return
    }
    this.count.value += 1
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#hasMore) this.note()
    }, TOGETHER_MS)
    this.#hasMore = false
  }
}

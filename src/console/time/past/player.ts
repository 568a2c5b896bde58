// The place in time that a session's screen shows: selected directly, by a step, or by playback.
// Invariant: playback advances after the previous place was shown, and ends at "now".
import { signal } from "@preact/signals"
import { wait } from "../../../client/api/transport.ts"
import { type Step, stepped, strideOf } from "./marks.ts"
import type { Past } from "./past.ts"

const SETTLE_MS = 120
const FRAME_MS = 400

export class Player {
  readonly #past: Past
  readonly #last: () => number
  /** Null means now. */
  readonly place = signal<number | null>(null)
  readonly isPlaying = signal(false)
  #stop: AbortController | null = null

  constructor(past: Past, last: () => number) {
    this.#past = past
    this.#last = last
  }

  /** Moves to a place. It is loaded after a short delay, unless another place follows, as while the scrubber is dragged. */
  go(place: number | null): void {
    this.pause()
    this.#move(place)
    if (place === null) return
    const stop = new AbortController()
    this.#stop = stop
    void this.#settle(place, stop.signal)
  }

  step(step: Step): void {
    this.go(stepped(step, this.place.value, this.#last(), this.#past.marks.value))
  }

  pause(): void {
    this.#stop?.abort()
    this.#stop = null
    this.isPlaying.value = false
  }

  /** Starts playback at the current place, or at the beginning if that is "now". */
  play(): void {
    this.pause()
    const stop = new AbortController()
    this.#stop = stop
    this.isPlaying.value = true
    void this.#run(stop.signal)
  }

  close(): void {
    this.pause()
    this.#past.close()
  }

  #move(place: number | null): void {
    this.place.value = place
    if (place === null) this.#past.close()
  }

  async #settle(place: number, stop: AbortSignal): Promise<void> {
    try {
      await wait(SETTLE_MS, stop)
    } catch {
      return
    }
    await this.#past.show(place)
  }

  async #run(stop: AbortSignal): Promise<void> {
    let place = this.place.value ?? 1
    while (!stop.aborted && place < this.#last()) {
      this.#move(place)
      await this.#past.show(place)
      if (this.#past.error.value !== null) return this.pause()
      try {
        await wait(FRAME_MS, stop)
      } catch {
        return
      }
      place += strideOf(this.#last())
    }
    if (stop.aborted) return
    this.#move(null)
    this.pause()
  }
}

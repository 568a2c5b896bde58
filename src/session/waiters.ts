// Receives conditions; calls that wait for one resolve when it holds, after a time, or on abort.
// Invariant: a call that has resolved leaves no timer and no listener.

export class Waiters {
  readonly #checks = new Set<() => void>()

  /** Resolves when `isOver` is true at a `check()`, after `ms`, or on abort. */
  async wait(isOver: () => boolean, ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted === true || isOver()) return
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", done)
        this.#checks.delete(check)
        resolve()
      }
      const check = () => {
        if (isOver()) done()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener("abort", done)
      this.#checks.add(check)
    })
  }

  /** Resolves the calls whose condition holds now. */
  check(): void {
    for (const check of this.#checks) check()
  }
}

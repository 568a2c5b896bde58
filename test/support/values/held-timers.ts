// Timers of given durations that fire when a test fires them, and not by the clock: limits that must be over at a known moment.
// Invariant: timers of all other durations take real time, and the global function is restored when the test has ended.
import { onTestFinished, vi } from "vitest"

export interface HeldTimers {
  /** Fires the timers of this duration in milliseconds that are set and have not been cleared. */
  readonly fire: (ms: number) => void
}

/** Call it within a test, before the timers are set. */
export const holdTimers = (...durations: ReadonlyArray<number>): HeldTimers => {
  const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout]
  const held = new Map<unknown, { readonly ms: number; readonly run: () => void }>()
  // Node's function also has `__promisify__`, which nothing uses here.
  const setHeld = ((run: (...args: ReadonlyArray<unknown>) => void, ms?: number, ...args: ReadonlyArray<unknown>) => {
    if (ms === undefined || !durations.includes(ms)) return set(run, ms, ...args)
    // Only identifies it: it never fires by itself.
    const timer = set(() => undefined, 2 ** 31 - 1).unref()
    held.set(timer, { ms, run: () => run(...args) })
    return timer
  }) as typeof setTimeout
  const spies = [
    vi.spyOn(globalThis, "setTimeout").mockImplementation(setHeld),
    vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
      held.delete(timer)
      clear(timer)
    }),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    for (const timer of held.keys()) clear(timer as NodeJS.Timeout) // set above
  })
  return {
    fire: (ms) => {
      // Without those that are set meanwhile.
      const due = [...held].filter(([, one]) => one.ms === ms)
      for (const [timer, one] of due) {
        held.delete(timer)
        clear(timer as NodeJS.Timeout) // set above
        one.run()
      }
    },
  }
}

// Receives the end of a source file's path; counts the open timers that this file has set. Call it after installing fake
// timers: `vi.useRealTimers()` removes it again.
// Invariant: timers of other code do not count. Tests share a process, in which code of an earlier test may still set timers.

type SetTimer = (run: () => void, ms?: number) => unknown
type ClearTimer = (timer: unknown) => void

export const openTimersOf = (file: string): (() => number) => {
  const open = new Set<unknown>()
  const isOwn = (): boolean => new Error().stack?.includes(file) === true
  const timers = globalThis as unknown as Record<string, SetTimer & ClearTimer>
  const watch = (set: "setTimeout" | "setInterval", clear: "clearTimeout" | "clearInterval"): void => {
    const [setTimer, clearTimer]: readonly [SetTimer, ClearTimer] = [timers[set]!, timers[clear]!]
    const wrapped: SetTimer = (run, ms) => {
      const timer = setTimer(() => {
        if (set === "setTimeout") open.delete(timer)
        run()
      }, ms)
      if (isOwn()) open.add(timer)
      return timer
    }
    const cleared: ClearTimer = (timer) => {
      open.delete(timer)
      clearTimer(timer)
    }
    Object.assign(globalThis, { [set]: wrapped, [clear]: cleared })
  }
  watch("setTimeout", "clearTimeout")
  watch("setInterval", "clearInterval")
  return () => open.size
}

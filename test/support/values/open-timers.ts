// Receives the end of a source file's path; counts the timers that this file has set and that are still open.
// Call it once fake timers are in place: `vi.useRealTimers()` takes it away again.
// Invariant: timers of other code do not count. Tests share a process, and what an earlier one began may still set some.

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

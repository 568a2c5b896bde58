// Measures work by the processor time of this process, which other programs on the machine do not change.

/** Starts a measurement; the returned function returns the milliseconds of processor time since then. */
export const cpuTime = (): (() => number) => {
  const started = process.cpuUsage()
  return () => process.cpuUsage(started).user / 1000
}

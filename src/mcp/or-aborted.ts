// Waits for a promise until a signal aborts.

/** The promise's outcome, or a rejection with `why` when the signal aborts first. The promise itself continues. */
export const orAborted = <A>(promise: Promise<A>, signal: AbortSignal, why: Error): Promise<A> => {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(why)
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener("abort", abort))
}

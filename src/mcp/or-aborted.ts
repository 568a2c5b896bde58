// A promise for which nothing waits longer than a signal says.

/** Rejects with `why` when the signal aborts first; the outcome of the promise is then dropped. */
export const orAborted = <A>(promise: Promise<A>, signal: AbortSignal, why: Error): Promise<A> => {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(why)
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener("abort", abort))
}

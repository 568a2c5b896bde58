// The server's time, for times that are compared with those of the server: the clock of the browser may be wrong.
// Invariant: a clock that differs by less than a minute counts as right, so that a slow response changes nothing.
import { signal } from "@preact/signals"

const TOLERATED_MS = 60_000

/** Milliseconds by which the server's clock is ahead of the browser's. */
const ahead = signal(0)

/** Call it for each response with its `date` header, and the time of the browser when it arrived. */
export const noteServerTime = (date: string | null, now: number): void => {
  const difference = Date.parse(date ?? "") - now
  if (Number.isNaN(difference)) return
  const next = Math.abs(difference) < TOLERATED_MS ? 0 : difference
  // A further response differs by the time that it took.
  if (Math.abs(next - ahead.peek()) >= TOLERATED_MS) ahead.value = next
}

/** Milliseconds since 1970. */
export const serverNow = (): number => Date.now() + ahead.value

// Receives a failed attempt; returns when the delivery is attempted again. Has the time after which a webhook is disabled.
// Invariant: attempts end within a day of the offer; every pause is bounded, whatever the receiver asks for.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses between attempts: eleven attempts in about 23.7 hours. */
const PAUSES_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
]
/** A delivery is given up this long after its event was offered. */
export const GIVE_UP_AFTER_MS = 24 * HOUR
/** A webhook is disabled when all of its attempts have failed for this long. */
export const DISABLE_AFTER_MS = 72 * HOUR
/** A pause is up to a tenth longer, so that deliveries that failed together are not retried together. */
const JITTER = 0.1

export interface Failed {
  /** The number of attempts so far, including the failed one. */
  readonly attempts: number
  /** When the event was offered, in milliseconds since 1970. */
  readonly createdAt: number
  readonly now: number
  /** The pause that the receiver asked for, in milliseconds. */
  readonly retryAfterMs: number | null
  /** A random number from 0 to 1, for the jitter. */
  readonly random: number
}

/** When to try again, in milliseconds since 1970; null when the delivery is given up. */
export const nextAttempt = ({ attempts, createdAt, now, retryAfterMs, random }: Failed): number | null => {
  const pause = PAUSES_MS[attempts - 1]
  if (pause === undefined) return null
  const at = now + Math.max(pause * (1 + JITTER * random), Math.min(retryAfterMs ?? 0, HOUR))
  return at - createdAt > GIVE_UP_AFTER_MS ? null : Math.round(at)
}

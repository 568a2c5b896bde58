// How long a model request may take: until its answer starts, from one event to the next, and in total.
// Receives the options of a turn; returns the limits of its next request.
// Invariant: every request ends within its limits, whatever the model's server sends or withholds. A ping does not count as
// an event.

/** The limit that a request exceeded. `total` is that of a step, over all its tries. */
export type TimedOut = "first_byte" | "idle" | "total"

export interface ModelTimeouts {
  /** Milliseconds until the headers of the answer. */
  readonly firstByteMs: number
  /** Milliseconds between two events of the answer, pings left out; for an answer that is not streamed, until its end. */
  readonly idleMs: number
  /**
   * When the step must have its answer, in milliseconds since 1970. Calls postpone it by the time during which the machine was
   * suspended.
   */
  until: number
}

/** The defaults of the options. */
const FIRST_BYTE_MS = 300_000
const IDLE_MS = 300_000
const TOTAL_MS = 3_600_000

export interface TimeoutOptions {
  readonly model_first_byte_timeout_ms?: number
  readonly model_idle_timeout_ms?: number
  readonly model_timeout_ms?: number
}

/** The limits of a step that starts at `now` (milliseconds since 1970). */
export const timeoutsOf = (options: TimeoutOptions, now: number): ModelTimeouts => ({
  firstByteMs: options.model_first_byte_timeout_ms ?? FIRST_BYTE_MS,
  idleMs: options.model_idle_timeout_ms ?? IDLE_MS,
  until: now + (options.model_timeout_ms ?? TOTAL_MS),
})

export const DEFAULT_TIMEOUTS: ModelTimeouts = {
  firstByteMs: FIRST_BYTE_MS,
  idleMs: IDLE_MS,
  until: Number.POSITIVE_INFINITY,
}

/** As the official SDK: a request that timed out is sent once more, not ten times. */
export const MAX_TIMEOUT_RETRIES = 1

/** The message for clients when a request exceeds a limit; it names the option that sets the limit. */
export const TIMED_OUT_TEXT: Readonly<Record<TimedOut, string>> = {
  first_byte:
    "The model's server did not start to respond in time. options.model_first_byte_timeout_ms sets how long it may take.",
  idle: "The model's server sent no part of its answer for too long. options.model_idle_timeout_ms sets how long it may take.",
  total: "The model's answer was not complete in time. options.model_timeout_ms sets how long it may take in all.",
}

// What every harness that asks a model over the network can be set to.

/** Milliseconds. */
export interface HarnessTimeouts {
  /** Until the answer begins; 300,000 when it is not set. */
  readonly firstByteMs?: number
  /** Between two pieces of an answer; 300,000 when it is not set. */
  readonly idleMs?: number
  /** For an answer with all retries of its request; 3,600,000 when it is not set. */
  readonly totalMs?: number
}

export interface AskingOptions {
  /** How often a request is sent again at most: after rate limits, overload, failures of the server and lost connections. 10 when it is not set. */
  readonly maxRetries?: number
  readonly timeouts?: HarnessTimeouts
}

// The options that all harnesses for models over the network share.

/** All in milliseconds. */
export interface HarnessTimeouts {
  /** Until the answer starts. Default: 300,000. */
  readonly firstByteMs?: number
  /** Between two pieces of an answer. Default: 300,000. */
  readonly idleMs?: number
  /** For an answer, including all retries of its request. Default: 3,600,000. */
  readonly totalMs?: number
}

export interface AskingOptions {
  /** Maximum retries of a request, after rate limits, overload, failures of the server and lost connections. Default: 10. */
  readonly maxRetries?: number
  readonly timeouts?: HarnessTimeouts
}

// The callback of a browser from an authorization server, as a session's Durable Object receives it, and its outcome.

export interface OAuthCallback {
  readonly nonce: string
  /** Absent when the user, or the server, refused. */
  readonly code?: string
  readonly issuer?: string
}

/** `unknown`: the state was used before or has expired, or its ask is settled. */
export type CallbackOutcome = "authorized" | "declined" | "failed" | "unknown"

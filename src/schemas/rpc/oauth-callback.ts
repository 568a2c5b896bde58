// What a browser brings back from an authorization server, as a session's Durable Object gets it, and what came of it.

export interface OAuthCallback {
  readonly nonce: string
  /** Absent when the user, or the server, refused. */
  readonly code?: string
  readonly issuer?: string
}

/** `unknown`: the state was used before, has expired, or its question is settled. */
export type CallbackOutcome = "authorized" | "declined" | "failed" | "unknown"

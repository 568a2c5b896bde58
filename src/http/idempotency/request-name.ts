// Receives a request; returns its Idempotency-Key and a hash of its content.
import * as Effect from "effect/Effect"
import { fingerprint } from "../bodies/body.ts"
import { type ApiError, invalidRequest } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"

/** The header that marks an answer as that of an earlier request with the same Idempotency-Key. */
export const REPLAYED = { "idempotent-replayed": "true" } as const

/** The `Idempotency-Key` header, or null. Fails unless it has 1 to 255 characters. */
export const idempotencyKey = ({ request }: Caller): Effect.Effect<string | null, ApiError> => {
  const key = request.headers.get("idempotency-key")
  return key !== null && (key === "" || key.length > 255)
    ? Effect.fail(invalidRequest("Idempotency-Key must have 1 to 255 characters", "Idempotency-Key"))
    : Effect.succeed(key)
}

/** The SHA-256 of the content of a request; `what` keeps requests to different routes apart. */
export const hashOf = (what: string, body: unknown): Effect.Effect<string> => Effect.sync(() => fingerprint(what, body))

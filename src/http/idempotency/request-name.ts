// Receives a request; returns the key that names it and a hash of what it asks for.
import * as Effect from "effect/Effect"
import { fingerprint } from "../bodies/body.ts"
import { type ApiError, invalidRequest } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"

/** Marks an answer as the outcome of a request that was carried out before. */
export const REPLAYED = { "idempotent-replayed": "true" } as const

/** The `Idempotency-Key` header, or null. */
export const idempotencyKey = ({ request }: Caller): Effect.Effect<string | null, ApiError> => {
  const key = request.headers.get("idempotency-key")
  return key !== null && (key === "" || key.length > 255)
    ? Effect.fail(invalidRequest("Idempotency-Key must have 1 to 255 characters", "Idempotency-Key"))
    : Effect.succeed(key)
}

/** A hash of what a request asks for. */
export const hashOf = (what: string, body: unknown): Effect.Effect<string> => Effect.sync(() => fingerprint(what, body))

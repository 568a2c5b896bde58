// Receives a request; returns its Idempotency-Key, a hash of its content, and the id of what it creates.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { fingerprint } from "../bodies/body.ts"
import { type ApiError, invalidField } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { uuidV7, uuidV8 } from "../../schemas/ids.ts"

/** The header that marks an answer as that of an earlier request with the same Idempotency-Key. */
export const REPLAYED = { "idempotent-replayed": "true" } as const

/**
 * The `Idempotency-Key` header, or null. Fails unless it has 1 to 255 characters and was sent once: two headers, of which one
 * may differ in a repetition, arrive joined with a comma and a space.
 */
export const idempotencyKey = ({ request }: Caller): Effect.Effect<string | null, ApiError> => {
  const key = request.headers.get("idempotency-key")
  return key !== null && (key === "" || key.length > 255 || key.includes(", "))
    ? Effect.fail(invalidField("Idempotency-Key", "must have 1 to 255 characters without `, `, and be sent once"))
    : Effect.succeed(key)
}

/** The SHA-256 of the content of a request; `what` keeps requests to different routes apart. */
export const hashOf = (what: string, body: unknown): Effect.Effect<string> => Effect.sync(() => fingerprint(what, body))

/**
 * The fingerprint of a request that creates something, as a field. A key from which the id (`named`) does not derive is part of
 * it, since requests with other keys may name the same id.
 */
export const createdFingerprint = (
  key: string | null,
  what: string,
  body: { readonly id?: string | undefined },
): { readonly fingerprint?: string } => {
  if (key === null) return {}
  const hash = fingerprint(what, body)
  return { fingerprint: body.id === undefined ? hash : `${hash}.${fingerprint("key", key)}` }
}

/**
 * The id of what a request creates: a new one, or with an Idempotency-Key the one that derives from it, so that a repeated
 * request names the same thing. `kind` and `place` keep the ids of different things apart.
 */
export const createdId = Effect.fnUntraced(function* (
  { tenant }: Caller,
  key: string | null,
  kind: string,
  ...place: ReadonlyArray<string>
) {
  if (key !== null) return yield* Effect.promise(() => uuidV8(kind, tenant, ...place, key))
  return uuidV7(yield* Clock.currentTimeMillis)
})

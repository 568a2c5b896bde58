// Receives a decoded request of a route that runs once per Idempotency-Key; returns its answer, or the stored one.
// Invariants: the answer is stored encrypted and only for the API key that sent the request; a refused request leaves its
// Idempotency-Key free; one that failed on the server or was cut off may run again, under the same creation id.
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { ERROR_STATUS, OTHER_REQUEST } from "../../schemas/errors/rpc-error.ts"
import { answerRequest, claimRequest, forgetRequest, type Lease, releaseRequest } from "../../store/named-requests.ts"
import { seal, unseal } from "../../store/seal.ts"
import { rootKey } from "../auth/auth.ts"
import { ApiError, fromStore, unexpected } from "../errors/errors.ts"
import type { Caller, Handler } from "../handle.ts"
import type { Input, Route } from "../route.ts"
import { hashOf, idempotencyKey, REPLAYED } from "./request-name.ts"

const RETRY_SECONDS = 5

const Answered = Schema.fromJsonString(Schema.Struct({ status: Schema.Int, body: Schema.Json }))
const decodeAnswered = Schema.decodeUnknownEffect(Answered)
const encodeAnswered = Schema.encodeUnknownEffect(Answered)

/** Runs a request; with an Idempotency-Key only once, and its answer is kept for a day. */
export const answerOnce = Effect.fnUntraced(function* <P, Q, B>(
  row: Route<P, Q, B>,
  input: Input<P, Q, B>,
  caller: Caller,
  handler: Handler<P, Q, B>,
): Effect.fn.Return<Response, ApiError> {
  const key = yield* idempotencyKey(caller)
  const { env, tenant, principal } = caller
  if (key === null || principal === null) return yield* handler(input, caller)
  const name = yield* hashOf("request", [principal.keyId, key])
  const lease: Lease = { tenant, name, lease: crypto.randomUUID() }
  const fingerprint = yield* hashOf(row.id, input)
  const now = yield* Clock.currentTimeMillis
  const claim = { ...lease, fingerprint, creationId: caller.creationId, now }
  const claimed = yield* fromStore(claimRequest(env.DB, claim))
  if (claimed.state === "other") return yield* otherRequest
  if (claimed.state === "pending") return yield* stillPending
  if (claimed.state === "answered") return yield* replay(claimed.sealed, caller)
  const exit = yield* Effect.exit(handler(input, { ...caller, creationId: claimed.creationId }))
  if (Exit.isSuccess(exit)) yield* keep(exit.value, lease, caller)
  else yield* giveUp(exit.cause, lease, caller)
  return yield* exit
})

const otherRequest = Effect.fail(new ApiError(OTHER_REQUEST.error))

const stillPending = Effect.fail(
  new ApiError({
    type: "conflict_error",
    message: "The first request with this Idempotency-Key is still in progress. Send it again in a few seconds.",
    retry_after: RETRY_SECONDS,
  }),
)

const replay = Effect.fnUntraced(function* (
  sealed: string,
  { env, tenant }: Caller,
): Effect.fn.Return<Response, ApiError> {
  const root = yield* rootKey(env)
  const opened = yield* Effect.exit(Effect.tryPromise(() => unseal(root, tenant, sealed)))
  if (Exit.isFailure(opened)) {
    return yield* new ApiError({
      type: "conflict_error",
      message:
        "The request was executed, but its response can't be decrypted because the root key has changed. List what the request created, and use another Idempotency-Key.",
    })
  }
  const { status, body } = yield* Effect.orDie(decodeAnswered(opened.value))
  return Response.json(body, { status, headers: REPLAYED })
})

/** Stores the answer. When that fails, the client still gets it, since a secret in it exists nowhere else. */
const keep = Effect.fnUntraced(function* (response: Response, lease: Lease, { env, requestId, route }: Caller) {
  const stored = yield* Effect.exit(
    Effect.gen(function* () {
      const root = yield* rootKey(env)
      const body = yield* Effect.promise(() => response.clone().json())
      const text = yield* encodeAnswered({ status: response.status, body })
      const sealed = yield* Effect.promise(() => seal(root, lease.tenant, text))
      yield* answerRequest(env.DB, lease, sealed)
    }),
  )
  if (Exit.isFailure(stored)) unexpected(Cause.squash(stored.cause), { requestId, route })
})

const giveUp = Effect.fnUntraced(function* (cause: Cause.Cause<ApiError>, lease: Lease, { env }: Caller) {
  const error = Cause.squash(cause)
  const refused = error instanceof ApiError && ERROR_STATUS[error.type] < 500
  // When D1 can't be reached the lease expires by itself.
  yield* Effect.exit((refused ? forgetRequest : releaseRequest)(env.DB, lease))
})

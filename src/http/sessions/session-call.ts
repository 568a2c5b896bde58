// Calls a session's Durable Object; returns its value, or its error as an `ApiError`.
// Invariant: the object's name begins with the caller's own tenant, so that no id reaches another tenant's session.
import { Effect } from "effect"
import type { Env, SessionStub } from "../../schemas/env.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import { ApiError, fromRpc } from "../errors/errors.ts"
import { isStorageFull, storageFull } from "../errors/storage-full.ts"

const RETRY_MS = [50, 250, 1000] as const

export const sessionStub = (env: Env, tenant: string, id: string): SessionStub =>
  env.SESSIONS.getByName(`${tenant}/${id}`)

/** Calls once. For what must not be done twice. */
export const callOnce = <A>(
  stub: SessionStub,
  call: (stub: SessionStub) => Promise<RpcResult<A>>,
): Effect.Effect<A, ApiError> =>
  Effect.flatMap(
    rpc(() => call(stub)),
    fromRpc,
  )

/** Calls again, on a fresh stub, when the platform says that the object was moved or restarted. */
export const callSession = Effect.fnUntraced(function* <A>(
  stub: () => SessionStub,
  call: (stub: SessionStub) => Promise<RpcResult<A>>,
) {
  for (const pause of RETRY_MS) {
    const answer = yield* Effect.result(rpc(() => call(stub())))
    if (answer._tag === "Success") return yield* fromRpc(answer.success)
    if (answer.failure.type !== "api_error") return yield* answer.failure
    yield* Effect.sleep(pause)
  }
  return yield* Effect.flatMap(
    rpc(() => call(stub())),
    fromRpc,
  )
})

/** Failures of the platform that a caller can act on are errors; all other exceptions are defects. */
const rpc = <A>(call: () => Promise<RpcResult<A>>): Effect.Effect<RpcResult<A>, ApiError> =>
  Effect.tryPromise({ try: call, catch: (cause) => cause }).pipe(
    Effect.catch((cause) => {
      if (flag(cause, "overloaded")) {
        return Effect.fail(
          new ApiError({ type: "overloaded_error", message: "The session is overloaded. Try again later." }),
        )
      }
      if (isStorageFull(cause)) return Effect.fail(storageFull())
      if (flag(cause, "retryable") || flag(cause, "durableObjectReset") || isPlatformFault(cause)) {
        return Effect.fail(new ApiError({ type: "api_error", message: "The session was restarted. Try again." }))
      }
      return Effect.die(cause)
    }),
  )

/** What workerd says instead of a fault of its own, a write that failed on the disk for instance. */
const isPlatformFault = (cause: unknown): boolean => cause instanceof Error && /internal error; ref/.test(cause.message)

const flag = (cause: unknown, name: string): boolean =>
  typeof cause === "object" && cause !== null && name in cause && (cause as Record<string, unknown>)[name] === true // `in` checked

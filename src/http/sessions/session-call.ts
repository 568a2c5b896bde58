// Calls a method of a session's Durable Object; returns its value, or its error as an `ApiError`.
// Invariant: the object's name starts with the caller's own tenant, so that no id reaches another tenant's session.
import * as Effect from "effect/Effect"
import type { Env, SessionStub } from "../../schemas/env.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { SessionRpc } from "../../schemas/rpc/session-rpc.ts"
import type { SessionObject } from "../../session/session-object.ts"
import { ApiError, fromRpc } from "../errors/errors.ts"
import { isStorageFull, storageFull } from "../errors/storage-full.ts"

const RETRY_MS = [50, 250, 1000] as const

/** Properties of `Class` with other types. As a mapped type it keeps "go to definition" pointing at the class. */
type Declared<Class, Names extends keyof Class, Types extends Readonly<Record<Names, unknown>>> = {
  readonly [Name in Names]: Types[Name]
}

/** A session's object as routes call it: the methods of `SessionObject`, with the actor required, and its `fetch`. */
export type SessionCalls = Declared<SessionObject, keyof SessionRpc, SessionStub> & Pick<SessionStub, "fetch">

/** Returns a fresh stub of a tenant's session at each call. */
export type Sessions = (id: string) => SessionCalls

export const sessionsOf =
  (env: Env, tenant: string): Sessions =>
  (id) =>
    env.SESSIONS.getByName(`${tenant}/${id}`)

/** Calls one method of a session's object. */
type Call<A> = (stub: SessionCalls) => Promise<RpcResult<A>>

/** Calls once, without retries. For calls that must not run twice. */
export const callOnce = <A>(sessions: Sessions, id: string, call: Call<A>): Effect.Effect<A, ApiError> =>
  Effect.flatMap(
    rpc(() => call(sessions(id))),
    fromRpc,
  )

/** Calls, and retries on a fresh stub when the platform reports that the object was moved or restarted. */
export const callSession = Effect.fnUntraced(function* <A>(sessions: Sessions, id: string, call: Call<A>) {
  for (const pause of RETRY_MS) {
    const answer = yield* Effect.result(rpc(() => call(sessions(id))))
    if (answer._tag === "Success") return yield* fromRpc(answer.success)
    if (answer.failure.type !== "api_error") return yield* answer.failure
    yield* Effect.sleep(pause)
  }
  return yield* callOnce(sessions, id, call)
})

/** Converts failures of the platform that a caller can act on to errors; all other exceptions are defects. */
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

/** Whether workerd reports an internal fault, such as a failed write to the disk, whose details it hides. */
const isPlatformFault = (cause: unknown): boolean => cause instanceof Error && /internal error; ref/.test(cause.message)

const flag = (cause: unknown, name: string): boolean =>
  typeof cause === "object" && cause !== null && name in cause && (cause as Record<string, unknown>)[name] === true // `in` checked

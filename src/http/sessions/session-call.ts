// Calls a method of a session's Durable Object; returns its value, or its error as an `ApiError`.
// Invariant: the object's name starts with the caller's own tenant, so that no id reaches another tenant's session.
import * as Effect from "effect/Effect"
import type { Env, SessionStub } from "../../schemas/env.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { SessionRpc } from "../../schemas/rpc/session-rpc.ts"
import type { Submitted } from "../../schemas/rpc/turns.ts"
import type { SessionObject } from "../../session/session-object.ts"
import { type ApiError, fromRpc } from "../errors/errors.ts"
import { callObject, fromObject } from "../object-call.ts"

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
  callObject("session", () => call(sessions(id)))

/** Calls, and retries on a fresh stub when the platform reports that the object was moved or restarted. */
export const callSession = Effect.fnUntraced(function* <A>(sessions: Sessions, id: string, call: Call<A>) {
  for (const pause of RETRY_MS) {
    const answer = yield* Effect.result(fromObject("session", () => call(sessions(id))))
    if (answer._tag === "Success") return yield* fromRpc(answer.success)
    if (answer.failure.type !== "api_error") return yield* answer.failure
    yield* Effect.sleep(pause)
  }
  return yield* callOnce(sessions, id, call)
})

type Submission = Parameters<SessionCalls["submit"]>[0]

/** Submits `args`. If the session does not exist, submits `creating` instead, which creates the session with its prompt. */
export const submitOrCreate = (
  sessions: Sessions,
  id: string,
  args: Submission,
  creating: Submission,
): Effect.Effect<Submitted, ApiError> =>
  Effect.catch(
    callSession(sessions, id, (stub) => stub.submit(args)),
    (error) =>
      error.type === "not_found_error"
        ? callSession(sessions, id, (stub) => stub.submit(creating))
        : Effect.fail(error),
  )

/** True when the call succeeds, false when there is no such thing. */
export const isFound = (call: Effect.Effect<unknown, ApiError>): Effect.Effect<boolean, ApiError> =>
  call.pipe(
    Effect.as(true),
    Effect.catch((error) => (error.type === "not_found_error" ? Effect.succeed(false) : Effect.fail(error))),
  )

// The four routes of opencode's fork on the Claude Agent SDK: short forms of routes under /v1.
// Invariant: a prompt is answered with `{ok: true}` once it is in the session's log; a fault of the request itself is answered
// with its status, and a later failure is recorded in the log.
import * as Effect from "effect/Effect"
import { sessionOf, type SdkStart, turnOf } from "../../../schemas/api/opencode/sdk-bodies.ts"
import { isUuid } from "../../../schemas/ids.ts"
import { contract } from "../../contract/contract.ts"
import { type ApiError, invalidField } from "../../errors/errors.ts"
import { acting, type App, type Caller, handle, json } from "../../handle.ts"
import { createdId, hashOf, idempotencyKey } from "../../idempotency/request-name.ts"
import { callOnce, callSession, submitOrCreate } from "../../sessions/session-call.ts"
import { newSession } from "../../sessions/session-opening.ts"
import { turnHeaders } from "../turn-routes.ts"

const OK = { ok: true }

export const opencodeRoutes = (app: App): void => {
  handle(
    app,
    contract.sdkStart,
    Effect.fnUntraced(function* ({ body }, caller) {
      const id = yield* sessionId(caller, body.sessionID)
      if (body.resume !== undefined && (yield* sessionId(caller, body.resume)) !== id) {
        const message =
          "differs from sessionID. Copy that session with POST /v1/sessions/{id}/fork, and send the prompt to the copy."
        return yield* invalidField("resume", message)
      }
      const { turn_id, replayed } = yield* start(caller, id, body)
      return json(200, OK, turnHeaders(id, turn_id, replayed))
    }),
  )

  handle(
    app,
    contract.sdkInterrupt,
    Effect.fnUntraced(function* ({ body }, caller) {
      yield* callSession(caller.session, yield* sessionId(caller, body.sessionID), (stub) => stub.interrupt())
      return json(200, OK)
    }),
  )

  handle(
    app,
    contract.sdkRewind,
    Effect.fnUntraced(function* ({ body: { sessionID, messageID } }, caller) {
      const id = yield* sessionId(caller, sessionID)
      const own = yield* Effect.promise(() => turnOf(caller.tenant, id, messageID))
      const rewind = (user_message_id: string) =>
        callOnce(caller.session, id, (stub) => stub.rewind({ user_message_id }))
      // An id that was not sent with a prompt may be an id under which the session's messages are shown.
      yield* Effect.catch(rewind(own), (error): Effect.Effect<unknown, ApiError> =>
        error.type === "not_found_error" && own !== messageID ? rewind(messageID) : Effect.fail(error),
      )
      return json(200, OK)
    }),
  )

  handle(
    app,
    contract.sdkModel,
    Effect.fnUntraced(function* ({ body: { sessionID, model } }, caller) {
      const id = yield* sessionId(caller, sessionID)
      yield* callSession(caller.session, id, (stub) => stub.patch({ model }, caller.actor))
      return json(200, OK)
    }),
  )
}

const sessionId = ({ tenant }: Caller, id: string): Effect.Effect<string> => Effect.promise(() => sessionOf(tenant, id))

/** Submits the prompt to the session, which is created if it does not exist. */
const start = Effect.fnUntraced(function* (caller: Caller, id: string, body: SdkStart) {
  const { prompt, variant, resume, messageID } = body
  const args = {
    turn: yield* turnId(caller, id, body),
    prompt,
    onBusy: "queue" as const,
    options: variant === undefined ? {} : { variant },
    ...(messageID === undefined || isUuid(messageID) ? {} : { messageID }),
    fingerprint: yield* hashOf("sdk/start", { prompt, variant: variant ?? null }),
    origin: new URL(caller.request.url).origin,
    ...acting(caller),
  }
  if (resume !== undefined) return yield* callSession(caller.session, id, (stub) => stub.submit(args))
  // The new session depends only on its id, so it does not matter which request creates it.
  const create = { session: newSession({}), fingerprint: yield* hashOf("sdk/session", { id }), ...acting(caller) }
  return yield* submitOrCreate(caller.session, id, args, { ...args, create })
})

const turnId = Effect.fnUntraced(function* (caller: Caller, id: string, { messageID }: SdkStart) {
  if (messageID !== undefined) return yield* Effect.promise(() => turnOf(caller.tenant, id, messageID))
  return yield* createdId(caller, yield* idempotencyKey(caller), "turn", id)
})

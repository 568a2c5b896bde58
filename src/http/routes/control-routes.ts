// The routes by which a client steers a turn: stop it, see what it asks, answer.
import * as Effect from "effect/Effect"
import { contract } from "../contract/contract.ts"
import { type App, handle, json } from "../handle.ts"
import { callSession } from "../sessions/session-call.ts"

export const controlRoutes = (app: App): void => {
  handle(
    app,
    contract.interrupt,
    Effect.fnUntraced(function* ({ params }, { session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.interrupt()))
    }),
  )

  handle(
    app,
    contract.listPermissions,
    Effect.fnUntraced(function* ({ params }, { session }) {
      return json(200, {
        pending: yield* callSession(session, params.id, (stub) => stub.asks()),
      })
    }),
  )

  handle(
    app,
    contract.answerPermission,
    Effect.fnUntraced(function* ({ params, body }, { actor, session }) {
      const answer = yield* callSession(session, params.id, (stub) =>
        stub.answer(params.request_id, { ...body }, actor),
      )
      return json(200, answer)
    }),
  )
}

// The routes with which a client controls a turn: interrupt it, list its asks, answer them.
import * as Effect from "effect/Effect"
import { contract } from "../contract/contract.ts"
import { ApiError } from "../errors/errors.ts"
import { storeApprovals } from "./definitions/permission-routes.ts"
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
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const { actor, principal, session } = caller
      const forTenant = "scope" in body && body.scope === "tenant"
      if (forTenant && principal?.scopes.includes("sessions:write") !== true) {
        const message =
          "To save a permission for the whole tenant a key needs the scope sessions:write. Leave out `scope`."
        return yield* new ApiError({ type: "permission_error", message, field: "scope" })
      }
      const { saved = [], ...answer } = yield* callSession(session, params.id, (stub) =>
        stub.answer(params.request_id, { ...body }, actor),
      )
      if (saved.length > 0) yield* storeApprovals(caller, saved)
      return json(200, answer)
    }),
  )
}

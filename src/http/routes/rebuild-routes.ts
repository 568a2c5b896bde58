// The route that rebuilds the rows of sessions in D1: of one session, or of a page of a tenant's sessions.
// Invariant: only the root key may call it, and a page lists the sessions that the tenant's object counts, whatever D1 has.
import * as Effect from "effect/Effect"
import { contract } from "../contract/contract.ts"
import { ApiError } from "../errors/errors.ts"
import { type App, handle, json } from "../handle.ts"
import { fromObject } from "../object-call.ts"
import { callSession, sessionsOf } from "../sessions/session-call.ts"

const PAGE = 10

export const rebuildRoutes = (app: App): void => {
  handle(
    app,
    contract.rebuildRows,
    Effect.fnUntraced(function* ({ body }, { env, principal }) {
      if (principal?.root !== true) {
        return yield* new ApiError({ type: "permission_error", message: "Only the root key may rebuild rows" })
      }
      const rebuilt = (id: string) => callSession(sessionsOf(env, body.tenant), id, (stub) => stub.rebuild())
      if (body.session !== undefined) {
        const { session } = body
        return json(200, { data: [{ session, rows: yield* rebuilt(session) }], next_cursor: null })
      }
      const { ids, next } = yield* fromObject("tenant's object", () =>
        env.TENANTS.getByName(body.tenant).sessions({ after: body.cursor ?? "", limit: body.limit ?? PAGE }),
      )
      const data = []
      for (const session of ids) {
        const rows = yield* Effect.catch(rebuilt(session), (error) =>
          // The session was erased meanwhile, or never created.
          error.type === "not_found_error" ? Effect.succeed(null) : Effect.fail(error),
        )
        data.push({ session, rows })
      }
      return json(200, { data, next_cursor: next })
    }),
  )
}

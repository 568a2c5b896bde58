// The route that writes the rows of sessions in D1 anew: one session, or a page of a tenant's.
// Invariant: only the root key may, and a page names the sessions as the tenant's object counts them, whatever D1 has.
import * as Effect from "effect/Effect"
import { contract } from "../contract/contract.ts"
import { ApiError } from "../errors/errors.ts"
import { type App, handle, json } from "../handle.ts"
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
      const tenant = env.TENANTS.getByName(body.tenant)
      const { ids, next } = yield* Effect.promise(() =>
        tenant.sessions({ after: body.cursor ?? "", limit: body.limit ?? PAGE }),
      )
      const data = []
      for (const session of ids) {
        const rows = yield* Effect.catch(rebuilt(session), (error) =>
          // It was erased meanwhile, or never made.
          error.type === "not_found_error" ? Effect.succeed(null) : Effect.fail(error),
        )
        data.push({ session, rows })
      }
      return json(200, { data, next_cursor: next })
    }),
  )
}

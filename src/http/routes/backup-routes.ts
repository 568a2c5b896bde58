// The routes of backups: which sessions a tenant has, the pages of one, and the way back.
// Invariant: the root key reaches every tenant's sessions, any other key its own tenant's alone.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { BackupPage } from "../../schemas/api/backup.ts"
import { exportedSessions } from "../../store/exported-sessions.ts"
import { tenantToRead } from "./admin-routes.ts"
import { readBytes } from "../bodies/body.ts"
import { contract } from "../contract/contract.ts"
import { fromStore, invalidRequest } from "../errors/errors.ts"
import { type App, type Caller, handle, json } from "../handle.ts"
import { callOnce, callSession, sessionsOf } from "../sessions/session-call.ts"

/** A page is at most 4 MiB; one that was written with more spaces may be longer. */
const PAGE_LIMIT = 8 * 1024 * 1024

export const backupRoutes = (app: App): void => {
  handle(
    app,
    contract.exportSessions,
    Effect.fnUntraced(function* ({ query }, caller) {
      const { tenant: asked, cursor: after = "", limit = 200 } = query
      const tenant = yield* ownTenant(caller, asked)
      const { ids: counted } = yield* Effect.promise(() =>
        caller.env.TENANTS.getByName(tenant).sessions({ after, limit: limit + 1 }),
      )
      const data = yield* fromStore(exportedSessions(caller.env.DB, tenant, { after, limit, counted }))
      return json(200, data)
    }),
  )

  handle(
    app,
    contract.exportSession,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const tenant = yield* ownTenant(caller, query.tenant)
      const page = yield* callSession(sessionsOf(caller.env, tenant), params.id, (session) =>
        session.backupPage(query.cursor ?? null),
      )
      return json(200, page)
    }),
  )

  handle(
    app,
    contract.importSession,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const tenant = yield* ownTenant(caller, query.tenant)
      const page = yield* pageOf(yield* readBytes(caller.request, PAGE_LIMIT))
      const sessions = sessionsOf(caller.env, tenant)
      return json(200, yield* callOnce(sessions, params.id, (session) => session.restorePage(page, caller.actor)))
    }),
  )
}

/** The tenant that is meant: the caller's own when none is named. */
const ownTenant = Effect.fnUntraced(function* ({ principal, tenant }: Caller, asked: string | undefined) {
  if (principal === null) return yield* Effect.die(new Error("an administrator's route has no principal"))
  return (yield* tenantToRead(principal, asked)) ?? tenant
})

const decodePage = Schema.decodeUnknownResult(Schema.fromJsonString(BackupPage))

/** No bound but the body's: rows of a page are many. */
const pageOf = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const page = decodePage(new TextDecoder().decode(bytes))
  if (Result.isSuccess(page)) return page.success
  return yield* invalidRequest(
    "The request body must be a page of a backup, as GET /v1/admin/export/sessions/{id} returns it.",
  )
})

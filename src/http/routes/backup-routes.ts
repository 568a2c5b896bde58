// The routes of backups: list a tenant's sessions, export one in pages, and restore one.
// Invariant: the root key has access to every tenant's sessions, any other key only to its own tenant's.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { BackupPage } from "../../schemas/api/backup.ts"
import { exportedSessions } from "../../store/exported-sessions.ts"
import { adminOf, tenantToRead } from "../auth/administrator.ts"
import { readBytes } from "../bodies/body.ts"
import { contract } from "../contract/contract.ts"
import { fromStore, invalidRequest } from "../errors/errors.ts"
import { type App, type Caller, handle, json } from "../handle.ts"
import { fromObject } from "../object-call.ts"
import { callOnce, callSession, sessionsOf } from "../sessions/session-call.ts"

/** Pages are exported with at most 4 MiB; formatted with more whitespace, a page may be larger. */
const PAGE_LIMIT = 8 * 1024 * 1024

export const backupRoutes = (app: App): void => {
  handle(
    app,
    contract.exportSessions,
    Effect.fnUntraced(function* ({ query }, caller) {
      const { tenant: asked, cursor: after = "", limit = 200 } = query
      const tenant = yield* ownTenant(caller, asked)
      const { ids: counted } = yield* fromObject("tenant's object", () =>
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

/** The tenant that the request names, otherwise the caller's own. */
const ownTenant = Effect.fnUntraced(function* (caller: Caller, asked: string | undefined) {
  return (yield* tenantToRead(yield* adminOf(caller), asked)) ?? caller.tenant
})

const decodePage = Schema.decodeUnknownResult(Schema.fromJsonString(BackupPage))

/** Decodes a page. Its number of rows is limited only by the size of the body. */
const pageOf = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const page = decodePage(new TextDecoder().decode(bytes))
  if (Result.isSuccess(page)) return page.success
  return yield* invalidRequest(
    "The request body must be a page of a backup, as GET /v1/admin/export/sessions/{id} returns it.",
  )
})

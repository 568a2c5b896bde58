// Rows of the route table: backups of sessions.
import * as Schema from "effect/Schema"
import { TenantName } from "../../schemas/api/credentials.ts"
import { BackupPage, ExportedSession, RestoreReport } from "../../schemas/api/backup.ts"
import { UUID } from "../../schemas/ids.ts"
import { route } from "../route.ts"
import { answer, Limit, page, SessionId } from "./parts.ts"

const ForTenant = Schema.optionalKey(TenantName)

/** The cursor is the last session id of a page; the next page starts after it. */
const IdCursor = Schema.optionalKey(
  Schema.String.check(Schema.isPattern(UUID, { message: "must be the next_cursor of a page" })),
)

export const exportSessions = route({
  id: "exportSessions",
  method: "get",
  path: "/v1/admin/export/sessions",
  summary: "List a tenant's sessions for a backup",
  description:
    "All of them, in the order of their ids, erased ones included: a session with `erased_at` must not be restored from an older backup. The root key specifies the `tenant`; a tenant's key lists its own.",
  tag: "admin",
  auth: "admin",
  query: Schema.Struct({ tenant: ForTenant, limit: Limit(1000), cursor: IdCursor }),
  answers: {
    200: answer("A page of ids.", page(ExportedSession)),
  },
  errors: ["permission_error"],
})

export const exportSession = route({
  id: "exportSession",
  method: "get",
  path: "/v1/admin/export/sessions/{id}",
  summary: "Read a page of a session's backup",
  description:
    "Pages of at most 4 MiB: state first, then events, then contents. All pages of one backup have the same `revision`. A session whose state does not fit into one page must not change during the export: if it changes, the next page is a 409, and the export has to start again. `meta` rows are sealed with the server's PERCH_BACKUP_KEY, or its root key.",
  tag: "admin",
  auth: "admin",
  params: SessionId,
  query: Schema.Struct({
    tenant: ForTenant,
    cursor: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(8000))),
  }),
  answers: { 200: answer("The page.", BackupPage) },
  errors: ["permission_error", "conflict_error"],
})

export const importSession = route({
  id: "importSession",
  method: "post",
  path: "/v1/admin/import/sessions/{id}",
  summary: "Restore a page of a session's backup",
  description:
    "The body is a page from `GET /v1/admin/export/sessions/{id}` (at most 8 MiB). Send the pages in order; `next_page` is the one to send next, so an interrupted restore can continue. The session exists once its last page is stored: it keeps its id, and an id that exists or was erased is a 409. A page that this version or its key cannot read is a 422.",
  tag: "admin",
  auth: "admin",
  params: SessionId,
  query: Schema.Struct({ tenant: ForTenant }),
  bytes: true,
  answers: { 200: answer("The progress of the restore.", RestoreReport) },
  errors: ["permission_error", "conflict_error", "unprocessable_error"],
})

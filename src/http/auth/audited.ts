// Writes what a caller did through a route into the audit.
// Invariant: an entry with an id that was written before is the same entry, so that a repeated request has one.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { whoOf } from "../../schemas/access.ts"
import { type AuditAction, type AuditEntry, insertAudit } from "../../store/audit.ts"
import { type ApiError, fromStore } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"

/**
 * `subject` is the id of what was acted on. `more` has the entry's id, which is otherwise random, the tenant, if it is not
 * the caller's, and the session.
 */
export const audited = Effect.fnUntraced(function* (
  { actor, env, tenant }: Caller,
  action: AuditAction,
  subject: string,
  more: Partial<Pick<AuditEntry, "id" | "tenant" | "session_id">> = {},
): Effect.fn.Return<void, ApiError> {
  const at = yield* Clock.currentTimeMillis
  const id = crypto.randomUUID()
  const entry = { tenant, id, at, action, session_id: null, who: whoOf(actor), subject, ...more }
  yield* fromStore(insertAudit(env.DB, [entry]))
})

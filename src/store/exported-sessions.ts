// Receives a tenant and the ids that its object counted; returns a page of its sessions, erased ones with the time of erasure.
// Invariant: every session that D1 or the tenant's object knows is listed once, ordered by id.
import * as Effect from "effect/Effect"
import type { ExportedSession } from "../schemas/api/backup.ts"
import { type Page, pageOf } from "./page-cursor.ts"
import { attempt, type StoreError } from "./store-error.ts"

/** `counted` are the next ids that the tenant's object knows, up to one more than `limit`. */
export const exportedSessions = Effect.fn("store.exportedSessions")(function* (
  db: D1Database,
  tenant: string,
  page: { readonly after: string; readonly limit: number; readonly counted: ReadonlyArray<string> },
): Effect.fn.Return<Page<ExportedSession>, StoreError> {
  const { results } = yield* attempt("exportedSessions", () =>
    db
      .prepare(
        "SELECT session_id, deleted_at FROM sessions WHERE tenant = ?1 AND session_id > ?2 ORDER BY session_id LIMIT ?3",
      )
      .bind(tenant, page.after, page.limit + 1)
      .all<{ session_id: string; deleted_at: string | null }>(),
  )
  const erased = new Map(results.map(({ session_id, deleted_at }) => [session_id, deleted_at]))
  const ids = [...new Set([...erased.keys(), ...page.counted])].toSorted()
  return pageOf(
    ids,
    page.limit,
    (id) => ({ id, erased_at: erased.get(id) ?? null }),
    (last) => last,
  )
})

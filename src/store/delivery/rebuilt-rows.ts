// Receives a session whose rows are being rebuilt: removes its rows from D1, and counts them afterwards.
// Invariant: the tombstone of a deleted session stays, and so do the audit and dead letters, which no log contains completely.
import * as Effect from "effect/Effect"
import type { RebuiltRows } from "../../schemas/api/rebuild.ts"
import { attempt, StoreError } from "../store-error.ts"

const TABLES = ["sessions", "messages", "parts", "costs", "turns", "hook_events"] as const

/** Removes a session's rows in one transaction. */
export const removeRows = (db: D1Database, tenant: string, sessionId: string): Effect.Effect<void, StoreError> =>
  Effect.asVoid(
    attempt("removeRows", () =>
      db.batch(
        TABLES.map((table) =>
          db
            .prepare(
              `DELETE FROM ${table} WHERE tenant = ?1 AND session_id = ?2${table === "sessions" ? " AND deleted_at IS NULL" : ""}`,
            )
            .bind(tenant, sessionId),
        ),
      ),
    ),
  )

const COUNT_SQL = `SELECT ${TABLES.map(
  (table) =>
    `(SELECT COUNT(*) FROM ${table} WHERE tenant = ?1 AND session_id = ?2${table === "sessions" ? " AND deleted_at IS NULL" : ""}) AS ${table}`,
).join(", ")}`

/** Counts a session's rows in D1, by table. */
export const countRows = Effect.fn("store.countRows")(function* (
  db: D1Database,
  tenant: string,
  sessionId: string,
): Effect.fn.Return<RebuiltRows, StoreError> {
  const row = yield* attempt("countRows", () => db.prepare(COUNT_SQL).bind(tenant, sessionId).first<RebuiltRows>())
  return row ?? (yield* new StoreError({ operation: "countRows", message: "D1 returned no counts" }))
})

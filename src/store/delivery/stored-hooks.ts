// Receives hook events as the Queue carries them; writes their rows in D1, or returns which rows D1 lacks.
// Invariant: every writer makes the same row of a hook event; for a deleted session nothing is written or reported as lacking.
import * as Effect from "effect/Effect"
import { attempt, type StoreError } from "../store-error.ts"
import { cutJson } from "./cut-json.ts"
import type { HookMessage } from "./hook-message.ts"
import { insertSql, writeRows } from "./json-rows.ts"

const HOOK_COLUMNS = ["seq", "id", "hook_event_name", "at", "input", "outcome"]
const HOOK_SQL = insertSql("hook_events", { columns: HOOK_COLUMNS, key: ["seq"], conflict: "keep" })

const REVIVED_SQL = `DELETE FROM hook_dead_letters WHERE (tenant, session_id, seq) IN
  (SELECT json_extract(value, '$.tenant'), json_extract(value, '$.session_id'), json_extract(value, '$.seq') FROM json_each(?1))`

/** Writes one row per hook event, and removes the dead letters of redelivered events. Safe to repeat. */
export const storeHookEvents = (
  db: D1Database,
  messages: ReadonlyArray<HookMessage>,
): Effect.Effect<void, StoreError> => {
  const rows = messages.map(({ redelivery: _, ...body }) => ({
    ...body,
    input: cutJson(body.input, body.seq),
    outcome: cutJson(body.outcome, body.seq),
  }))
  const revived = messages.flatMap(({ redelivery, tenant, session_id, seq }) =>
    redelivery === true ? [{ tenant, session_id, seq }] : [],
  )
  return writeRows(db, "storeHookEvents", [
    { sql: HOOK_SQL, rows },
    { sql: REVIVED_SQL, rows: revived },
  ])
}

const MISSING_SQL = `SELECT value AS seq FROM json_each(?3) WHERE NOT EXISTS
    (SELECT 1 FROM hook_events WHERE tenant = ?1 AND session_id = ?2 AND seq = value)
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE tenant = ?1 AND session_id = ?2 AND deleted_at IS NOT NULL)
  ORDER BY value`

/** Returns the seqs among `seqs` whose hook events D1 lacks. One query, whatever their number. */
export const missingHookEvents = Effect.fn("store.missingHookEvents")(function* (
  db: D1Database,
  tenant: string,
  sessionId: string,
  seqs: ReadonlyArray<number>,
): Effect.fn.Return<ReadonlyArray<number>, StoreError> {
  const { results } = yield* attempt("missingHookEvents", () =>
    db.prepare(MISSING_SQL).bind(tenant, sessionId, JSON.stringify(seqs)).all<{ seq: number }>(),
  )
  return results.map(({ seq }) => seq)
})

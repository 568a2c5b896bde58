// The audit in D1: who did what, by ids. Receives entries; returns pages of them.
// Invariant: an entry that is written twice is one row, and no entry contains content, a secret or a hash.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Who } from "../schemas/access.ts"
import { decodeCursor, encodeCursor, pageOf } from "./page-cursor.ts"
import { attempt, StoreError } from "./store-error.ts"

/** The actions that the audit records. */
export const AuditAction = Schema.Literals([
  "session:created",
  "session:forked",
  "session:reopened",
  "session:changed",
  "session:erased",
  "turn:queued",
  "ask:settled",
  "tool:called",
  "key:created",
  "key:rolled",
  "key:revoked",
  "ticket:created",
  "webhook:rotated",
  "webhook:created",
  "webhook:changed",
  "webhook:deleted",
  "run:created",
  "run:deleted",
  "recording:created",
  "recording:deleted",
])
export type AuditAction = typeof AuditAction.Type

/**
 * `id` names the entry within its tenant; `subject` is the id of what was acted on, such as a turn, an ask or a key. `at` is
 * in milliseconds since 1970.
 */
export interface AuditEntry {
  readonly tenant: string
  readonly id: string
  readonly at: number
  readonly action: AuditAction
  readonly session_id: string | null
  readonly who: Who
  readonly subject: string | null
}

const Row = Schema.Struct({
  id: Schema.String,
  tenant: Schema.String,
  at: Schema.Int,
  action: AuditAction,
  session_id: Schema.NullOr(Schema.String),
  /** The key, or `root`; with `ticket_id` the key that made the ticket. */
  key_id: Schema.String,
  ticket_id: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const COLUMNS = Object.keys(Row.fields)
/** The statement that writes rows, as a JSON list. */
export const AUDIT_SQL = `INSERT OR IGNORE INTO audit (${COLUMNS.join(", ")})
  SELECT ${COLUMNS.map((column) => `json_extract(value, '$.${column}')`).join(", ")} FROM json_each(?1)`

/** An entry as a row of the table `audit`. */
export const auditRow = ({ who, ...entry }: AuditEntry) => ({
  ...entry,
  key_id: who.key,
  ticket_id: who.ticket ?? null,
  address: who.address ?? null,
})
export type AuditRow = ReturnType<typeof auditRow>

/** Writes entries; safe to repeat. */
export const insertAudit = (db: D1Database, entries: ReadonlyArray<AuditEntry>) =>
  attempt("insertAudit", () =>
    db
      .prepare(AUDIT_SQL)
      .bind(JSON.stringify(entries.map(auditRow)))
      .run(),
  ).pipe(Effect.asVoid)

/** An entry as the API shows it. */
export const AuditRecord = Schema.Struct({
  ...Row.fields,
  at: Schema.String,
})

export interface AuditQuery {
  /** Entries of all tenants when it is not given. */
  readonly tenant?: string
  readonly session?: string
  /** The id of a key or a ticket. */
  readonly actor?: string
  readonly action?: AuditAction
  readonly cursor?: string
  readonly limit: number
}

/** A page of entries, the newest first. */
export const listAudit = Effect.fn("store.listAudit")(function* (db: D1Database, query: AuditQuery) {
  const [at, id] = query.cursor === undefined ? [null, null] : yield* decodeCursor("audit", query.cursor)
  // The statement has only the filters that were given, so that D1 can use an index for them.
  const filters: ReadonlyArray<readonly [string, ReadonlyArray<string | number>]> = [
    ...(query.tenant === undefined ? [] : [["tenant = ?", [query.tenant]] as const]),
    ...(query.session === undefined ? [] : [["session_id = ?", [query.session]] as const]),
    ...(query.actor === undefined ? [] : [["? IN (key_id, ticket_id)", [query.actor]] as const]),
    ...(query.action === undefined ? [] : [["action = ?", [query.action]] as const]),
    ...(at === null || id === null ? [] : [["(at, id) < (?, ?)", [Number(at), id]] as const]),
  ]
  const where = filters.length === 0 ? "" : `WHERE ${filters.map(([sql]) => sql).join(" AND ")}`
  const { results } = yield* attempt("listAudit", () =>
    db
      .prepare(`SELECT ${COLUMNS.join(", ")} FROM audit ${where} ORDER BY at DESC, id DESC LIMIT ?`)
      .bind(...filters.flatMap(([, values]) => values), query.limit + 1)
      .all(),
  )
  const rows = yield* decodeRows(results).pipe(
    Effect.mapError(() => new StoreError({ operation: "listAudit", message: "an audit row is not readable" })),
  )
  return pageOf(rows, query.limit, toRecord, (last) => encodeCursor("audit", [String(last.at), last.id]))
})

const toRecord = (row: typeof Row.Type): typeof AuditRecord.Type => ({ ...row, at: new Date(row.at).toISOString() })

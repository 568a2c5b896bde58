// Receives a tenant; returns pages of its sessions as D1 knows them, and erases the rows of one.
// Invariant: every statement is bound to the tenant; a deleted session is never listed and never comes back.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SessionInfo } from "../schemas/rpc/session.ts"
import { AUDIT_SQL, type AuditRow } from "./audit.ts"
import { jsonLists } from "./delivery/json-rows.ts"
import { decodeCursor, encodeCursor, type Page, pageOf } from "./page-cursor.ts"
import { attempt, type InvalidCursor, StoreError } from "./store-error.ts"

const Row = Schema.Struct({
  session_id: Schema.String,
  title: SessionInfo.fields.title,
  cwd: Schema.String,
  state: SessionInfo.fields.state,
  model: Schema.String,
  permission_mode: Schema.String,
  options: Schema.fromJsonString(SessionInfo.fields.options),
  metadata: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
  created_at: Schema.String,
  updated_at: Schema.String,
  turns: Schema.Int,
  total_cost_usd: Schema.Finite,
  seq: Schema.Int,
})
const COLUMNS = Object.keys(Row.fields).join(", ")
const ListedRow = Schema.Struct({ ...Row.fields, first_prompt: Schema.NullOr(Schema.String) })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(ListedRow))

const MAX_PROMPT = 200
/** Reads only two or three rows, because the first message of a session is a prompt: `CROSS` keeps the order of the tables. */
export const FIRST_PROMPT = `SELECT substr(json_extract(part, '$.text'), 1, ${MAX_PROMPT}) FROM messages
    CROSS JOIN parts USING (tenant, session_id)
    WHERE tenant = sessions.tenant AND session_id = sessions.session_id AND role = 'user'
      AND message_position = messages.position AND type = 'text' AND coalesce(json_extract(part, '$.synthetic'), 0) = 0
    ORDER BY messages.position, parts.position LIMIT 1`
const FIRST = { desc: ["9", ""], asc: ["", ""] } as const
/** The list's name in its cursors, by order: a cursor of one order is refused in the other. */
const LIST = { desc: "sessions", asc: "sessions asc" } as const

/**
 * Sessions by creation, newest first unless `order` is given. The caller must bound `limit`. A list is as
 * fresh as the last delivery, and shows long options and metadata shortened: the session itself has the whole.
 */
export const listSessions = Effect.fn("store.listSessions")(function* (
  db: D1Database,
  tenant: string,
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly order?: "asc" | "desc" | undefined },
): Effect.fn.Return<Page<SessionInfo>, StoreError | InvalidCursor> {
  const order = page.order ?? "desc"
  const [createdAt, id] = page.cursor === undefined ? FIRST[order] : yield* decodeCursor(LIST[order], page.cursor)
  const sql = `SELECT ${COLUMNS}, (${FIRST_PROMPT}) AS first_prompt FROM sessions
      WHERE tenant = ?1 AND deleted_at IS NULL AND (created_at, session_id) ${order === "desc" ? "<" : ">"} (?2, ?3)
      ORDER BY created_at ${order}, session_id ${order} LIMIT ?4`
  const found = yield* attempt("listSessions", () =>
    db
      .prepare(sql)
      .bind(tenant, createdAt, id, page.limit + 1)
      .all(),
  )
  const rows = yield* decodeRows(found.results).pipe(
    Effect.mapError(() => new StoreError({ operation: "listSessions", message: "a session's row is not readable" })),
  )
  return pageOf(rows, page.limit, toInfo, ({ created_at, session_id }) =>
    encodeCursor(LIST[order], [created_at, session_id]),
  )
})

/**
 * The id of the tenant's most recently updated session with this working directory, or null. Sessions with
 * `persistSession: false` are never found. D1 lags seconds behind the sessions: one that was used just now may be
 * missed, or an older one found.
 */
export const newestSession = Effect.fn("store.newestSession")(function* (
  db: D1Database,
  tenant: string,
  cwd: string,
): Effect.fn.Return<string | null, StoreError> {
  const found = yield* attempt("newestSession", () =>
    db
      .prepare(
        `SELECT session_id FROM sessions WHERE tenant = ?1 AND cwd = ?2 AND deleted_at IS NULL
          AND coalesce(json_extract(options, '$.persistSession'), 1) <> 0
          ORDER BY updated_at DESC, session_id DESC LIMIT 1`,
      )
      .bind(tenant, cwd)
      .first<{ session_id: string }>(),
  )
  return found?.session_id ?? null
})

const toInfo = (row: typeof ListedRow.Type): SessionInfo => ({
  id: row.session_id,
  type: "session",
  title: row.title,
  cwd: row.cwd,
  state: row.state,
  model: row.model,
  permissionMode: row.permission_mode,
  options: row.options,
  // Metadata that was cut has `truncated` and `seq`, which are not strings, in addition to the client's own strings.
  metadata: Object.fromEntries(
    Object.entries(row.metadata).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  ),
  created_at: row.created_at,
  updated_at: row.updated_at,
  turns: row.turns,
  total_cost_usd: row.total_cost_usd,
  last_seq: row.seq,
  first_prompt: row.first_prompt,
})

/** How many rows an erasure removed. */
export interface ErasedRows {
  readonly messages: number
  readonly parts: number
  readonly costs: number
  readonly hook_events: number
}

const TOMBSTONE = `INSERT INTO sessions
  (tenant, session_id, title, cwd, state, model, permission_mode, options, metadata, created_at, updated_at, turns, total_cost_usd, seq, deleted_at)
  VALUES (?1, ?2, NULL, '', 'idle', '', '', '{}', '{}', ?3, ?3, 0, 0, 0, ?3)
  ON CONFLICT (tenant, session_id) DO UPDATE SET title = NULL, cwd = '', state = 'idle', model = '', permission_mode = '', options = '{}',
    metadata = '{}', turns = 0, total_cost_usd = 0, deleted_at = coalesce(sessions.deleted_at, excluded.deleted_at)`

const TABLES = ["messages", "parts", "costs", "hook_events", "hook_dead_letters", "turns"] as const

/**
 * Removes every row of a session in one transaction, and leaves a tombstone. `at` is ISO 8601. Safe to repeat. The
 * session's audit rows stay, and `audit` is added to them.
 */
export const eraseSession = Effect.fn("store.eraseSession")(function* (
  db: D1Database,
  tenant: string,
  sessionId: string,
  at: string,
  audit: ReadonlyArray<AuditRow> = [],
): Effect.fn.Return<ErasedRows, StoreError> {
  const removals = TABLES.map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE tenant = ?1 AND session_id = ?2`).bind(tenant, sessionId),
  )
  const noted = jsonLists(audit).map((json) => db.prepare(AUDIT_SQL).bind(json))
  // The tombstone comes first: rows that are removed after it stay counted in the totals of turns and costs.
  const statements = [db.prepare(TOMBSTONE).bind(tenant, sessionId, at), ...removals, ...noted]
  const done = yield* attempt("eraseSession", () => db.batch(statements))
  const [, messages, parts, costs, hook_events] = done.map((result) => result.meta.changes)
  return { messages: messages ?? 0, parts: parts ?? 0, costs: costs ?? 0, hook_events: hook_events ?? 0 }
})

/** True when `eraseSession` has taken effect, whether or not its answer arrived. */
export const isErased = Effect.fn("store.isErased")(function* (
  db: D1Database,
  tenant: string,
  sessionId: string,
): Effect.fn.Return<boolean, StoreError> {
  const found = yield* attempt("isErased", () =>
    db
      .prepare("SELECT 1 AS erased FROM sessions WHERE tenant = ?1 AND session_id = ?2 AND deleted_at IS NOT NULL")
      .bind(tenant, sessionId)
      .first(),
  )
  return found !== null
})

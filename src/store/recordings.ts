// The list of a tenant's recordings in D1: receives what their objects report; returns pages of it.
// Invariant: every statement is bound to the tenant, and writing a recording again changes nothing.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ListedRecording, RecordingKind, RecordingSource } from "../schemas/api/recordings.ts"
import { decodeCursor, encodeCursor, type Page, pageOf } from "./page-cursor.ts"
import { attempt, type InvalidCursor, StoreError } from "./store-error.ts"

const Row = Schema.Struct({
  recording_id: Schema.String,
  kind: RecordingKind,
  name: Schema.String,
  tags: Schema.fromJsonString(Schema.Array(Schema.String)),
  created_at: Schema.String,
  finalized: Schema.Int,
  duration_ms: Schema.Finite,
  signals: Schema.Int,
  answers: Schema.Int,
  bytes: Schema.Int,
  source: Schema.fromJsonString(RecordingSource),
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const COLUMNS = Object.keys(Row.fields)

export interface RecordingsQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly kind?: RecordingKind | undefined
  /** Only recordings that have all of these tags. */
  readonly tags: ReadonlyArray<string>
}

/** Writes the row of a recording. */
export const indexRecording = (
  db: D1Database,
  tenant: string,
  recording: ListedRecording,
): Effect.Effect<void, StoreError> => {
  const { id, kind, name, tags, created_at, finalized, duration_ms, signals, answers, bytes, source } = recording
  const numbers = [finalized ? 1 : 0, duration_ms, signals, answers, bytes]
  const values = [id, kind, name, JSON.stringify(tags), created_at, ...numbers, JSON.stringify(source)]
  const sql = `INSERT OR REPLACE INTO recordings (tenant, ${COLUMNS.join(", ")}) VALUES (?, ${COLUMNS.map(() => "?").join(", ")})`
  return Effect.asVoid(
    attempt("indexRecording", () =>
      db
        .prepare(sql)
        .bind(tenant, ...values)
        .run(),
    ),
  )
}

/** Removes the row of a recording; safe to repeat. */
export const dropRecording = (db: D1Database, tenant: string, id: string): Effect.Effect<void, StoreError> =>
  Effect.asVoid(
    attempt("dropRecording", () =>
      db.prepare("DELETE FROM recordings WHERE tenant = ?1 AND recording_id = ?2").bind(tenant, id).run(),
    ),
  )

/** The number of a tenant's recordings. */
export const countRecordings = (db: D1Database, tenant: string): Effect.Effect<number, StoreError> =>
  Effect.map(
    attempt("countRecordings", () =>
      db
        .prepare("SELECT count(*) AS count FROM recordings WHERE tenant = ?1")
        .bind(tenant)
        .first<{ readonly count: number }>(),
    ),
    (row) => row?.count ?? 0,
  )

/** Recordings by creation, the newest first. */
export const listRecordings = Effect.fn("store.listRecordings")(function* (
  db: D1Database,
  tenant: string,
  { limit, cursor, kind, tags }: RecordingsQuery,
): Effect.fn.Return<Page<ListedRecording>, StoreError | InvalidCursor> {
  const [createdAt, id] = cursor === undefined ? ["~", ""] : yield* decodeCursor("recordings", cursor)
  const sql = `SELECT ${COLUMNS.join(", ")} FROM recordings
    WHERE tenant = ?1 AND (created_at, recording_id) < (?2, ?3) AND (?4 IS NULL OR kind = ?4)
      AND NOT EXISTS (SELECT 1 FROM json_each(?5) AS wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(tags)))
    ORDER BY created_at DESC, recording_id DESC LIMIT ?6`
  const { results } = yield* attempt("listRecordings", () =>
    db
      .prepare(sql)
      .bind(tenant, createdAt, id, kind ?? null, JSON.stringify(tags), limit + 1)
      .all(),
  )
  const rows = yield* decodeRows(results).pipe(
    Effect.mapError(
      () => new StoreError({ operation: "listRecordings", message: "a recording's row is not readable" }),
    ),
  )
  return pageOf(rows, limit, toListed, ({ created_at, recording_id }) =>
    encodeCursor("recordings", [created_at, recording_id]),
  )
})

const toListed = ({ recording_id: id, finalized, ...row }: typeof Row.Type): ListedRecording => ({
  id,
  type: "recording",
  ...row,
  finalized: finalized === 1,
})

// The tenants' API keys in D1: only their hashes are kept.
// Invariant: a revoked key is never found again; its row stays, so that the list shows when it was revoked.
import { Effect } from "effect"
import type { ApiKeyInfo } from "../schemas/api.ts"
import { decodeCursor, encodeCursor } from "./page-cursor.ts"
import { attempt } from "./store-error.ts"

export interface NewApiKey {
  readonly id: string
  readonly tenant: string
  /** SHA-256 of the whole key, in hex. */
  readonly hash: string
  readonly label: string | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

export const insertApiKey = (db: D1Database, key: NewApiKey) =>
  attempt("insertApiKey", () =>
    db
      .prepare("INSERT INTO api_keys (tenant, id, hash, label, created_at) VALUES (?, ?, ?, ?, ?)")
      .bind(key.tenant, key.id, key.hash, key.label, key.createdAt)
      .run(),
  ).pipe(Effect.asVoid)

/** The stored hash of a key that is still good, or null. */
export const findApiKeyHash = (db: D1Database, tenant: string, id: string) =>
  attempt("findApiKeyHash", () =>
    db
      .prepare("SELECT hash FROM api_keys WHERE id = ? AND tenant = ? AND revoked_at IS NULL")
      .bind(id, tenant)
      .first<string>("hash"),
  )

interface Row {
  readonly id: string
  readonly tenant: string
  readonly label: string | null
  readonly created_at: number
  readonly revoked_at: number | null
}

const LIST = `
  SELECT id, tenant, label, created_at, revoked_at FROM api_keys
  WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR (created_at, id) < (?2, ?3))
  ORDER BY created_at DESC, id DESC LIMIT ?4`

/** A page of keys, the newest first; `next_cursor` is null on the last page. */
export const listApiKeys = Effect.fn("store.listApiKeys")(function* (
  db: D1Database,
  query: { readonly tenant?: string; readonly cursor?: string; readonly limit: number },
) {
  const [at, after] = query.cursor === undefined ? [null, null] : yield* decodeCursor(query.cursor)
  const { results } = yield* attempt("listApiKeys", () =>
    db
      .prepare(LIST)
      .bind(query.tenant ?? null, at === null ? null : Number(at), after, query.limit + 1)
      .all<Row>(),
  )
  const rows = results.slice(0, query.limit)
  const last = results.length > query.limit ? rows.at(-1) : undefined
  return {
    data: rows.map(toInfo),
    next_cursor: last === undefined ? null : encodeCursor([String(last.created_at), last.id]),
  }
})

const toInfo = (row: Row): ApiKeyInfo => ({
  id: row.id,
  tenant: row.tenant,
  label: row.label,
  created_at: new Date(row.created_at).toISOString(),
  revoked_at: row.revoked_at === null ? null : new Date(row.revoked_at).toISOString(),
})

/** Revokes a key; false when there is none with that id. Revoking again changes nothing. */
export const revokeApiKey = (db: D1Database, id: string, now: number) =>
  attempt("revokeApiKey", () =>
    db.prepare("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?").bind(now, id).run(),
  ).pipe(Effect.map(({ meta }) => meta.changes > 0))

// The tenants' API keys in D1: only their hashes are kept.
// Invariant: a revoked key never comes back; its row stays, so that the list shows when it was revoked.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Scope } from "../schemas/access.ts"
import type { ApiKeyInfo } from "../schemas/api/credentials.ts"
import { decodeCursor, encodeCursor, pageOf } from "./page-cursor.ts"
import { attempt, StoreError } from "./store-error.ts"

export interface NewApiKey {
  readonly id: string
  readonly tenant: string
  /** SHA-256 of the whole key, in hex. */
  readonly hash: string
  readonly label: string | null
  readonly scopes: ReadonlyArray<Scope>
  /** Times are milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt: number | null
}

/** What decides whether a key is valid. After a roll the previous secret stays valid until `previousUntil`. */
export interface ApiKeyState extends NewApiKey {
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
  /** How many times the key was rolled. */
  readonly generation: number
  readonly previousHash: string | null
  readonly previousUntil: number | null
  /** The version of the tenant's definitions. Only `findApiKeys` reads it, for authentication. */
  readonly definitions?: number
}

const Row = Schema.Struct({
  id: Schema.String,
  tenant: Schema.String,
  hash: Schema.String,
  label: Schema.NullOr(Schema.String),
  scopes: Schema.fromJsonString(Schema.Array(Scope)),
  created_at: Schema.Int,
  expires_at: Schema.NullOr(Schema.Int),
  last_used_at: Schema.NullOr(Schema.Int),
  revoked_at: Schema.NullOr(Schema.Int),
  generation: Schema.Int,
  previous_hash: Schema.NullOr(Schema.String),
  previous_until: Schema.NullOr(Schema.Int),
})
const FoundRow = Schema.Struct({ ...Row.fields, definitions: Schema.Int })
const decodeFound = Schema.decodeUnknownEffect(Schema.Array(FoundRow))
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const UNREADABLE = "a key's row is not readable"

/** The version of the tenant's definitions, read in the same query, so that authentication queries D1 once. */
const VERSION = "coalesce((SELECT version FROM definition_versions WHERE tenant = api_keys.tenant), 0)"

const COLUMNS = Object.keys(Row.fields).join(", ")

const toState = (row: typeof Row.Type): ApiKeyState => ({
  id: row.id,
  tenant: row.tenant,
  hash: row.hash,
  label: row.label,
  scopes: row.scopes,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
  generation: row.generation,
  previousHash: row.previous_hash,
  previousUntil: row.previous_until,
})

const statesOf = (operation: string, results: ReadonlyArray<unknown>) =>
  decodeRows(results).pipe(
    Effect.map((rows) => rows.map(toState)),
    Effect.mapError(() => new StoreError({ operation, message: UNREADABLE })),
  )

/** Writes a new key. The same id again is a retry of a request whose answer, with the secret, was lost: the hash is replaced. */
export const insertApiKey = (db: D1Database, key: NewApiKey) =>
  attempt("insertApiKey", () =>
    db
      .prepare(
        `INSERT INTO api_keys (tenant, id, hash, label, created_at, scopes, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (tenant, id) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at`,
      )
      .bind(key.tenant, key.id, key.hash, key.label, key.createdAt, JSON.stringify(key.scopes), key.expiresAt)
      .run(),
  ).pipe(Effect.asVoid)

/** The states of these keys, revoked ones included; an unknown id has no entry. At most 100 ids. */
export const findApiKeys = Effect.fn("store.findApiKeys")(function* (db: D1Database, ids: ReadonlyArray<string>) {
  const sql = `SELECT ${COLUMNS}, ${VERSION} AS definitions FROM api_keys WHERE id IN (SELECT value FROM json_each(?))`
  const { results } = yield* attempt("findApiKeys", () => db.prepare(sql).bind(JSON.stringify(ids)).all())
  return yield* decodeFound(results).pipe(
    Effect.map((rows) => rows.map((row): ApiKeyState => ({ ...toState(row), definitions: row.definitions }))),
    Effect.mapError(() => new StoreError({ operation: "findApiKeys", message: UNREADABLE })),
  )
})

/** Until when a secret of this generation is valid (milliseconds since 1970; null: it never expires); false when it is not. */
export const validUntil = (
  key: Pick<ApiKeyState, "revokedAt" | "expiresAt" | "generation" | "previousUntil">,
  generation: number,
  now: number,
): number | null | false => {
  if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) return false
  if (generation === key.generation) return key.expiresAt
  if (generation !== key.generation - 1 || key.previousUntil === null || key.previousUntil <= now) return false
  return Math.min(key.previousUntil, key.expiresAt ?? Number.POSITIVE_INFINITY)
}

const LIST = `
  SELECT ${COLUMNS} FROM api_keys
  WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR (created_at, id) < (?2, ?3))
  ORDER BY created_at DESC, id DESC LIMIT ?4`

/** A page of keys, the newest first; `next_cursor` is null on the last page. */
export const listApiKeys = Effect.fn("store.listApiKeys")(function* (
  db: D1Database,
  query: { readonly tenant?: string; readonly cursor?: string; readonly limit: number },
) {
  const [at, after] = query.cursor === undefined ? [null, null] : yield* decodeCursor("keys", query.cursor)
  const { results } = yield* attempt("listApiKeys", () =>
    db
      .prepare(LIST)
      .bind(query.tenant ?? null, at === null ? null : Number(at), after, query.limit + 1)
      .all(),
  )
  const states = yield* statesOf("listApiKeys", results)
  return pageOf(states, query.limit, toInfo, ({ createdAt, id }) => encodeCursor("keys", [String(createdAt), id]))
})

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** A key as the API shows it: without its hashes. */
export const toInfo = (key: ApiKeyState): ApiKeyInfo => ({
  id: key.id,
  tenant: key.tenant,
  label: key.label,
  scopes: key.scopes,
  created_at: new Date(key.createdAt).toISOString(),
  expires_at: iso(key.expiresAt),
  last_used_at: iso(key.lastUsedAt),
  revoked_at: iso(key.revokedAt),
  previous_secret_until: iso(key.previousUntil),
})

/** The same for a key that was just created. */
export const newKeyInfo = (key: NewApiKey): ApiKeyInfo =>
  toInfo({ ...key, lastUsedAt: null, revokedAt: null, generation: 0, previousHash: null, previousUntil: null })

/** Revokes a key. Revoking again changes nothing. */
export const revokeApiKey = (db: D1Database, id: string, now: number) =>
  attempt("revokeApiKey", () =>
    db.prepare("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?").bind(now, id).run(),
  ).pipe(Effect.asVoid)

/** Replaces a key's secret; false when the key was rolled or revoked meanwhile. */
export const rollApiKey = (
  db: D1Database,
  key: { readonly id: string; readonly generation: number },
  next: { readonly hash: string; readonly previousUntil: number },
) =>
  attempt("rollApiKey", () =>
    db
      .prepare(
        `UPDATE api_keys SET previous_hash = hash, hash = ?1, previous_until = ?2, generation = generation + 1
          WHERE id = ?3 AND generation = ?4 AND revoked_at IS NULL RETURNING id`,
      )
      .bind(next.hash, next.previousUntil, key.id, key.generation)
      .first(),
  ).pipe(Effect.map((row) => row !== null))

/** Records that a key was used at `now` (milliseconds since 1970). */
export const touchApiKey = (db: D1Database, id: string, now: number) =>
  attempt("touchApiKey", () =>
    db.prepare("UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?").bind(now, id).run(),
  ).pipe(Effect.asVoid)

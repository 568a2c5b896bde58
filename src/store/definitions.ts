// A tenant's definitions for all of its sessions, in D1: agents, commands, MCP servers, the router's settings.
// Invariants: every change of a tenant's definitions assigns them a new, never used version in the same transaction; a
// secret is stored sealed.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  DefinitionKind,
  type DefinitionValue,
  MAX_DEFINITION_BYTES,
  MAX_DEFINITIONS,
  type StoredDefinitions,
} from "../schemas/definitions.ts"
import { attempt, StoreError } from "./store-error.ts"

/** Identifies a definition. */
export interface DefinitionKey {
  readonly tenant: string
  readonly kind: DefinitionKind
  readonly name: string
}

/** `sealed` contains the secret fields of the value, as sealed JSON. `at` is in milliseconds since 1970. */
export interface NewDefinition extends DefinitionKey {
  readonly value: DefinitionValue
  readonly sealed: string | null
  readonly at: number
}

export interface Definition {
  readonly name: string
  readonly value: DefinitionValue
  readonly sealed: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The outcome of a write; `version` is the new version of the tenant's definitions. */
export type Written =
  | { readonly state: "created" | "replaced"; readonly definition: Definition; readonly version: number }
  /** The name is taken, and the write may only create. */
  | { readonly state: "exists" }
  /** The tenant has no room for it: the number of this kind, or the bytes of all kinds, would exceed the limit. */
  | { readonly state: "full" }

const Row = Schema.Struct({
  kind: DefinitionKind,
  name: Schema.String,
  value: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
  sealed: Schema.NullOr(Schema.String),
  created_at: Schema.Int,
  updated_at: Schema.Int,
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const COLUMNS = Object.keys(Row.fields).join(", ")

const toDefinition = (row: typeof Row.Type): Definition => ({
  name: row.name,
  value: row.value,
  sealed: row.sealed,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const rowsOf = (operation: string, results: ReadonlyArray<unknown>) =>
  decodeRows(results).pipe(
    Effect.mapError(() => new StoreError({ operation, message: "a definition's row is not readable" })),
  )

const BUMP = `INSERT INTO definition_versions (tenant, version) VALUES (?1, 1)
  ON CONFLICT (tenant) DO UPDATE SET version = version + 1 RETURNING version`

/** True when the tenant's other definitions leave room for the one being written, in number of its kind and in bytes. */
const HAS_ROOM = `
  (SELECT count(*) FROM definitions WHERE tenant = ?1 AND kind = ?2 AND name <> ?3) < ?7
  AND (SELECT coalesce(sum(length(CAST(value AS BLOB)) + length(coalesce(sealed, ''))), 0) FROM definitions
        WHERE tenant = ?1 AND NOT (kind = ?2 AND name = ?3)) + ?8 <= ${MAX_DEFINITION_BYTES}`

const WRITE = `
  INSERT INTO definitions (tenant, kind, name, value, sealed, created_at, updated_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6 WHERE ${HAS_ROOM}
  ON CONFLICT (tenant, kind, name) DO`

const REPLACE = "UPDATE SET value = excluded.value, sealed = excluded.sealed, updated_at = excluded.updated_at"

const READ = `SELECT ${COLUMNS} FROM definitions WHERE tenant = ?1 AND kind = ?2 AND name = ?3`

/** Stores a definition. It replaces one of the same name; with `only: "create"` nothing is written when the name is taken. */
export const putDefinition = Effect.fn("store.putDefinition")(function* (
  db: D1Database,
  definition: NewDefinition,
  only?: "create",
): Effect.fn.Return<Written, StoreError> {
  const { tenant, kind, name, sealed, at } = definition
  const key = [tenant, kind, name] as const
  const value = JSON.stringify(definition.value)
  const bytes = new TextEncoder().encode(value).length + (sealed?.length ?? 0)
  const change = only === "create" ? "NOTHING" : REPLACE
  const [before, written, version] = yield* attempt("putDefinition", () =>
    db.batch<Record<string, unknown>>([
      db.prepare(READ).bind(...key),
      db
        .prepare(`${WRITE} ${change} RETURNING ${COLUMNS}`)
        .bind(...key, value, sealed, at, MAX_DEFINITIONS[kind], bytes),
      db.prepare(BUMP).bind(tenant),
    ]),
  )
  const [row] = yield* rowsOf("putDefinition", written?.results ?? [])
  const existed = (before?.results.length ?? 0) > 0
  if (row === undefined) return { state: existed && only === "create" ? "exists" : "full" }
  return {
    state: existed ? "replaced" : "created",
    definition: toDefinition(row),
    version: Number(version?.results[0]?.["version"]),
  }
})

/** Removes a definition; returns the new version, or null when there was none of that name. */
export const deleteDefinition = Effect.fn("store.deleteDefinition")(function* (
  db: D1Database,
  { tenant, kind, name }: DefinitionKey,
): Effect.fn.Return<number | null, StoreError> {
  const remove = "DELETE FROM definitions WHERE tenant = ?1 AND kind = ?2 AND name = ?3 RETURNING name"
  const [removed, version] = yield* attempt("deleteDefinition", () =>
    db.batch<Record<string, unknown>>([db.prepare(remove).bind(tenant, kind, name), db.prepare(BUMP).bind(tenant)]),
  )
  return (removed?.results.length ?? 0) === 0 ? null : Number(version?.results[0]?.["version"])
})

/** The definitions of a kind, by name. */
export const listDefinitions = Effect.fn("store.listDefinitions")(function* (
  db: D1Database,
  tenant: string,
  kind: DefinitionKind,
): Effect.fn.Return<ReadonlyArray<Definition>, StoreError> {
  const sql = `SELECT ${COLUMNS} FROM definitions WHERE tenant = ?1 AND kind = ?2 ORDER BY name`
  const { results } = yield* attempt("listDefinitions", () => db.prepare(sql).bind(tenant, kind).all())
  return (yield* rowsOf("listDefinitions", results)).map(toDefinition)
})

/** One definition, or null. */
export const readDefinition = Effect.fn("store.readDefinition")(function* (
  db: D1Database,
  { tenant, kind, name }: DefinitionKey,
): Effect.fn.Return<Definition | null, StoreError> {
  const { results } = yield* attempt("readDefinition", () => db.prepare(READ).bind(tenant, kind, name).all())
  const [row] = yield* rowsOf("readDefinition", results)
  return row === undefined ? null : toDefinition(row)
})

/** The version of a tenant's definitions: 0 when it never had any. */
export const definitionsVersion = (db: D1Database, tenant: string): Effect.Effect<number, StoreError> =>
  attempt("definitionsVersion", () =>
    db
      .prepare("SELECT version FROM definition_versions WHERE tenant = ?1")
      .bind(tenant)
      .first<{ readonly version: number }>(),
  ).pipe(Effect.map((row) => row?.version ?? 0))

/** All definitions of a tenant, with their version. */
export const loadDefinitions = Effect.fn("store.loadDefinitions")(function* (
  db: D1Database,
  tenant: string,
): Effect.fn.Return<StoredDefinitions, StoreError> {
  const [found, versions] = yield* attempt("loadDefinitions", () =>
    db.batch<Record<string, unknown>>([
      db.prepare(`SELECT ${COLUMNS} FROM definitions WHERE tenant = ?1 ORDER BY kind, name`).bind(tenant),
      db.prepare("SELECT version FROM definition_versions WHERE tenant = ?1").bind(tenant),
    ]),
  )
  const rows = yield* rowsOf("loadDefinitions", found?.results ?? [])
  const ofKind = (kind: DefinitionKind) => rows.filter((row) => row.kind === kind)
  const kinds = [...new Set(rows.map(({ kind }) => kind))]
  return {
    version: Number(versions?.results[0]?.["version"] ?? 0),
    values: Object.fromEntries(
      kinds.map((kind) => [kind, Object.fromEntries(ofKind(kind).map(({ name, value }) => [name, value]))]),
    ),
    sealed: Object.fromEntries(
      kinds.flatMap((kind) => {
        const secrets = ofKind(kind).flatMap(({ name, sealed }) => (sealed === null ? [] : [[name, sealed] as const]))
        return secrets.length === 0 ? [] : [[kind, Object.fromEntries(secrets)] as const]
      }),
    ),
  }
})

// The secrets that a tenant's HTTP hooks are signed with: the current one, and earlier ones until they retire.
// Invariant: a tenant with secrets has one current secret at any moment; a text leaves the store only for signing.
import * as Effect from "effect/Effect"
import type { WebhookSecret } from "../schemas/api/hooks.ts"
import { seal, unseal } from "./seal.ts"
import { attempt, StoreError } from "./store-error.ts"

/** Whose secrets, where they are stored, and the root key that seals them. */
export interface SecretsOwner {
  readonly db: D1Database
  readonly tenant: string
  readonly rootKey: string
}

export interface NewSecret {
  readonly id: string
  readonly text: string
  /** The time of its creation, in milliseconds since 1970. */
  readonly at: number
}

/** A message is signed with at most this many secrets. */
const MAX_SIGNING = 4

interface Row {
  readonly id: string
  readonly sealed: string
  readonly created_at: number
  readonly retires_at: number | null
}

const INSERT = `INSERT INTO webhook_secrets (tenant, id, sealed, created_at) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (tenant) WHERE retires_at IS NULL DO NOTHING`

/** The secrets to sign with at `fresh.at`, the current one first. `fresh` becomes the current one if there is none. */
export const signingSecrets = Effect.fn("store.signingSecrets")(function* (
  owner: SecretsOwner,
  fresh: NewSecret,
): Effect.fn.Return<ReadonlyArray<string>, StoreError> {
  const known = yield* readSecrets(owner, fresh.at)
  if (known.some((row) => row.retires_at === null)) return yield* openAll(owner, known)
  const sealed = yield* attempt("sealSecret", () => seal(owner.rootKey, owner.tenant, fresh.text))
  yield* attempt("signingSecrets", () => owner.db.prepare(INSERT).bind(owner.tenant, fresh.id, sealed, fresh.at).run())
  // Another session of the tenant may have stored its secret first.
  return yield* openAll(owner, yield* readSecrets(owner, fresh.at))
})

/** Makes `fresh` the current secret. The previous one also signs for another `overlapMs` milliseconds. */
export const rotateSecret = Effect.fn("store.rotateSecret")(function* (
  owner: SecretsOwner,
  fresh: NewSecret,
  overlapMs: number,
): Effect.fn.Return<WebhookSecret, StoreError> {
  const { db, tenant, rootKey } = owner
  const sealed = yield* attempt("sealSecret", () => seal(rootKey, tenant, fresh.text))
  yield* attempt("rotateSecret", () =>
    db.batch([
      db.prepare("DELETE FROM webhook_secrets WHERE tenant = ?1 AND retires_at <= ?2").bind(tenant, fresh.at),
      db
        .prepare(
          // A shorter overlap also applies to earlier secrets that have not retired yet.
          "UPDATE webhook_secrets SET retires_at = min(coalesce(retires_at, ?2), ?2) WHERE tenant = ?1",
        )
        .bind(tenant, fresh.at + overlapMs),
      db.prepare(INSERT).bind(tenant, fresh.id, sealed, fresh.at),
    ]),
  )
  return toInfo({ id: fresh.id, created_at: fresh.at, retires_at: null })
})

/** Ids and dates of the secrets that sign deliveries at `now` (milliseconds since 1970). */
export const listSecrets = Effect.fn("store.listSecrets")(function* (
  owner: Pick<SecretsOwner, "db" | "tenant">,
  now: number,
): Effect.fn.Return<ReadonlyArray<WebhookSecret>, StoreError> {
  return (yield* readSecrets(owner, now)).map(toInfo)
})

const readSecrets = ({ db, tenant }: Pick<SecretsOwner, "db" | "tenant">, now: number) =>
  attempt("readSecrets", () =>
    db
      .prepare(
        `SELECT id, sealed, created_at, retires_at FROM webhook_secrets
          WHERE tenant = ?1 AND (retires_at IS NULL OR retires_at > ?2)
          ORDER BY retires_at IS NOT NULL, created_at DESC LIMIT ?3`,
      )
      .bind(tenant, now, MAX_SIGNING)
      .all<Row>(),
  ).pipe(Effect.map(({ results }) => results))

/** A retiring secret that can't be opened, because the root key has changed since, is left out; the current one must open. */
const openAll = ({ rootKey, tenant }: SecretsOwner, rows: ReadonlyArray<Row>) =>
  Effect.forEach(rows, ({ sealed, retires_at }) =>
    Effect.tryPromise({
      try: () => unseal(rootKey, tenant, sealed),
      catch: () => new StoreError({ operation: "openSecret", message: "the webhook secret can't be opened" }),
    }).pipe(
      Effect.map((text) => [text]),
      Effect.catch((error) => (retires_at === null ? Effect.fail(error) : Effect.succeed([]))),
    ),
  ).pipe(Effect.map((texts) => texts.flat()))

const toInfo = ({ id, created_at, retires_at }: Omit<Row, "sealed">): WebhookSecret => ({
  id,
  created_at: new Date(created_at).toISOString(),
  retires_at: retires_at === null ? null : new Date(retires_at).toISOString(),
})

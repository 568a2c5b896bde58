// Requests with an Idempotency-Key in D1: receives a claim to execute one; returns whether the caller may, or the stored
// answer of an earlier attempt.
// Invariant: one attempt at a time holds the lease of a request, and none once the answer is stored. An answer is
// stored sealed, because it may contain a secret.
import * as Effect from "effect/Effect"
import { attempt } from "./store-error.ts"

/** How long a request and its answer are stored. */
const KEPT_MS = 24 * 3_600_000
/** An attempt that has not ended by then counts as interrupted: the next one may execute the request. */
const LEASE_MS = 60_000

/** `name` identifies a request of the tenant, `fingerprint` its content; both are hashes. */
export interface NamedRequest {
  readonly tenant: string
  readonly name: string
  readonly fingerprint: string
}

/** One attempt at a request. */
export interface Lease {
  readonly tenant: string
  readonly name: string
  readonly lease: string
}

/** `lease` identifies the attempt, `creationId` what the first one creates; both are UUIDs. `now`: milliseconds since 1970. */
interface Claim extends NamedRequest, Lease {
  readonly creationId: string
  readonly now: number
}

export type Claimed =
  /** The caller has the lease and must execute the request. `creationId` is the first attempt's. */
  | { readonly state: "leased"; readonly creationId: string }
  /** Another attempt holds the lease. */
  | { readonly state: "pending" }
  | { readonly state: "answered"; readonly sealed: string }
  /** The name is taken by a request with another fingerprint. */
  | { readonly state: "other" }

interface Row {
  readonly fingerprint: string
  readonly creation_id: string
  readonly lease: string
  readonly sealed: string | null
}

const EXPIRE = "DELETE FROM named_requests WHERE expires_at <= ?1"

const CLAIM = `
  INSERT INTO named_requests (tenant, name, fingerprint, creation_id, lease, leased_until, expires_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6 + ${LEASE_MS}, ?6 + ${KEPT_MS})
  ON CONFLICT (tenant, name) DO UPDATE SET lease = excluded.lease, leased_until = excluded.leased_until
    WHERE sealed IS NULL AND fingerprint = excluded.fingerprint AND leased_until <= ?6`

const READ = "SELECT fingerprint, creation_id, lease, sealed FROM named_requests WHERE tenant = ?1 AND name = ?2"

/** Acquires the lease of a request, unless another attempt holds it or the request was answered. */
export const claimRequest = Effect.fn("store.claimRequest")(function* (db: D1Database, claim: Claim) {
  const { tenant, name, fingerprint, lease, creationId, now } = claim
  const [, , read] = yield* attempt("claimRequest", () =>
    db.batch<Row>([
      db.prepare(EXPIRE).bind(now),
      db.prepare(CLAIM).bind(tenant, name, fingerprint, creationId, lease, now),
      db.prepare(READ).bind(tenant, name),
    ]),
  )
  return stateOf(read?.results[0], claim)
})

const stateOf = (row: Row | undefined, { fingerprint, lease }: Claim): Claimed => {
  // Does not happen: the batch that reads the row has inserted it unless it was there.
  if (row === undefined) return { state: "pending" }
  if (row.fingerprint !== fingerprint) return { state: "other" }
  if (row.sealed !== null) return { state: "answered", sealed: row.sealed }
  return row.lease === lease ? { state: "leased", creationId: row.creation_id } : { state: "pending" }
}

/** The request that was claimed under a name and is not answered yet, with the lease of its last attempt; or null. */
export const findRequest = Effect.fn("store.findRequest")(function* (db: D1Database, tenant: string, name: string) {
  const row = yield* attempt("findRequest", () => db.prepare(READ).bind(tenant, name).first<Row>())
  if (row === null || row.sealed !== null) return null
  return { fingerprint: row.fingerprint, creationId: row.creation_id, lease: row.lease }
})

/** Stores the answer to a leased request; does nothing when another attempt has taken over the lease. */
export const answerRequest = (db: D1Database, lease: Lease, sealed: string) =>
  attempt("answerRequest", () =>
    db
      .prepare(
        "UPDATE named_requests SET sealed = ?4 WHERE tenant = ?1 AND name = ?2 AND lease = ?3 AND sealed IS NULL",
      )
      .bind(lease.tenant, lease.name, lease.lease, sealed)
      .run(),
  ).pipe(Effect.asVoid)

/** Releases a lease after a refusal: nothing was created, and the name becomes free again. False without such a lease. */
export const forgetRequest = (db: D1Database, lease: Lease) =>
  attempt("forgetRequest", () =>
    db
      .prepare("DELETE FROM named_requests WHERE tenant = ?1 AND name = ?2 AND lease = ?3 AND sealed IS NULL")
      .bind(lease.tenant, lease.name, lease.lease)
      .run(),
  ).pipe(Effect.map(({ meta }) => meta.changes > 0))

/** Releases a lease after a failure: the same request may be executed again, with the same creation id. */
export const releaseRequest = (db: D1Database, lease: Lease) =>
  attempt("releaseRequest", () =>
    db
      .prepare("UPDATE named_requests SET leased_until = 0 WHERE tenant = ?1 AND name = ?2 AND lease = ?3")
      .bind(lease.tenant, lease.name, lease.lease)
      .run(),
  ).pipe(Effect.asVoid)

// Requests with an Idempotency-Key in D1: receives a claim to carry one out; returns whether the caller may, or the answer
// that it had before.
// Invariant: of all attempts at a request one at a time holds the lease, and none once the answer is stored. An answer is
// stored sealed, because it may hold a secret.
import * as Effect from "effect/Effect"
import { attempt } from "./store-error.ts"

/** An answer is given again for so long. */
const KEPT_MS = 24 * 3_600_000
/** An attempt that has not ended by then was cut off: the next one may carry the request out. */
const LEASE_MS = 60_000

/** `name` and `fingerprint` are hashes: which request of the tenant, and what it asks for. */
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

/** `lease` names the attempt, `creationId` what a first attempt makes; both are UUIDs. `now` is in milliseconds since 1970. */
interface Claim extends NamedRequest, Lease {
  readonly creationId: string
  readonly now: number
}

export type Claimed =
  /** The caller has the lease and carries the request out. `creationId` is the first attempt's. */
  | { readonly state: "leased"; readonly creationId: string }
  /** Another attempt holds the lease. */
  | { readonly state: "pending" }
  | { readonly state: "answered"; readonly sealed: string }
  /** The name belongs to a request that asks for something else. */
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

/** Takes the lease of a request, unless another attempt has it or the request was answered. */
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
  // The batch that reads it has written it.
  if (row === undefined) return { state: "pending" }
  if (row.fingerprint !== fingerprint) return { state: "other" }
  if (row.sealed !== null) return { state: "answered", sealed: row.sealed }
  return row.lease === lease ? { state: "leased", creationId: row.creation_id } : { state: "pending" }
}

/** What was claimed under a name and is not answered; null when nothing is. */
export const findRequest = Effect.fn("store.findRequest")(function* (db: D1Database, tenant: string, name: string) {
  const row = yield* attempt("findRequest", () => db.prepare(READ).bind(tenant, name).first<Row>())
  return row === null || row.sealed !== null ? null : { fingerprint: row.fingerprint, creationId: row.creation_id }
})

/** Stores the answer of a lease; one that was taken over stores nothing. */
export const answerRequest = (db: D1Database, lease: Lease, sealed: string) =>
  attempt("answerRequest", () =>
    db
      .prepare(
        "UPDATE named_requests SET sealed = ?4 WHERE tenant = ?1 AND name = ?2 AND lease = ?3 AND sealed IS NULL",
      )
      .bind(lease.tenant, lease.name, lease.lease, sealed)
      .run(),
  ).pipe(Effect.asVoid)

/** Gives up a lease after a refusal: nothing was made, and the name is free again. */
export const forgetRequest = (db: D1Database, lease: Lease) =>
  attempt("forgetRequest", () =>
    db
      .prepare("DELETE FROM named_requests WHERE tenant = ?1 AND name = ?2 AND lease = ?3 AND sealed IS NULL")
      .bind(lease.tenant, lease.name, lease.lease)
      .run(),
  ).pipe(Effect.asVoid)

/** Gives up a lease after a failure: the same request may be carried out again, under the same creation id. */
export const releaseRequest = (db: D1Database, lease: Lease) =>
  attempt("releaseRequest", () =>
    db
      .prepare("UPDATE named_requests SET leased_until = 0 WHERE tenant = ?1 AND name = ?2 AND lease = ?3")
      .bind(lease.tenant, lease.name, lease.lease)
      .run(),
  ).pipe(Effect.asVoid)

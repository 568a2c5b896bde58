// A cache of stored definitions for the sessions of this isolate: receives a tenant and a version, returns the definitions.
// Invariant: D1 is read once per tenant, version and isolate, however many sessions ask; a failed read is not cached.
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { StoredDefinitions } from "../../schemas/definitions.ts"
import { loadDefinitions } from "../../store/definitions.ts"

const MAX_TENANTS = 200
const RETRIES = { times: 2, schedule: Schedule.exponential(200) }

/** By database, then by tenant. */
const databases = new WeakMap<D1Database, Map<string, StoredDefinitions>>()

const knownOf = (db: D1Database): Map<string, StoredDefinitions> => {
  const known = databases.get(db) ?? new Map<string, StoredDefinitions>()
  databases.set(db, known)
  return known
}

/** The definitions of a tenant at this version, or at a later one. Rejects when D1 can't be reached. */
export const definitionsAt = async (db: D1Database, tenant: string, version: number): Promise<StoredDefinitions> => {
  const known = knownOf(db)
  const cached = known.get(tenant)
  if (cached?.version === version) return cached
  const read = await Effect.runPromise(Effect.retry(loadDefinitions(db, tenant), RETRIES))
  if (known.size >= MAX_TENANTS) known.delete(known.keys().next().value ?? "")
  known.set(tenant, read)
  return read
}

// This isolate's cache of the versions of tenants' definitions; every actor carries its tenant's version to the session.
// Invariants: a tenant's version is read with its key and never decreases; the root key, which is never looked up, costs one
// awaited read of D1 per isolate, and no request waits for a later one or fails because of it.
import * as Effect from "effect/Effect"
import { ROOT } from "../../schemas/access.ts"
import { definitionsVersion } from "../../store/definitions.ts"

const FRESH_MS = 40_000
/** The longest time that a sign-in waits for D1, in milliseconds. */
const PATIENCE_MS = 1000
const MAX_TENANTS = 5000

const versions = new Map<string, number>()
let rootReadAt: number | null = null

/** Records that the tenant's definitions have at least this version. */
export const noteDefinitions = (tenant: string, version: number): void => {
  if (version <= (versions.get(tenant) ?? 0)) return
  if (versions.size >= MAX_TENANTS) versions.delete(versions.keys().next().value ?? "")
  versions.set(tenant, version)
}

/** The actor's field with the version; empty when no version is known. */
export const definitionsField = (tenant: string): { readonly definitions?: number } => {
  const version = versions.get(tenant)
  return version === undefined ? {} : { definitions: version }
}

/** Reads the version of the root key's tenant: waits for the first read, later ones run in the background. */
export const readRootDefinitions = Effect.fnUntraced(function* (
  db: D1Database,
  now: number,
  later: (work: Promise<unknown>) => void,
) {
  if (rootReadAt !== null && now - rootReadAt < FRESH_MS && rootReadAt <= now) return
  const isFirst = rootReadAt === null
  const read = definitionsVersion(db, ROOT).pipe(
    Effect.timeout(PATIENCE_MS),
    Effect.map((version) => noteDefinitions(ROOT, version)),
    Effect.ignore,
  )
  if (isFirst) yield* read
  else later(Effect.runPromise(read))
  rootReadAt = now
})

// What this isolate knows of the versions of its tenants' definitions, which every actor brings to its session.
// Invariants: a tenant's version comes with the look-up of its key and never goes back; the root key, which is never
// looked up, costs one read of D1 per isolate, and no request waits for a later one or fails because of it.
import * as Effect from "effect/Effect"
import { ROOT } from "../../schemas/access.ts"
import { definitionsVersion } from "../../store/definitions.ts"

const FRESH_MS = 40_000
/** A database that does not answer delays a sign-in no longer than this. */
const PATIENCE_MS = 1000
const MAX_TENANTS = 5000

const versions = new Map<string, number>()
let rootReadAt: number | null = null

/** The tenant's definitions have this version, or a later one. */
export const noteDefinitions = (tenant: string, version: number): void => {
  if (version <= (versions.get(tenant) ?? 0)) return
  if (versions.size >= MAX_TENANTS) versions.delete(versions.keys().next().value ?? "")
  versions.set(tenant, version)
}

/** The field of an actor that names the version; none where nothing was ever stored. */
export const definitionsField = (tenant: string): { readonly definitions?: number } => {
  const version = versions.get(tenant)
  return version === undefined ? {} : { definitions: version }
}

/** Learns the version of the root key's own tenant: waits for the first read, and makes later ones aside. */
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

// Receives a tenant; returns the event patterns that its webhooks subscribe to, cached for all sessions of this isolate.
// Invariant: an isolate asks a tenant's object at most once a minute, so a new webhook receives events within a minute; at
// once from the isolate that created it.
import type { WebhookNamespace } from "../schemas/api/webhooks.ts"

const FRESH_MS = 60_000
const PRUNE_ABOVE = 1000

interface Held {
  readonly patterns: Promise<ReadonlyArray<string>>
  readonly until: number
}

const held = new Map<string, Held>()

/** The patterns of all enabled webhooks of a tenant. Rejects when its object can't be reached. */
export const patternsOf = (webhooks: WebhookNamespace, tenant: string, now: number): Promise<ReadonlyArray<string>> => {
  const known = held.get(tenant)
  if (known !== undefined && now < known.until) return known.patterns
  if (held.size > PRUNE_ABOVE) for (const [name, { until }] of held) if (until <= now) held.delete(name)
  const patterns = webhooks.getByName(tenant).patterns()
  const entry = { patterns, until: now + FRESH_MS }
  held.set(tenant, entry)
  patterns.catch(() => held.get(tenant) === entry && held.delete(tenant))
  return patterns
}

/** Call when the tenant's webhooks have changed: drops the cached patterns. */
export const forgetPatterns = (tenant: string): void => {
  held.delete(tenant)
}

// What the webhooks of tenants subscribe to, for all sessions of this isolate.
// Invariant: a tenant's object is asked once a minute for each isolate at most, so a webhook that is new is served within
// that minute; at once by the isolate that made it.
import type { WebhookNamespace } from "../schemas/api/webhooks.ts"

const FRESH_MS = 60_000
const PRUNE_ABOVE = 1000

interface Held {
  readonly patterns: Promise<ReadonlyArray<string>>
  readonly until: number
}

const held = new Map<string, Held>()

/** The patterns of all webhooks of a tenant that are on. Rejects when its object can't be reached. */
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

/** The tenant's webhooks have changed. */
export const forgetPatterns = (tenant: string): void => {
  held.delete(tenant)
}

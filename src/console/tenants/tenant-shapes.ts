// API keys and limits in the shapes of the admin routes, and the conversion of the forms for them.
// Invariant: an empty limit is omitted, so that the deployment's own limit applies.

export interface ApiKey {
  readonly id: string
  readonly tenant: string
  readonly label: string | null
  readonly scopes: ReadonlyArray<string>
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  readonly previous_secret_until: string | null
}

/** A key with its secret, which is shown only once. */
export interface CreatedKey extends ApiKey {
  readonly key: string
}

export type Limits = Readonly<Record<string, number>>

export interface TenantLimits {
  readonly own: Limits
  readonly limits: Limits
}

export const SCOPES = ["sessions:read", "sessions:write", "answer", "files", "bypass", "tickets", "admin"] as const

export interface TenantKeys {
  readonly tenant: string
  readonly keys: ReadonlyArray<ApiKey>
}

/** The keys grouped by tenant; tenants sorted by name, the keys of each with the newest first. */
export const byTenant = (keys: ReadonlyArray<ApiKey>): ReadonlyArray<TenantKeys> =>
  [...Map.groupBy(keys, ({ tenant }) => tenant)]
    .map(([tenant, own]) => ({ tenant, keys: own.toSorted((a, b) => b.created_at.localeCompare(a.created_at)) }))
    .toSorted((a, b) => a.tenant.localeCompare(b.tenant))

/** The expiry of a key that is valid through a day (`YYYY-MM-DD`): the end of that day in the browser's time zone, as ISO 8601. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString()

/** The current state of a key. */
export const stateOf = ({ revoked_at, expires_at, previous_secret_until }: ApiKey, now: number): string => {
  if (revoked_at !== null) return "revoked"
  if (expires_at !== null && Date.parse(expires_at) <= now) return "expired"
  const isRolling = previous_secret_until !== null && Date.parse(previous_secret_until) > now
  return isRolling ? "active, as is its previous secret" : "active"
}

/** The names of limits for people. */
export const LIMIT_NAMES: Readonly<Record<string, string>> = {
  requests_per_minute: "Requests per minute",
  requests_per_minute_per_key: "Requests per minute and key",
  open_sessions: "Sessions",
  running_turns: "Turns at once",
  lane_turns: "Turns at once before others wait (0: no lane)",
  running_workflows: "Workflow runs at once",
  queued_prompts: "Queued prompts of a session",
  sockets_per_session: "WebSockets of a session",
  streams_per_session: "Event streams of a session",
  failed_sign_ins_per_minute: "Bad credentials per minute and address",
}

/** Parses the tenant's own limits from the texts of the form; returns the invalid limit if there is one. */
export const limitsOf = (
  texts: Readonly<Record<string, string>>,
): { readonly limits: Limits } | { readonly name: string; readonly problem: string } => {
  const limits: Record<string, number> = {}
  for (const [name, text] of Object.entries(texts)) {
    if (text.trim() === "") continue
    const value = Number(text)
    if (!Number.isInteger(value) || value < 0) {
      return { name, problem: `${LIMIT_NAMES[name] ?? name} must be a whole number of at least 0. Got ${text.trim()}.` }
    }
    limits[name] = value
  }
  return { limits }
}

// The rows of webhooks and deliveries in the tenant's object, and what the API shows of them.
// Invariant: the API shows no secret, and no part of an address after `?` or `#`.
import { maskUrl } from "../schemas/sdk/options/masked-options.ts"
import type { DeliveryState, DisabledReason, Webhook, WebhookDelivery } from "../schemas/api/webhooks.ts"

export const TABLES = [
  `CREATE TABLE IF NOT EXISTS webhooks (
    id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, description TEXT NOT NULL,
    disabled_reason TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, since INTEGER NOT NULL,
    failing_since INTEGER, failures INTEGER NOT NULL DEFAULT 0, last_success_at INTEGER,
    fingerprint TEXT NOT NULL, sealed TEXT NOT NULL, previous TEXT, previous_until INTEGER
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS deliveries (
    webhook_id TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, session_id TEXT, seq INTEGER, body TEXT NOT NULL,
    state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, offered_at INTEGER NOT NULL, last_attempt_at INTEGER, next_attempt_at INTEGER,
    last_status INTEGER, last_error TEXT, PRIMARY KEY (webhook_id, id)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (webhook_id, next_attempt_at) WHERE state = 'pending'`,
  `CREATE INDEX IF NOT EXISTS deliveries_by_time ON deliveries (webhook_id, created_at, id)`,
  `CREATE INDEX IF NOT EXISTS deliveries_by_session ON deliveries (session_id)`,
]

export interface WebhookRow {
  readonly id: string
  readonly url: string
  readonly events: string
  readonly description: string
  readonly disabled_reason: DisabledReason | null
  readonly created_at: number
  readonly updated_at: number
  readonly since: number
  readonly failing_since: number | null
  readonly failures: number
  readonly last_success_at: number | null
  readonly fingerprint: string
  readonly sealed: string
  readonly previous: string | null
  readonly previous_until: number | null
}

export interface DeliveryRow {
  readonly webhook_id: string
  readonly id: string
  readonly type: string
  readonly session_id: string | null
  readonly seq: number | null
  readonly body: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly created_at: number
  readonly offered_at: number
  readonly last_attempt_at: number | null
  readonly next_attempt_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
}

const iso = (at: number): string => new Date(at).toISOString()
const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))

export const shownDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  type: row.type,
  session_id: row.session_id,
  seq: row.seq,
  state: row.state,
  attempts: row.attempts,
  created_at: iso(row.created_at),
  last_attempt_at: isoOrNull(row.last_attempt_at),
  next_attempt_at: isoOrNull(row.next_attempt_at),
  last_status: row.last_status,
  last_error: row.last_error,
})

export const shownWebhook = ({ disabled_reason, ...row }: WebhookRow, pending: number): Webhook => ({
  id: row.id,
  url: maskUrl(row.url),
  // The book wrote the list.
  events: JSON.parse(row.events) as ReadonlyArray<string>,
  description: row.description,
  enabled: disabled_reason === null,
  disabled_reason,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  failing_since: isoOrNull(row.failing_since),
  last_success_at: isoOrNull(row.last_success_at),
  pending,
})

// The bodies of the HTTP API about credentials: tickets, API keys, and the limits of a tenant.
// Invariant: every text, list and number that a client sends has a bound; a secret is only in the response that created it.
import * as Schema from "effect/Schema"
import { Scope, TicketRole } from "../access.ts"
import { LimitSettings } from "../limits.ts"

/**
 * The scopes of tickets from before they had roles: `stream` is the role `observe`, `events` is `prompt` and `answer`,
 * `socket` is all three.
 */
export const TicketScope = Schema.Literals(["stream", "events", "socket"])
export type TicketScope = typeof TicketScope.Type

/** `POST /v1/sessions/{id}/tickets`. Without `roles` the ticket observes. */
export const CreateTicket = Schema.Struct({
  roles: Schema.optionalKey(Schema.Array(TicketRole).check(Schema.isMinLength(1), Schema.isMaxLength(8))),
  /** The older form of `roles`. */
  scopes: Schema.optionalKey(Schema.Array(TicketScope).check(Schema.isMinLength(1), Schema.isMaxLength(8))),
  ttl_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3600 }))),
}).annotate({ identifier: "CreateTicket" })

export const Ticket = Schema.Struct({
  /** The id of the ticket in the audit. */
  id: Schema.String,
  ticket: Schema.String,
  roles: Schema.Array(TicketRole),
  expires_at: Schema.String,
}).annotate({ identifier: "Ticket" })

export const TenantName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9-]{1,40}$/, { message: "Expected 1 to 40 of a-z, 0-9 and -" }),
)

/** `POST /v1/admin/keys`. Without `scopes` the key gets all scopes of its creator except `admin`. */
export const CreateKey = Schema.Struct({
  /** The default is the creator's own tenant; the root key must name one. */
  tenant: Schema.optionalKey(TenantName),
  label: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  scopes: Schema.optionalKey(Schema.Array(Scope).check(Schema.isMinLength(1), Schema.isMaxLength(20))),
  /** ISO 8601, in the future. */
  expires_at: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(40)))),
}).annotate({ identifier: "CreateKey" })

/** `POST /v1/admin/keys/{key_id}/roll`. The previous secret works for `overlap_seconds` more: 0 by default, a week at most. */
export const RollKey = Schema.Struct({
  overlap_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 }))),
}).annotate({ identifier: "RollKey" })

export const ApiKeyInfo = Schema.Struct({
  id: Schema.String,
  tenant: Schema.String,
  label: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope),
  created_at: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  /** Accurate to about a minute. */
  last_used_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String),
  /** Until when the previous secret works; null for a key that was never rolled. */
  previous_secret_until: Schema.NullOr(Schema.String),
}).annotate({ identifier: "ApiKey" })
export type ApiKeyInfo = typeof ApiKeyInfo.Type

/** A key with its new secret; `key` is shown this once. */
export const CreatedKey = Schema.Struct({ ...ApiKeyInfo.fields, key: Schema.String }).annotate({
  identifier: "CreatedKey",
})

/** `POST /v1/admin/sign-in-codes`: a code, and the console's address with the code in its fragment. */
export const SignInCode = Schema.Struct({
  code: Schema.String,
  url: Schema.String,
  expires_at: Schema.String,
}).annotate({ identifier: "SignInCode" })

/** `POST /v1/sign-in`. */
export const SignInWithCode = Schema.Struct({
  code: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
}).annotate({ identifier: "SignIn" })

/** A tenant's limits, those of them that were set for it alone, and its current use. */
export const TenantLimits = Schema.Struct({
  own: LimitSettings,
  limits: Schema.Struct({
    requests_per_minute: Schema.Int,
    requests_per_minute_per_key: Schema.Int,
    open_sessions: Schema.Int,
    running_turns: Schema.Int,
    lane_turns: Schema.Int,
    running_workflows: Schema.Int,
    queued_prompts: Schema.Int,
    sockets_per_session: Schema.Int,
    streams_per_session: Schema.Int,
    failed_sign_ins_per_minute: Schema.Int,
  }),
  used: Schema.Struct({
    open_sessions: Schema.Int,
    running_turns: Schema.Int,
    running_workflows: Schema.NullOr(Schema.Int),
  }),
}).annotate({ identifier: "TenantLimits" })

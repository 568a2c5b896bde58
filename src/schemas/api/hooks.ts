// The bodies of the HTTP API about hooks: stored hook events, those that could not be delivered, and webhook secrets.
// Invariant: a secret is only in the response that created it.
import * as Schema from "effect/Schema"

/** A hook event as it was stored. `outcome` has the answers of its hooks, and why a hook gave none. */
export const HookEventInfo = Schema.Struct({
  id: Schema.String,
  session_id: Schema.String,
  /** The seq of the event in its session's log. */
  seq: Schema.Int,
  hook_event_name: Schema.String,
  at: Schema.String,
  input: Schema.Record(Schema.String, Schema.Unknown),
  outcome: Schema.Record(Schema.String, Schema.Unknown),
}).annotate({ identifier: "HookEvent" })
export type HookEventInfo = typeof HookEventInfo.Type

/** A hook event that the queue gave up on. */
export const DeadHookEvent = Schema.Struct({
  ...HookEventInfo.fields,
  died_at: Schema.String,
  reason: Schema.String,
  /** When it was last sent to the queue again; null when it never was. */
  redelivered_at: Schema.NullOr(Schema.String),
}).annotate({ identifier: "DeadHookEvent" })
export type DeadHookEvent = typeof DeadHookEvent.Type

export const DEFAULT_OVERLAP_SECONDS = 86_400

/** For how many seconds the previous secret also signs; DEFAULT_OVERLAP_SECONDS without it, at most 7 days. */
export const OverlapSeconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 }))

/** `POST /v1/webhooks/secret` */
export const RotateWebhookSecret = Schema.Struct({
  overlap_seconds: Schema.optionalKey(OverlapSeconds),
}).annotate({ identifier: "RotateWebhookSecret" })

export const WebhookSecret = Schema.Struct({
  id: Schema.String,
  created_at: Schema.String,
  /** Until when this previous secret keeps signing; null for the current one. */
  retires_at: Schema.NullOr(Schema.String),
}).annotate({ identifier: "WebhookSecret" })
export type WebhookSecret = typeof WebhookSecret.Type

/** A new secret; `secret` is shown this once. */
export const NewWebhookSecret = Schema.Struct({ ...WebhookSecret.fields, secret: Schema.String }).annotate({
  identifier: "NewWebhookSecret",
})

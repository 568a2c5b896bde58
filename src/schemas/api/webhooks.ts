// Webhooks of a tenant: the bodies of the API about them, the body that they deliver, and the RPC of their object.
// Invariant: a secret is only in the response that created it, and an address is shown without what comes after `?` or `#`.
import * as Schema from "effect/Schema"
import { EventPattern } from "../log/event-pattern.ts"
import type { RpcResult } from "../errors/rpc-error.ts"
import { OverlapSeconds } from "./hooks.ts"

export const MAX_WEBHOOKS = 50

const Url = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2048)).annotate({
  description: "A public http or https URL, without a user name in it.",
})
const Events = Schema.Array(EventPattern).check(Schema.isMinLength(1), Schema.isMaxLength(20)).annotate({
  description:
    "Events of the session log by name: `sdk:result/*` (a turn ended), `ask:opened` (an answer is needed), `ask:settled`, `turn:queued`, `session:*`, `hook:fired/PreToolUse`, `**` (all). A pattern that matches no event is refused.",
})
const Description = Schema.String.check(Schema.isMaxLength(500))
const Secret = Schema.String.check(
  Schema.isPattern(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, {
    message: "Expected whsec_ and the base64 of 24 to 64 bytes",
  }),
).annotate({ description: "`whsec_` and the base64 of 24 to 64 bytes." })

/** `POST /v1/webhooks`. Without `secret` one is generated. */
export const CreateWebhook = Schema.Struct({
  url: Url,
  events: Events,
  description: Schema.optionalKey(Description),
  enabled: Schema.optionalKey(Schema.Boolean),
  secret: Schema.optionalKey(Secret),
}).annotate({ identifier: "CreateWebhook" })
export type CreateWebhook = typeof CreateWebhook.Type

/** `PATCH /v1/webhooks/{webhook_id}`: only the given fields are replaced. */
export const UpdateWebhook = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(Events),
  description: Schema.optionalKey(Description),
  enabled: Schema.optionalKey(Schema.Boolean),
}).annotate({ identifier: "UpdateWebhook" })
export type UpdateWebhook = typeof UpdateWebhook.Type

/** Why a webhook is disabled: on request, because it failed for days, or because its address answered 410. */
export const DisabledReason = Schema.Literals(["request", "failing", "gone"])
export type DisabledReason = typeof DisabledReason.Type

/** A webhook as the API shows it. Times are ISO 8601. */
export const Webhook = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  description: Schema.String,
  enabled: Schema.Boolean,
  disabled_reason: Schema.NullOr(DisabledReason),
  created_at: Schema.String,
  updated_at: Schema.String,
  /** Since when every attempt has failed; null when the last one did not. */
  failing_since: Schema.NullOr(Schema.String),
  last_success_at: Schema.NullOr(Schema.String),
  /** The number of deliveries that wait for their next attempt. */
  pending: Schema.Int,
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

/** A new webhook, or one with a new secret; `secret` is shown this once. */
export const NewWebhook = Schema.Struct({ ...Webhook.fields, secret: Schema.String }).annotate({
  identifier: "NewWebhook",
})
export type NewWebhook = typeof NewWebhook.Type

/** `POST /v1/webhooks/{webhook_id}/secret` */
export const RollWebhookSecret = Schema.Struct({
  secret: Schema.optionalKey(Secret),
  overlap_seconds: Schema.optionalKey(OverlapSeconds),
}).annotate({ identifier: "RollWebhookSecret" })
export type RollWebhookSecret = typeof RollWebhookSecret.Type

export const DeliveryState = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryState = typeof DeliveryState.Type

/** The delivery of one event to one webhook. `id` is the `webhook-id` header of every attempt. */
export const WebhookDelivery = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  session_id: Schema.NullOr(Schema.String),
  /** The event's seq in its session's log; null for events that are in no log. */
  seq: Schema.NullOr(Schema.Int),
  state: DeliveryState,
  attempts: Schema.Int,
  created_at: Schema.String,
  last_attempt_at: Schema.NullOr(Schema.String),
  next_attempt_at: Schema.NullOr(Schema.String),
  /** The status of the last attempt's response; null when there was none. */
  last_status: Schema.NullOr(Schema.Int),
  last_error: Schema.NullOr(Schema.String),
}).annotate({ identifier: "WebhookDelivery" })
export type WebhookDelivery = typeof WebhookDelivery.Type

/** The body of a delivery. `data` is the event's payload; a payload of over 64 KB is `{truncated, bytes, event_seq}`. */
export const WebhookEvent = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  timestamp: Schema.String,
  session_id: Schema.NullOr(Schema.String),
  seq: Schema.NullOr(Schema.Int),
  turn_id: Schema.NullOr(Schema.String),
  data: Schema.Unknown,
}).annotate({ identifier: "WebhookEvent" })
export type WebhookEvent = typeof WebhookEvent.Type

/** An event as a session offers it. `at` is milliseconds since 1970, `body` the JSON of a `WebhookEvent`. */
export interface OfferedEvent {
  readonly id: string
  readonly type: string
  readonly session_id: string
  /** Null for an event that is in no log. */
  readonly seq: number | null
  readonly at: number
  readonly body: string
}

export interface DeliveryQuery {
  readonly state?: DeliveryState | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/** A webhook's secret, encrypted with a key that is derived from the root key. */
export interface SealedSecret {
  readonly sealed: string
}

/** A webhook that was created now (`created`), or earlier by the same request. */
export interface CreatedWebhook extends SealedSecret {
  readonly webhook: Webhook
  readonly created: boolean
}

/** The RPC methods of a tenant's webhooks (stub from `env.WEBHOOKS.getByName(tenant)`). Secrets arrive sealed. */
export interface WebhookRpc {
  /** For the id of an existing webhook: returns it if the fingerprint is the same, otherwise an `unprocessable_error`. */
  create(
    id: string,
    webhook: Omit<CreateWebhook, "secret">,
    once: SealedSecret & { readonly fingerprint: string },
  ): Promise<RpcResult<CreatedWebhook>>
  list(): Promise<ReadonlyArray<Webhook>>
  read(id: string): Promise<RpcResult<Webhook>>
  update(id: string, change: UpdateWebhook): Promise<RpcResult<Webhook>>
  remove(id: string): Promise<RpcResult<null>>
  rollSecret(id: string, secret: SealedSecret, overlapMs: number): Promise<RpcResult<Webhook>>
  /** Sends an event `webhook:test`, whatever the webhook's patterns. */
  test(id: string): Promise<RpcResult<WebhookDelivery>>
  deliveries(
    id: string,
    query: DeliveryQuery,
  ): Promise<RpcResult<{ readonly data: ReadonlyArray<WebhookDelivery>; readonly next_cursor: string | null }>>
  redeliver(id: string, delivery: string): Promise<RpcResult<WebhookDelivery>>
  /** The patterns of all enabled webhooks. */
  patterns(): Promise<ReadonlyArray<string>>
  /** Stores each event once for each webhook that subscribes to it, then delivers. Safe to repeat. */
  offer(events: ReadonlyArray<OfferedEvent>): Promise<void>
  /** Call when a session was erased, at `at`: removes its deliveries, and delivers `session:erased`. */
  forget(session: string, at: number): Promise<void>
}

/** The `WEBHOOKS` binding; an object is named by its tenant. */
export interface WebhookNamespace {
  getByName(tenant: string): WebhookRpc
}

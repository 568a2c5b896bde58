// Rows of the route table: the webhooks of a tenant, and their deliveries.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/webhooks.ts"
import { Uuid } from "../../schemas/ids.ts"
import { route } from "../route.ts"
import { answer, Cursor, IDEMPOTENCY, Limit, list, NoFields, onceRoute, page } from "./parts.ts"

const WebhookId = Schema.Struct({ webhook_id: Uuid })
const DeliveryId = Schema.Struct({
  webhook_id: Uuid,
  delivery_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
})

export const createWebhook = route({
  id: "createWebhook",
  method: "post",
  path: "/v1/webhooks",
  summary: "Register a URL that receives events of the tenant's sessions",
  description:
    "Events are posted as JSON, signed according to Standard Webhooks, at least once and in no particular order. A failed delivery is retried for 24 hours. A new webhook receives events within a minute. The response contains its secret, which is shown only once.",
  tag: "webhooks",
  auth: "admin",
  headers: IDEMPOTENCY,
  body: Api.CreateWebhook,
  answers: {
    201: answer("The webhook with its secret; the same response for the same Idempotency-Key.", Api.NewWebhook),
  },
  errors: ["conflict_error", "unprocessable_error"],
  example: { url: "https://example.com/perch", events: ["sdk:result/*", "ask:opened"] },
})

export const listWebhooks = route({
  id: "listWebhooks",
  method: "get",
  path: "/v1/webhooks",
  summary: "List the tenant's webhooks",
  description: "At most 50, the oldest first.",
  tag: "webhooks",
  auth: "admin",
  answers: { 200: answer("The webhooks, without their secrets.", list("data", Api.Webhook)) },
})

export const getWebhook = route({
  id: "getWebhook",
  method: "get",
  path: "/v1/webhooks/{webhook_id}",
  summary: "Read a webhook",
  description: "Its URL, its events and the status of its deliveries; never its secret.",
  tag: "webhooks",
  auth: "admin",
  params: WebhookId,
  answers: { 200: answer("The webhook.", Api.Webhook) },
})

export const updateWebhook = route({
  id: "updateWebhook",
  method: "patch",
  path: "/v1/webhooks/{webhook_id}",
  summary: "Change a webhook, or enable or disable it",
  description:
    "A disabled webhook receives no events, and its pending deliveries are dropped. After it is enabled again it receives new events only.",
  tag: "webhooks",
  auth: "admin",
  params: WebhookId,
  body: Api.UpdateWebhook,
  answers: { 200: answer("The changed webhook.", Api.Webhook) },
  example: { enabled: true },
})

export const deleteWebhook = route({
  id: "deleteWebhook",
  method: "delete",
  path: "/v1/webhooks/{webhook_id}",
  summary: "Remove a webhook and its deliveries",
  description: "Its pending deliveries are dropped.",
  tag: "webhooks",
  auth: "admin",
  params: WebhookId,
  answers: { 204: { description: "Removed." } },
})

export const rollSecretOfWebhook = onceRoute({
  id: "rollWebhookSecret",
  method: "post",
  path: "/v1/webhooks/{webhook_id}/secret",
  summary: "Give a webhook a new secret; it is shown once",
  description:
    "The previous secret keeps signing too until the overlap ends (by default 24 hours; see `overlap_seconds`).",
  tag: "webhooks",
  auth: "admin",
  params: WebhookId,
  body: Api.RollWebhookSecret,
  answers: { 201: answer("The webhook with its new secret.", Api.NewWebhook) },
  example: { overlap_seconds: 3600 },
})

export const testWebhook = onceRoute({
  id: "testWebhook",
  method: "post",
  path: "/v1/webhooks/{webhook_id}/test",
  summary: "Send an event webhook:test to a webhook, whatever its patterns",
  description: "Signed like all other events. 409 while the webhook is disabled.",
  tag: "webhooks",
  auth: "admin",
  params: WebhookId,
  body: NoFields,
  answers: { 202: answer("The delivery is scheduled.", Api.WebhookDelivery) },
})

export const listWebhookDeliveries = route({
  id: "listWebhookDeliveries",
  method: "get",
  path: "/v1/webhooks/{webhook_id}/deliveries",
  summary: "List a webhook's past and pending deliveries, the newest first",
  description: "Deliveries that have ended are kept for three days.",
  tag: "webhooks",
  auth: "admin",
  params: WebhookId,
  query: Schema.Struct({ state: Schema.optionalKey(Api.DeliveryState), limit: Limit(1000), cursor: Cursor }),
  answers: {
    200: answer("A page of deliveries.", page(Api.WebhookDelivery)),
  },
})

export const redeliverWebhookDelivery = onceRoute({
  id: "redeliverWebhookDelivery",
  method: "post",
  path: "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
  summary: "Deliver an event again, whether or not it arrived before",
  description: "With the same `webhook-id`: a receiver that stores the ids recognizes it as a duplicate.",
  tag: "webhooks",
  auth: "admin",
  params: DeliveryId,
  body: NoFields,
  answers: { 202: answer("The delivery is scheduled.", Api.WebhookDelivery) },
  errors: ["conflict_error"],
})

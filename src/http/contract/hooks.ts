// Rows of the route table: hook events and their delivery, and the secrets that HTTP hooks are signed with.
import * as Schema from "effect/Schema"
import {
  DeadHookEvent,
  HookEventInfo,
  NewWebhookSecret,
  RotateWebhookSecret,
  WebhookSecret,
} from "../../schemas/api/hooks.ts"
import { Uuid } from "../../schemas/ids.ts"
import { route } from "../route.ts"
import { answer, Cursor, Limit, list, NoFields, onceRoute, page } from "./parts.ts"

const EventName = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)))

export const listHookEvents = route({
  id: "listHookEvents",
  method: "get",
  path: "/v1/hook-events",
  summary: "List hook events of all sessions, the newest first",
  description:
    "Hook events appear within seconds. A long input or outcome is shortened and has `truncated`; the session's event with the same `seq` contains it in full.",
  tag: "hooks",
  auth: "sessions:read",
  query: Schema.Struct({ session: Schema.optionalKey(Uuid), name: EventName, limit: Limit(1000), cursor: Cursor }),
  answers: { 200: answer("A page of hook events.", page(HookEventInfo)) },
})

export const listDeadHookEvents = route({
  id: "listDeadHookEvents",
  method: "get",
  path: "/v1/hook-events/dead",
  summary: "List hook events that could not be stored, the newest first",
  description: "The queue gave up on them after several attempts. They stay here until they are delivered again.",
  tag: "hooks",
  auth: "sessions:read",
  query: Schema.Struct({ session: Schema.optionalKey(Uuid), limit: Limit(1000), cursor: Cursor }),
  answers: { 200: answer("A page of dead letters.", page(DeadHookEvent)) },
})

export const redeliverHookEvent = onceRoute({
  id: "redeliverHookEvent",
  method: "post",
  path: "/v1/hook-events/dead/{id}/redeliver",
  summary: "Deliver a dead hook event again",
  description:
    "Enqueues it again; it is removed from the list once it is stored. Repeating the request is safe: a hook event is stored once.",
  tag: "hooks",
  auth: "admin",
  params: Schema.Struct({ id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)) }),
  body: NoFields,
  answers: { 202: answer("It is enqueued.", DeadHookEvent) },
})

export const rotateWebhookSecret = onceRoute({
  id: "rotateWebhookSecret",
  method: "post",
  path: "/v1/webhooks/secret",
  summary: "Create a new secret for the signatures of HTTP hooks; it is shown once",
  description:
    "Every call of an HTTP hook is signed according to Standard Webhooks. The previous secret keeps signing too until the overlap ends (by default 24 hours; see `overlap_seconds`); sessions use the new one within a minute.",
  tag: "hooks",
  auth: "admin",
  body: RotateWebhookSecret,
  answers: { 201: answer("The new secret.", NewWebhookSecret) },
  example: { overlap_seconds: 86_400 },
})

export const listWebhookSecrets = route({
  id: "listWebhookSecrets",
  method: "get",
  path: "/v1/webhooks/secret",
  summary: "List the active signing secrets, without their values",
  description: "During an overlap both secrets sign.",
  tag: "hooks",
  auth: "admin",
  answers: { 200: answer("The secrets, the current one first.", list("data", WebhookSecret)) },
})

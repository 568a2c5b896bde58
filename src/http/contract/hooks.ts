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
import { answer, Cursor, Limit, list, onceRoute } from "./parts.ts"

const EventName = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)))
const page = (item: Schema.Top) => list("data", item, { next_cursor: Schema.NullOr(Schema.String) })

export const listHookEvents = route({
  id: "listHookEvents",
  method: "get",
  path: "/v1/hook-events",
  summary: "List hook events of all sessions, the newest first",
  description:
    "Within seconds of the sessions themselves. A long input or outcome is shortened and has `truncated`; the session's event of the same `seq` has the whole.",
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
  description: "The queue gave up on them after several tries. They stay here until they are delivered again.",
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
    "Puts it on the queue again; it leaves the list once it is stored. Asking again meanwhile changes nothing that is delivered: a hook event is stored once.",
  tag: "hooks",
  auth: "admin",
  params: Schema.Struct({ id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)) }),
  answers: { 202: answer("It is on the queue.", DeadHookEvent) },
})

export const rotateWebhookSecret = onceRoute({
  id: "rotateWebhookSecret",
  method: "post",
  path: "/v1/webhooks/secret",
  summary: "Make a new secret for the signatures of HTTP hooks; it is shown once",
  description:
    "Every call of an HTTP hook is signed as Standard Webhooks has it. The previous secret keeps signing too until the overlap ends (24 hours unless `overlap_seconds` is given); sessions use the new one within a minute.",
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
  summary: "List the secrets that sign now, without their texts",
  description: "While a previous secret retires, both sign.",
  tag: "hooks",
  auth: "admin",
  answers: { 200: answer("The current secret first.", list("data", WebhookSecret)) },
})

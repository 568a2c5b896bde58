// Rows of the route table: keys, and the server itself.
import * as Schema from "effect/Schema"
import { ApiKeyInfo, CreateKey, CreatedKey, RollKey, TenantLimits, TenantName } from "../../schemas/api/credentials.ts"
import { Health, Readiness } from "../../schemas/api/readiness.ts"
import { Uuid } from "../../schemas/ids.ts"
import { LimitSettings } from "../../schemas/limits.ts"
import { AuditAction, AuditRecord } from "../../store/audit.ts"
import { route } from "../route.ts"
import { answer, Cursor, Limit, list, onceRoute } from "./parts.ts"

const KeyId = Schema.Struct({ key_id: Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/)) })

export const createKey = onceRoute({
  id: "createKey",
  method: "post",
  path: "/v1/admin/keys",
  summary: "Make an API key for a tenant; it is shown once",
  tag: "admin",
  description:
    "The root key makes keys of every tenant. A tenant's key with the scope `admin` makes keys of its own tenant, which have no scope and no end beyond its own.",
  auth: "admin",
  body: CreateKey,
  answers: { 201: answer("The key.", CreatedKey) },
  errors: ["permission_error"],
  example: { tenant: "acme", label: "production", scopes: ["sessions:read", "sessions:write"] },
})

export const listKeys = route({
  id: "listKeys",
  method: "get",
  path: "/v1/admin/keys",
  summary: "List API keys",
  description: "A tenant's key sees its own tenant's.",
  tag: "admin",
  auth: "admin",
  query: Schema.Struct({ tenant: Schema.optionalKey(TenantName), limit: Limit(1000), cursor: Cursor }),
  answers: {
    200: answer("A page of keys.", list("data", ApiKeyInfo, { next_cursor: Schema.NullOr(Schema.String) })),
  },
})

export const rollKey = onceRoute({
  id: "rollKey",
  method: "post",
  path: "/v1/admin/keys/{key_id}/roll",
  summary: "Give an API key a new secret; it is shown once",
  description:
    "The secret before works until the overlap ends; the one before that ends at once. Tickets end with the secret that made them.",
  tag: "admin",
  auth: "admin",
  params: KeyId,
  body: RollKey,
  answers: { 200: answer("The key with its new secret.", CreatedKey) },
  errors: ["permission_error", "conflict_error"],
  example: { overlap_seconds: 3600 },
})

export const revokeKey = route({
  id: "revokeKey",
  method: "delete",
  path: "/v1/admin/keys/{key_id}",
  summary: "Revoke an API key",
  description: "Takes effect everywhere within a minute.",
  tag: "admin",
  auth: "admin",
  params: KeyId,
  answers: { 204: { description: "Revoked." } },
})

const TenantParam = Schema.Struct({ tenant: TenantName })

export const getLimits = route({
  id: "getLimits",
  method: "get",
  path: "/v1/admin/tenants/{tenant}/limits",
  summary: "How much a tenant may do",
  description:
    "`limits` holds now; `own` is what was set for this tenant, the rest is the deployment's; `used` is what the tenant has of them at this moment, where it is counted.",
  tag: "admin",
  auth: "admin",
  params: TenantParam,
  answers: { 200: answer("The limits.", TenantLimits) },
  errors: ["permission_error"],
})

export const setLimits = route({
  id: "setLimits",
  method: "put",
  path: "/v1/admin/tenants/{tenant}/limits",
  summary: "Set a tenant's own limits",
  description:
    "Only the root key does. The body replaces what was set before; a limit that it does not name is the deployment's. Takes effect everywhere within a minute.",
  tag: "admin",
  auth: "admin",
  params: TenantParam,
  body: LimitSettings,
  answers: { 200: answer("The limits.", TenantLimits) },
  errors: ["permission_error"],
  example: { requests_per_minute: 600, running_turns: 20 },
})

export const listAudit = route({
  id: "listAudit",
  method: "get",
  path: "/v1/audit",
  summary: "List who did what, the newest first",
  description:
    "Ids, never content. `actor` is the id of a key or of a ticket. A tenant's key sees its own tenant's; the root key sees all, or those of `tenant`. What a session did is here within seconds.",
  tag: "admin",
  auth: "admin",
  query: Schema.Struct({
    tenant: Schema.optionalKey(TenantName),
    session: Schema.optionalKey(Uuid),
    actor: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))),
    action: Schema.optionalKey(AuditAction),
    limit: Limit(1000),
    cursor: Cursor,
  }),
  answers: {
    200: answer(
      "A page of entries.",
      list("data", AuditRecord.annotate({ identifier: "AuditRecord" }), { next_cursor: Schema.NullOr(Schema.String) }),
    ),
  },
  errors: ["permission_error"],
})

export const healthz = route({
  id: "healthz",
  method: "get",
  path: "/healthz",
  summary: "Whether the Worker answers",
  description:
    "Answers 200 while the Worker runs, with the versions of what runs and the bindings that its configuration lacks. Calls nothing behind it.",
  tag: "server",
  auth: "none",
  answers: { 200: answer("It does.", Health) },
})

export const readyz = route({
  id: "readyz",
  method: "get",
  path: "/readyz",
  summary: "Whether the server can do its work",
  description:
    "Asks D1, also whether it has all migrations, a session's object and a tenant's object, each for at most two seconds, and looks for the queue, the root key and settings that can't be read. Not ready is a 503. With the root key the answer lists each check, otherwise only whether the server is ready. It is the same for five seconds.",
  tag: "server",
  auth: "none",
  answers: { 200: answer("It can.", Readiness) },
  errors: ["service_unavailable_error"],
})

export const metrics = route({
  id: "metrics",
  method: "get",
  path: "/v1/admin/metrics",
  summary: "Metrics in Prometheus' text format",
  description:
    "Sessions by state, turns by outcome and duration, model requests, tokens, costs and dead letters are D1's own counts, over all isolates; `perch_isolate_…` is what the isolate that answers has counted since it began. The root key gets all tenants or `tenant`; a tenant's key its own, without the isolate's. docs/operations/metrics.md lists them.",
  tag: "admin",
  auth: "admin",
  query: Schema.Struct({ tenant: Schema.optionalKey(TenantName) }),
  answers: { 200: { description: "The metrics.", contentType: "text/plain" } },
  errors: ["permission_error"],
})

export const openapi = route({
  id: "openapi",
  method: "get",
  path: "/openapi.json",
  summary: "This document",
  description: "Made from the table that requests are validated by.",
  tag: "server",
  auth: "none",
  answers: { 200: { description: "OpenAPI 3.1.", contentType: "application/json" } },
})

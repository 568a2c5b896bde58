// Rows of the route table: keys, and the server itself.
import * as Schema from "effect/Schema"
import { ApiKeyInfo, CreateKey, CreatedKey, RollKey, TenantLimits, TenantName } from "../../schemas/api/credentials.ts"
import { Health, Readiness } from "../../schemas/api/readiness.ts"
import { Uuid } from "../../schemas/ids.ts"
import { LimitSettings } from "../../schemas/limits.ts"
import { AuditAction, AuditRecord } from "../../store/audit.ts"
import { route } from "../route.ts"
import { answer, Cursor, Limit, list, onceRoute } from "./parts.ts"

const KeyId = Schema.Struct({
  key_id: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{16}$/, { message: "Expected the id of a key: 16 hexadecimal digits in lower case" }),
  ),
})

export const createKey = onceRoute({
  id: "createKey",
  method: "post",
  path: "/v1/admin/keys",
  summary: "Create an API key for a tenant; it is shown once",
  tag: "admin",
  description:
    "The root key creates keys for any tenant. A tenant's key with the scope `admin` creates keys for its own tenant, which can't have more scopes or expire later than itself.",
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
  description: "A tenant's key sees the keys of its own tenant.",
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
    "The previous secret works until the overlap ends; earlier ones (at most two) no longer than that. Tickets expire with the secret that created them.",
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
  summary: "Read a tenant's limits",
  description:
    "`limits` are the limits that apply now; `own` are those that were set for this tenant, the others are the deployment's; `used` is the tenant's current usage, where it is counted.",
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
    "Requires the root key. The body replaces the previous settings; for limits that it omits the deployment's apply. Takes effect everywhere within a minute.",
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
    "Entries contain ids, never content. `actor` is the id of a key or of a ticket. A tenant's key sees the entries of its own tenant; the root key sees all, or those of `tenant`. Entries of sessions appear within seconds.",
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
  summary: "Check whether the Worker responds",
  description:
    "Returns 200 while the Worker runs, with the running versions and the bindings that are missing in its configuration. It calls no other service.",
  tag: "server",
  auth: "none",
  answers: { 200: answer("The Worker responds.", Health) },
})

export const readyz = route({
  id: "readyz",
  method: "get",
  path: "/readyz",
  summary: "Check whether the server is ready",
  description:
    "Checks D1 and its migrations, a session's object and a tenant's object, each for at most two seconds, as well as the queue, the root key and settings that can't be read. A server that is not ready is a 503. With the root key the response lists each check, otherwise only whether the server is ready. It is cached for five seconds.",
  tag: "server",
  auth: "none",
  answers: { 200: answer("The server is ready.", Readiness) },
  errors: ["service_unavailable_error"],
})

export const metrics = route({
  id: "metrics",
  method: "get",
  path: "/v1/admin/metrics",
  summary: "Read metrics in Prometheus' text format",
  description:
    "Sessions by state, turns by outcome and duration, model requests, tokens, costs and dead letters are counted in D1, over all isolates; `perch_isolate_…` are the counts of the responding isolate since it started. The root key gets all tenants or `tenant`; a tenant's key gets its own tenant, without the isolate's counts. docs/operations/metrics.md lists them.",
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
  description: "Generated from the route table that requests are validated with.",
  tag: "server",
  auth: "none",
  answers: { 200: { description: "OpenAPI 3.1.", contentType: "application/json" } },
})

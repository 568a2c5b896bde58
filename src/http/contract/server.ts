// Rows of the route table: keys, and the server itself.
import { Schema } from "effect"
import * as Api from "../../schemas/api.ts"
import { route } from "../route.ts"
import { answer, Cursor, Limit, list } from "./parts.ts"

export const createKey = route({
  id: "createKey",
  method: "post",
  path: "/v1/admin/keys",
  summary: "Make an API key for a tenant; it is shown once",
  tag: "admin",
  auth: "root",
  body: Api.CreateKey,
  answers: { 201: answer("The key.", Api.CreatedKey) },
  example: { tenant: "acme", label: "production" },
})

export const listKeys = route({
  id: "listKeys",
  method: "get",
  path: "/v1/admin/keys",
  summary: "List API keys",
  tag: "admin",
  auth: "root",
  query: Schema.Struct({ tenant: Schema.optionalKey(Api.TenantName), limit: Limit(1000), cursor: Cursor }),
  answers: {
    200: answer("A page of keys.", list("data", Api.ApiKeyInfo, { next_cursor: Schema.NullOr(Schema.String) })),
  },
})

export const revokeKey = route({
  id: "revokeKey",
  method: "delete",
  path: "/v1/admin/keys/{key_id}",
  summary: "Revoke an API key",
  description: "Takes effect everywhere within a minute.",
  tag: "admin",
  auth: "root",
  params: Schema.Struct({ key_id: Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/)) }),
  answers: { 204: { description: "Revoked." } },
})

export const healthz = route({
  id: "healthz",
  method: "get",
  path: "/healthz",
  summary: "Whether the Worker answers",
  tag: "server",
  auth: "none",
  answers: { 200: answer("It does.", Schema.Struct({ status: Schema.Literal("ok") })) },
})

export const openapi = route({
  id: "openapi",
  method: "get",
  path: "/openapi.json",
  summary: "This document",
  tag: "server",
  auth: "none",
  answers: { 200: { description: "OpenAPI 3.1.", contentType: "application/json" } },
})

// Rows of the route table: permissions that the reply `always` saved, for a session or for a tenant.
import * as Schema from "effect/Schema"
import { SavedPermission } from "../../../schemas/permissions-saved.ts"
import { Uuid } from "../../../schemas/ids.ts"
import { route } from "../../route.ts"
import { answer, list, SessionId } from "../parts.ts"

const SavedId = Schema.String.check(
  Schema.isPattern(/^sav_[0-9a-f]{16}$/, { message: "Expected the id of a saved permission" }),
)

export const listSavedPermissions = route({
  id: "listSavedPermissions",
  method: "get",
  path: "/v1/sessions/{id}/permissions/saved",
  summary: "List a session's saved permissions",
  description:
    "Permissions that were answered with `always`, here or for the whole tenant. They do not override rules that ask or deny.",
  tag: "permissions",
  auth: "sessions:read",
  params: SessionId,
  answers: { 200: answer("Saved permissions.", list("saved", SavedPermission)) },
})

export const revokeSavedPermission = route({
  id: "revokeSavedPermission",
  method: "delete",
  path: "/v1/sessions/{id}/permissions/saved/{saved_id}",
  summary: "Revoke a saved permission of a session",
  description:
    "From the next call on the session asks again. Permissions with the scope `tenant` are revoked at `/v1/permissions/saved`.",
  tag: "permissions",
  auth: "sessions:write",
  params: Schema.Struct({ id: Uuid, saved_id: SavedId }),
  answers: { 200: answer("The remaining saved permissions.", list("saved", SavedPermission)) },
})

export const listTenantPermissions = route({
  id: "listTenantPermissions",
  method: "get",
  path: "/v1/permissions/saved",
  summary: "List the saved permissions of all sessions",
  description: "Permissions that were answered with `always` and the scope `tenant`.",
  tag: "permissions",
  auth: "sessions:read",
  answers: { 200: answer("Saved permissions.", list("saved", SavedPermission)) },
})

export const revokeTenantPermission = route({
  id: "revokeTenantPermission",
  method: "delete",
  path: "/v1/permissions/saved/{saved_id}",
  summary: "Revoke a saved permission of all sessions",
  description: "Turns that start within the next minute may still use it.",
  tag: "permissions",
  auth: "sessions:write",
  params: Schema.Struct({ saved_id: SavedId }),
  answers: { 204: { description: "Revoked." } },
  errors: ["not_found_error"],
})

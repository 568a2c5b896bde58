// The routes of saved permissions: a session's are in its object, a tenant's are definitions in D1.
// Invariant: a tenant's permission is stored after the answer that saves it is accepted; repeating the answer stores it again.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SavedApproval, type SavedPermission } from "../../../schemas/permissions-saved.ts"
import { deleteDefinition, listDefinitions, putDefinition } from "../../../store/definitions.ts"
import { noteDefinitions } from "../../auth/definition-versions.ts"
import { contract } from "../../contract/contract.ts"
import { ApiError, fromStore } from "../../errors/errors.ts"
import { type App, type Caller, handle, json } from "../../handle.ts"
import { callSession } from "../../sessions/session-call.ts"

const KIND = "permission"
const decodeApproval = Schema.decodeUnknownSync(SavedApproval)

export const permissionRoutes = (app: App): void => {
  handle(
    app,
    contract.listSavedPermissions,
    Effect.fnUntraced(function* ({ params }, { session }) {
      const { saved } = yield* callSession(session, params.id, (stub) => stub.savedPermissions())
      return json(200, { saved: saved.map(shown) })
    }),
  )

  handle(
    app,
    contract.revokeSavedPermission,
    Effect.fnUntraced(function* ({ params }, { actor, session }) {
      const { saved } = yield* callSession(session, params.id, (stub) => stub.savedPermissions(params.saved_id, actor))
      return json(200, { saved: saved.map(shown) })
    }),
  )

  handle(
    app,
    contract.listTenantPermissions,
    Effect.fnUntraced(function* (_input, { env, tenant }) {
      const stored = yield* fromStore(listDefinitions(env.DB, tenant, KIND))
      return json(200, { saved: stored.map(({ value }) => shown(decodeApproval(value))) })
    }),
  )

  handle(
    app,
    contract.revokeTenantPermission,
    Effect.fnUntraced(function* ({ params }, { env, tenant }) {
      const version = yield* fromStore(deleteDefinition(env.DB, { tenant, kind: KIND, name: params.saved_id }))
      if (version === null) {
        const message = "There is no such saved permission. GET /v1/permissions/saved lists them."
        return yield* new ApiError({ type: "not_found_error", message })
      }
      noteDefinitions(tenant, version)
      return new Response(null, { status: 204 })
    }),
  )
}

const shown = ({ id, permission, pattern, scope, created_at }: SavedApproval): SavedPermission => ({
  id,
  permission,
  pattern,
  scope,
  created_at: new Date(created_at).toISOString(),
})

/** Stores the permissions that an answer saved for all of the tenant's sessions. */
export const storeApprovals = Effect.fnUntraced(function* (
  { env, tenant }: Pick<Caller, "env" | "tenant">,
  saved: ReadonlyArray<SavedApproval>,
) {
  for (const { version: _, ...value } of saved) {
    const definition = { tenant, kind: KIND, name: value.id, value, sealed: null, at: value.created_at } as const
    const written = yield* fromStore(putDefinition(env.DB, definition))
    if (written.state === "full") {
      const message =
        "The answer applies to this session, but the tenant has reached its maximum number of saved permissions. Revoke some, and send the answer again."
      return yield* new ApiError({ type: "conflict_error", message })
    }
    if (written.state !== "exists") noteDefinitions(tenant, written.version)
  }
})

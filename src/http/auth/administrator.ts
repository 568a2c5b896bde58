// Receives a request to an administrator's route; returns its principal, and the tenants that it may read.
// Invariant: the root key has access to every tenant, any other key only to its own.
import * as Effect from "effect/Effect"
import { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import type { Principal } from "./auth.ts"

/** The principal, which every route with authentication has. */
export const adminOf = ({ principal }: Pick<Caller, "principal">): Effect.Effect<Principal> =>
  principal === null ? Effect.die(new Error("an administrator's route has no principal")) : Effect.succeed(principal)

/** The tenant whose rows to read; undefined means all tenants. Fails when a tenant's key names another tenant. */
export const tenantToRead = (
  admin: Principal,
  asked: string | undefined,
): Effect.Effect<string | undefined, ApiError> => {
  if (admin.root) return Effect.succeed(asked)
  if (asked === undefined || asked === admin.tenant) return Effect.succeed(admin.tenant)
  return Effect.fail(new ApiError({ type: "permission_error", message: "The API key is for another tenant" }))
}

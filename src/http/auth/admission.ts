// Receives a principal; admits its request, or refuses it because its tenant or key has sent too many in this minute.
// Invariant: below the limit no request waits for the count; administrative requests of the root key are never refused.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Permit } from "../../limits/request-permits.ts"
import { tenantLoad } from "../../limits/tenant-load.ts"
import type { Principal, SignIn } from "./auth.ts"
import { ApiError } from "../errors/errors.ts"
import { unreadableSetting } from "./unreadable-setting.ts"

/** Acquires a permit for one request. `onPermit` receives it even when the request is then refused. */
export const admit = Effect.fnUntraced(function* (
  { tenant, keyId }: Principal,
  { env, later }: SignIn,
  onPermit: (permit: Permit) => void = () => undefined,
): Effect.fn.Return<void, ApiError> {
  const unreadable = unreadableSetting(env)
  if (unreadable !== null) return yield* new ApiError({ type: "not_configured_error", message: unreadable })
  const now = yield* Clock.currentTimeMillis
  const access = { tenant: env.TENANTS.getByName(tenant), later, now: () => now }
  const admission = tenantLoad(env, tenant).requests.admit(keyId, access)
  const permit = admission instanceof Promise ? yield* Effect.promise(() => admission) : admission
  onPermit(permit)
  if (permit.admitted) return
  const message = `More than ${permit.limit} requests in a minute. Try again when the minute is over.`
  return yield* new ApiError({ type: "rate_limit_error", message, retry_after: Math.ceil((permit.until - now) / 1000) })
})

// The routes of administrators: API keys and the audit log. The root key manages all tenants', a tenant's key its own tenant's.
// Invariants: a secret is shown once, when it is created; a key can't give another key more rights than it has itself.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DEFAULT_SCOPES, type Scope } from "../../schemas/access.ts"
import { listAudit } from "../../store/audit.ts"
import {
  type ApiKeyState,
  findApiKeys,
  insertApiKey,
  listApiKeys,
  newKeyInfo,
  revokeApiKey,
  rollApiKey,
  toInfo,
} from "../../store/api-keys.ts"
import { countRuns } from "../../store/workflow-runs.ts"
import type { TenantState } from "../../schemas/limits.ts"
import { tenantLoad } from "../../limits/tenant-load.ts"
import { adminOf, tenantToRead } from "../auth/administrator.ts"
import { audited } from "../auth/audited.ts"
import { hashApiKey, makeApiKey } from "../auth/api-key.ts"
import { type Principal, ROOT_TENANT } from "../auth/auth.ts"
import { calendarTime } from "../bodies/calendar-time.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, fromStore, invalidField } from "../errors/errors.ts"
import { type App, type Caller, handle, json } from "../handle.ts"
import { fromObject } from "../object-call.ts"
import { forgetApiKey } from "../auth/key-states.ts"

export const adminRoutes = (app: App): void => {
  handle(
    app,
    contract.createKey,
    Effect.fnUntraced(function* ({ body }, caller) {
      const admin = yield* adminOf(caller)
      const tenant = yield* tenantOf(admin, body.tenant)
      const scopes = body.scopes ?? DEFAULT_SCOPES.filter((scope) => admin.scopes.includes(scope))
      if (scopes.length === 0) {
        return yield* invalidField(
          "scopes",
          "is missing, and the key that creates this one has no scope but admin. Send the scopes of the new key.",
        )
      }
      yield* mustHave(admin, scopes)
      const createdAt = yield* Clock.currentTimeMillis
      const expiresAt = yield* endOf(admin, body.expires_at ?? null, createdAt)
      const { id, text } = makeApiKey(tenant, keyIdOf(caller.creationId))
      const hash = yield* Effect.promise(() => hashApiKey(text))
      const key = { id, tenant, hash, label: body.label ?? null, scopes: [...new Set(scopes)], createdAt, expiresAt }
      yield* fromStore(insertApiKey(caller.env.DB, key))
      yield* audited(caller, "key:created", id, { id: caller.creationId, tenant })
      return json(201, { ...newKeyInfo(key), key: text })
    }),
  )

  handle(
    app,
    contract.listKeys,
    Effect.fnUntraced(function* ({ query }, caller) {
      const tenant = yield* tenantToRead(yield* adminOf(caller), query.tenant)
      const page = { ...query, ...(tenant === undefined ? {} : { tenant }), limit: query.limit ?? 100 }
      return json(200, yield* fromStore(listApiKeys(caller.env.DB, page)))
    }),
  )

  handle(
    app,
    contract.rollKey,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const admin = yield* adminOf(caller)
      const key = yield* ownKey(admin, params.key_id, caller)
      // The caller receives the new secret, which must not have more scopes than the caller's own key.
      yield* mustHave(admin, key.scopes)
      const now = yield* Clock.currentTimeMillis
      if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) {
        return yield* new ApiError({
          type: "conflict_error",
          message: "The API key has expired or was revoked. Create a new one.",
        })
      }
      if (admin.expires !== null && (key.expiresAt === null || key.expiresAt > admin.expires)) {
        return yield* new ApiError({
          type: "permission_error",
          message: "The API key expires later than the one that rolls it",
        })
      }
      const { text } = makeApiKey(key.tenant, key.id)
      const hash = yield* Effect.promise(() => hashApiKey(text))
      const previousUntil = now + (body.overlap_seconds ?? 0) * 1000
      const rolled = yield* fromStore(rollApiKey(caller.env.DB, key, { hash, previousUntil }))
      forgetApiKey(key.id)
      if (!rolled) {
        return yield* new ApiError({ type: "conflict_error", message: "The API key was changed meanwhile. Try again." })
      }
      yield* audited(caller, "key:rolled", key.id, { id: caller.creationId, tenant: key.tenant })
      return json(200, { ...toInfo({ ...key, previousUntil }), key: text })
    }),
  )

  handle(
    app,
    contract.revokeKey,
    Effect.fnUntraced(function* ({ params }, caller) {
      const admin = yield* adminOf(caller)
      const key = yield* ownKey(admin, params.key_id, caller)
      const now = yield* Clock.currentTimeMillis
      yield* fromStore(revokeApiKey(caller.env.DB, key.id, now))
      forgetApiKey(key.id)
      if (key.revokedAt === null)
        yield* audited(caller, "key:revoked", key.id, { id: caller.creationId, tenant: key.tenant })
      return new Response(null, { status: 204 })
    }),
  )

  handle(
    app,
    contract.getLimits,
    Effect.fnUntraced(function* ({ params }, caller) {
      yield* tenantToRead(yield* adminOf(caller), params.tenant)
      const state = yield* fromObject("tenant's object", () => caller.env.TENANTS.getByName(params.tenant).limits())
      return json(200, yield* withRuns(caller, params.tenant, state))
    }),
  )

  handle(
    app,
    contract.setLimits,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const admin = yield* adminOf(caller)
      if (!admin.root) {
        return yield* new ApiError({ type: "permission_error", message: "Only the root key may set limits" })
      }
      const set = yield* fromObject("tenant's object", () =>
        caller.env.TENANTS.getByName(params.tenant).setLimits(body),
      )
      tenantLoad(caller.env, params.tenant).adopt(set.limits)
      return json(200, yield* withRuns(caller, params.tenant, set))
    }),
  )

  handle(
    app,
    contract.listAudit,
    Effect.fnUntraced(function* ({ query }, caller) {
      const { tenant: asked, ...filters } = query
      const tenant = yield* tenantToRead(yield* adminOf(caller), asked)
      const page = { ...filters, ...(tenant === undefined ? {} : { tenant }), limit: query.limit ?? 100 }
      return json(200, yield* fromStore(listAudit(caller.env.DB, page)))
    }),
  )
}

/** A key's id: sixteen of the random hex digits of a UUID. */
const keyIdOf = (creationId: string): string => `${creationId.slice(0, 8)}${creationId.slice(-8)}`

/** The tenant of a new key: the administrator's own, or for the root key the one that the request names. */
const tenantOf = Effect.fnUntraced(function* (admin: Principal, asked: string | undefined) {
  if (!admin.root) return (yield* tenantToRead(admin, asked)) ?? admin.tenant
  if (asked === undefined) return yield* invalidField("tenant", "is missing")
  if (asked !== ROOT_TENANT) return asked
  return yield* invalidField("tenant", "`root` is the root key's own tenant")
})

/** Adds the number of running workflows, which D1 has; null when D1 can't be read, so that the limits are still shown. */
const withRuns = ({ env }: Caller, tenant: string, { used, ...state }: TenantState) =>
  Effect.map(
    Effect.orElseSucceed(countRuns(env.DB, tenant), () => null),
    (running_workflows) => ({ ...state, used: { ...used, running_workflows } }),
  )

const mustHave = (admin: Principal, scopes: ReadonlyArray<Scope>): Effect.Effect<void, ApiError> => {
  const missing = scopes.filter((scope) => !admin.scopes.includes(scope))
  if (missing.length === 0) return Effect.void
  const message = `The API key can't grant a scope that it lacks: ${missing.join(", ")}`
  return Effect.fail(new ApiError({ type: "permission_error", message, field: "scopes" }))
}

/** When a new key expires: never later than the key that creates it. */
const endOf = Effect.fnUntraced(function* (admin: Principal, asked: string | null, now: number) {
  if (asked === null) return admin.expires
  const at = /^\d{4}-\d{2}-\d{2}T/.test(asked) ? calendarTime(asked) : Number.NaN
  if (Number.isNaN(at)) {
    return yield* invalidField("expires_at", "must be a time, such as 2030-01-31T12:00:00Z")
  }
  if (at <= now) return yield* invalidField("expires_at", "has passed already. Choose a time in the future.")
  if (admin.expires !== null && at > admin.expires) {
    return yield* new ApiError({
      type: "permission_error",
      message: "The API key would expire later than the one that creates it",
    })
  }
  return at
})

/** A key that the administrator may change; another tenant's key is a 404. */
const ownKey = Effect.fnUntraced(function* (
  admin: Principal,
  id: string,
  { env }: Caller,
): Effect.fn.Return<ApiKeyState, ApiError> {
  const [key] = yield* fromStore(findApiKeys(env.DB, [id]))
  if (key !== undefined && (admin.root || key.tenant === admin.tenant)) return key
  return yield* new ApiError({ type: "not_found_error", message: "There is no API key with this id" })
})

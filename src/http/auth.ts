// Receives a request's credentials; returns whose request it is.
// Invariant: nobody passes while no root key is set, and a ticket opens only the session and endpoint it names.
import { Clock, Effect } from "effect"
import type { TicketScope } from "../schemas/api.ts"
import type { Env } from "../schemas/env.ts"
import { findApiKeyHash } from "../store/api-keys.ts"
import { hashApiKey, parseApiKey, sameHash } from "./api-key.ts"
import { ApiError, fromStore } from "./errors.ts"
import { type TicketClaims, verifyTicket } from "./ticket.ts"

/** Who asks. Only the root key is `root`; its tenant has that name too. */
export interface Principal {
  readonly tenant: string
  readonly root: boolean
}

export const ROOT_TENANT = "root"
const CACHE_MS = 60_000
const CACHE_SIZE = 1000

/** Good keys seen by this isolate, by hash: one D1 read per key and minute. */
const seen = new Map<string, { readonly id: string; readonly tenant: string; readonly until: number }>()

/** Makes this isolate forget a key; others notice within a minute. */
export const forgetApiKey = (id: string): void => {
  for (const [hash, entry] of seen) if (entry.id === id) seen.delete(hash)
}

/** The root key; without one the API is closed. */
export const rootKey = (env: Env): Effect.Effect<string, ApiError> =>
  env.PERCH_ROOT_KEY === undefined || env.PERCH_ROOT_KEY === ""
    ? Effect.fail(
        new ApiError({
          type: "not_configured_error",
          message: "This server has no root key yet. Set the secret PERCH_ROOT_KEY and try again.",
        }),
      )
    : Effect.succeed(env.PERCH_ROOT_KEY)

/** The owner of the key in `Authorization: Bearer KEY` or `x-api-key: KEY`. */
export const authenticate = Effect.fnUntraced(function* (headers: Headers, env: Env) {
  yield* rootKey(env)
  const presented = keyOf(headers)
  if (presented === null) {
    return yield* unauthenticated("An API key is needed: `Authorization: Bearer KEY` or `x-api-key: KEY`")
  }
  return yield* authenticateKey(presented, env)
})

/** True when the headers hold something that is meant as a key, good or not. */
export const presentsKey = (headers: Headers): boolean => headers.has("authorization") || headers.has("x-api-key")

/** Whoever a text speaks for that may be a key or a ticket. */
export const authenticateToken = Effect.fnUntraced(function* (token: string, wanted: TicketUse, env: Env) {
  const root = yield* rootKey(env)
  const claims = yield* Effect.promise(() => verifyTicket(root, token))
  return yield* claims === null ? authenticateKey(token, env) : judgeTicket(claims, wanted)
})

const authenticateKey = Effect.fnUntraced(function* (presented: string, env: Env) {
  const root = yield* rootKey(env)
  const [hash, rootHash] = yield* Effect.promise(() => Promise.all([hashApiKey(presented), hashApiKey(root)]))
  if (sameHash(hash, rootHash)) return { tenant: ROOT_TENANT, root: true } satisfies Principal
  const tenant = yield* tenantOf(presented, hash, env)
  if (tenant === null) return yield* unauthenticated("The API key is not valid")
  return { tenant, root: false } satisfies Principal
})

/** What a ticket is presented for. */
export interface TicketUse {
  readonly session: string
  readonly scope: TicketScope
}

/** The tenant that a ticket speaks for, when it is good for this session and endpoint. */
export const authenticateTicket = Effect.fnUntraced(function* (ticket: string, wanted: TicketUse, env: Env) {
  const root = yield* rootKey(env)
  const claims = yield* Effect.promise(() => verifyTicket(root, ticket))
  if (claims === null) return yield* unauthenticated("The ticket is not valid")
  return yield* judgeTicket(claims, wanted)
})

/** A genuine ticket may still be too old, or for something else. */
const judgeTicket = Effect.fnUntraced(function* (claims: TicketClaims, wanted: TicketUse) {
  const now = yield* Clock.currentTimeMillis
  if (claims.expires * 1000 <= now) return yield* unauthenticated("The ticket has expired")
  if (claims.session !== wanted.session || !claims.scopes.includes(wanted.scope)) {
    return yield* unauthenticated("The ticket is for something else")
  }
  return { tenant: claims.tenant, root: false } satisfies Principal
})

const unauthenticated = (message: string): ApiError => new ApiError({ type: "authentication_error", message })

const keyOf = (headers: Headers): string | null => {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1]
  const key = bearer ?? headers.get("x-api-key")?.trim()
  return key === undefined || key === "" || key.length > 512 ? null : key
}

/** Whose key this is, or null when nobody's (unknown, revoked or not a key at all). */
const tenantOf = Effect.fnUntraced(function* (presented: string, hash: string, env: Env) {
  const key = parseApiKey(presented)
  if (key === null) return null
  const now = yield* Clock.currentTimeMillis
  const known = seen.get(hash)
  if (known !== undefined && known.until > now) return known.tenant
  seen.delete(hash)
  const stored = yield* fromStore(findApiKeyHash(env.DB, key.tenant, key.id))
  if (stored === null || !sameHash(stored, hash)) return null
  if (seen.size >= CACHE_SIZE) seen.delete(seen.keys().next().value ?? "")
  seen.set(hash, { id: key.id, tenant: key.tenant, until: now + CACHE_MS })
  return key.tenant
})

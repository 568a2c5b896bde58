// Receives a request's credentials; returns who sends the request and what it may do.
// Invariant: no credential is accepted while the server has no root key of at least 32 characters; a ticket is valid only for
// the session and roles that it names, and only as long as the key that created it.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Actor, ROOT, rolesOf, type Scope, SCOPE_OF_ROLE, SCOPES, type TicketRole } from "../../schemas/access.ts"
import type { Env } from "../../schemas/env.ts"
import { blockedUntil, noteFailure } from "../../limits/sign-ins.ts"
import { sameHash } from "../../net/same-hash.ts"
import { hashApiKey, looksLikeApiKey, parseApiKey } from "./api-key.ts"
import { validUntil } from "../../store/api-keys.ts"
import { ApiError, unauthenticated } from "../errors/errors.ts"
import { definitionsField, readRootDefinitions } from "./definition-versions.ts"
import { isKnownKey, keyState, NEW_SECRET_MS, noteUse } from "./key-states.ts"
import { looksLikeTicket, type TicketClaims, verifyTicket } from "./ticket.ts"

/** Who sends a request. `root` is true only for the root key, whose tenant and key id are both named `root`. */
export interface Principal {
  readonly tenant: string
  readonly root: boolean
  readonly keyId: string
  readonly scopes: ReadonlyArray<Scope>
  readonly ticket?: { readonly id: string; readonly roles: ReadonlyArray<TicketRole>; readonly session: string }
  /** The client's IP address; null where the platform does not report it. */
  readonly address: string | null
  /** How often the key had been rolled when this secret or ticket was created. */
  readonly generation: number
  /** When the credential expires, in milliseconds since 1970; null when it does not. */
  readonly expires: number | null
  /** When the key was last read from D1, in milliseconds since 1970. */
  readonly checked: number
}

/** What authentication needs of a request in addition to its credentials. */
export interface SignIn {
  readonly env: Env
  readonly address: string | null
  /** Keeps the Worker alive for work that the response does not wait for. */
  readonly later: (work: Promise<unknown>) => void
}

export const ROOT_TENANT = ROOT
const ROOT_KEY_ID = ROOT
const ROOT_KEY_LENGTH = 32

/** The root key; fails with `not_configured_error` when it is missing or too short. */
export const rootKey = ({ PERCH_ROOT_KEY: key = "" }: Env): Effect.Effect<string, ApiError> => {
  if (key === "") return notConfigured("This server has no root key yet. Set the secret PERCH_ROOT_KEY and try again.")
  return key.length < ROOT_KEY_LENGTH
    ? notConfigured(
        `The root key of this server is too short. Set the secret PERCH_ROOT_KEY to a random text of at least ${ROOT_KEY_LENGTH} characters.`,
      )
    : Effect.succeed(key)
}

const notConfigured = (message: string) => Effect.fail(new ApiError({ type: "not_configured_error", message }))

/** The owner of the key in `Authorization: Bearer KEY` or `x-api-key: KEY`. */
export const authenticate = Effect.fnUntraced(function* (headers: Headers, signIn: SignIn) {
  yield* rootKey(signIn.env)
  const [bearer, header] = [bearerKey(headers), headers.get("x-api-key")?.trim() || null]
  if (bearer !== null && header !== null && bearer !== header) return yield* unauthenticated(TWO_KEYS)
  const presented = bearer ?? header
  if (presented === null || presented.length > MAX_KEY) return yield* unauthenticated(missingKey(headers))
  return yield* authenticateKey(presented, signIn)
})

/** Whether the headers have something that is meant as a key, valid or not. */
export const presentsKey = (headers: Headers): boolean => headers.has("authorization") || headers.has("x-api-key")

/** Authenticates a text that is a key or a ticket, for the session and roles in `wanted`. */
export const authenticateToken = Effect.fnUntraced(function* (token: string, wanted: TicketUse, signIn: SignIn) {
  if (looksLikeTicket(token)) return yield* authenticateTicket(token, wanted, signIn)
  yield* rootKey(signIn.env)
  const principal = yield* authenticateKey(token, signIn)
  yield* requireScope(principal, wanted.scope)
  return principal
})

/** Failed sign-ins are counted per address; above the limit, keys that this isolate does not know yet are refused. */
const authenticateKey = (presented: string, signIn: SignIn): Effect.Effect<Principal, ApiError> =>
  Effect.tapError(ownerOf(presented, signIn), (error) => failedSignIn(error, signIn))

const failedSignIn = Effect.fnUntraced(function* (error: ApiError, signIn: SignIn) {
  if (error.type !== "authentication_error") return
  const now = yield* Clock.currentTimeMillis
  yield* refuseBlocked(signIn, now)
  noteFailure(signIn, now)
})

const refuseBlocked = (signIn: SignIn, now: number): Effect.Effect<void, ApiError> => {
  const until = blockedUntil(signIn, now)
  if (until === null) return Effect.void
  const message = "Too many sign-ins from this address have failed. Try again later."
  return Effect.fail(new ApiError({ type: "rate_limit_error", message, retry_after: Math.ceil((until - now) / 1000) }))
}

const ownerOf = Effect.fnUntraced(function* (presented: string, signIn: SignIn): Effect.fn.Return<Principal, ApiError> {
  const { env, address, later } = signIn
  const root = yield* rootKey(env)
  const now = yield* Clock.currentTimeMillis
  const [hash, rootHash] = yield* Effect.promise(() => Promise.all([hashApiKey(presented), hashApiKey(root)]))
  if (sameHash(hash, rootHash)) {
    yield* readRootDefinitions(env.DB, now, later)
    return rootPrincipal(address, now)
  }
  const parsed = parseApiKey(presented)
  if (parsed === null) {
    return yield* unauthenticated(
      looksLikeApiKey(presented)
        ? "The API key is malformed. Check that it was copied whole."
        : `The API key is not valid${notOurs(presented)}`,
    )
  }
  if (!isKnownKey(parsed.id)) yield* refuseBlocked(signIn, now)
  const known = yield* keyState(env.DB, parsed.id)
  const isNew = known.key !== null && generationOf(known.key, hash) === null
  const { key, checked } = isNew ? yield* keyState(env.DB, parsed.id, NEW_SECRET_MS) : known
  const generation = key === null || key.tenant !== parsed.tenant ? null : generationOf(key, hash)
  if (key === null || generation === null) return yield* unauthenticated("The API key is not valid")
  const expires = validUntil(key, generation, now)
  if (expires === false) return yield* unauthenticated(whyEnded(key, now))
  noteUse(env.DB, key.id, now, later)
  const { id: keyId, tenant, scopes } = key
  return { tenant, root: false, keyId, scopes, address, generation, expires, checked } satisfies Principal
})

const rootPrincipal = (address: string | null, now: number): Principal => ({
  tenant: ROOT_TENANT,
  root: true,
  keyId: ROOT_KEY_ID,
  scopes: SCOPES,
  address,
  generation: 0,
  expires: null,
  checked: now,
})

interface Hashes {
  readonly hash: string
  readonly previousHash: string | null
  readonly generation: number
}

/** The generation of the key's secret that has this hash; null when none has it. */
const generationOf = ({ hash, previousHash, generation }: Hashes, presented: string): number | null => {
  if (sameHash(hash, presented)) return generation
  return previousHash !== null && sameHash(previousHash, presented) ? generation - 1 : null
}

const whyEnded = (key: { readonly revokedAt: number | null; readonly expiresAt: number | null }, now: number): string =>
  key.revokedAt !== null
    ? "The API key was revoked"
    : key.expiresAt !== null && key.expiresAt <= now
      ? "The API key has expired"
      : "The API key was rolled. Use its new secret."

/** The use for which a credential is presented: a ticket needs one of the roles, a key needs the scope. */
export interface TicketUse {
  readonly session: string
  readonly roles: ReadonlyArray<TicketRole>
  readonly scope: Scope
}

/** The principal of a ticket. Fails unless the ticket is valid for the session and one of the roles in `wanted`. */
export const authenticateTicket = (
  ticket: string,
  wanted: TicketUse,
  signIn: SignIn,
): Effect.Effect<Principal, ApiError> =>
  Effect.tapError(bearerOf(ticket, wanted, signIn), (error) => failedSignIn(error, signIn))

const bearerOf = Effect.fnUntraced(function* (
  ticket: string,
  wanted: TicketUse,
  { env, address, later }: SignIn,
): Effect.fn.Return<Principal, ApiError> {
  yield* rootKey(env)
  const now = yield* Clock.currentTimeMillis
  const claims = yield* verifyTicket(env.DB, ticket, now)
  if (claims === null) return yield* unauthenticated("The ticket is not valid")
  const principal = yield* ticketPrincipal(claims, env, address)
  if (claims.session !== wanted.session) return yield* unauthenticated("The ticket is for another session")
  if (!wanted.roles.some((role) => principal.ticket.roles.includes(role))) {
    const message = `The ticket has none of the roles that this needs: ${wanted.roles.join(", ")}`
    return yield* new ApiError({ type: "permission_error", message })
  }
  if (!principal.root) noteUse(env.DB, claims.key, now, later)
  return principal
})

/** The principal of a ticket's claims; its roles and scopes are limited to what its key may do now. */
const ticketPrincipal = Effect.fnUntraced(function* (claims: TicketClaims, env: Env, address: string | null) {
  const now = yield* Clock.currentTimeMillis
  const { tenant, session, generation } = claims
  const ends = claims.expires * 1000
  if (ends <= now) return yield* unauthenticated("The ticket has expired")
  const ticket = { id: claims.id, roles: claims.roles, session }
  const common = { tenant, root: false, keyId: claims.key, ticket, address, generation }
  if (claims.key === ROOT_KEY_ID && tenant === ROOT_TENANT) {
    return { ...common, scopes: SCOPES, expires: ends, checked: now } satisfies Principal
  }
  const { key, checked } = yield* keyState(env.DB, claims.key)
  const good = key === null || key.tenant !== tenant ? false : validUntil(key, generation, now)
  if (key === null || good === false)
    return yield* unauthenticated("The key that created this ticket has expired or was revoked")
  const roles = claims.roles.filter((role) => key.scopes.includes(SCOPE_OF_ROLE[role]))
  const expires = Math.min(ends, good ?? ends)
  return { ...common, ticket: { ...ticket, roles }, scopes: key.scopes, expires, checked } satisfies Principal
})

/** Whether credentials that were valid at sign-in are still valid. Reads D1 only when the cache of `keyState` has expired. */
export const isStillValid = Effect.fnUntraced(function* (principal: Principal, env: Env) {
  const now = yield* Clock.currentTimeMillis
  if (principal.expires !== null && principal.expires <= now) return false
  if (principal.keyId === ROOT_KEY_ID) return true
  const { key } = yield* keyState(env.DB, principal.keyId)
  return key !== null && validUntil(key, principal.generation, now) !== false
})

/** Refuses a principal without the scope. */
export const requireScope = ({ scopes }: Principal, scope: Scope): Effect.Effect<void, ApiError> =>
  scopes.includes(scope)
    ? Effect.void
    : Effect.fail(new ApiError({ type: "permission_error", message: `The API key lacks the scope ${scope}` }))

/** The principal as a session knows it. */
export const actorOf = ({ keyId, tenant, ticket, scopes, address, ...validity }: Principal): Actor => ({
  key: keyId,
  ...(ticket === undefined ? {} : { ticket: ticket.id }),
  ...(address === null ? {} : { address }),
  roles: ticket?.roles ?? rolesOf(scopes),
  // A ticket never grants bypass, whatever its key may do.
  bypass: ticket === undefined && scopes.includes("bypass"),
  files: scopes.includes("files"),
  generation: validity.generation,
  expires: validity.expires,
  checked: validity.checked,
  ...definitionsField(tenant),
})

const HOW = "`Authorization: Bearer KEY` or `x-api-key: KEY`"

/** Why a request has no key, and its sender's probable mistake. Nothing that was sent is repeated but a known scheme's name. */
const missingKey = (headers: Headers): string => {
  const sent = headers.get("authorization")?.trim()
  if (sent === undefined) return `An API key is needed: ${HOW}; it can't be in the URL`
  const [scheme = "", rest] = sent.split(/\s+/)
  if (/^Bearer$/i.test(scheme)) {
    return rest === undefined
      ? `The API key is empty. Is its variable set? Send ${HOW}`
      : `An API key is needed: ${HOW}`
  }
  if (/^(?:Basic|Digest|Token|Key|ApiKey)$/i.test(scheme)) {
    return `The scheme ${scheme} is not supported. Send ${HOW}`
  }
  return `The Authorization header lacks \`Bearer \` before the key. Send ${HOW}`
}

/** A hint at what a text that is no key of this server probably is. */
const notOurs = (presented: string): string => {
  if (presented.startsWith("sk-ant-")) {
    return ": it is a key of Anthropic's. Send a key of this server; the model's key is a setting of the server"
  }
  if (/^\$|^\{|^%|^<|^your/i.test(presented)) {
    return ": it looks like the name of a variable. Put the key itself there; in a shell use double quotes around the header"
  }
  return ""
}

const TWO_KEYS = "Authorization and x-api-key contain different keys. Send one of them"

const MAX_KEY = 512

const bearerKey = (headers: Headers): string | null =>
  /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null

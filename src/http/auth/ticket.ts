// Signs and verifies tickets: short-lived credentials for clients that can't send headers, each for one session and some roles.
// Invariant: the HMAC covers all of a ticket; its key is random, stored in D1 and used for nothing else, so that a ticket
// reveals nothing about the server's other secrets.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64Url from "effect/encoding/Base64Url"
import { TicketRole } from "../../schemas/access.ts"
import { TenantName } from "../../schemas/api/credentials.ts"
import { Uuid } from "../../schemas/ids.ts"
import { findTicketKey, signingKey, type TicketKey } from "../../store/ticket-keys.ts"
import { randomHex } from "./api-key.ts"
import { fromStore } from "../errors/errors.ts"

const Claims = Schema.Struct({
  id: Schema.String,
  tenant: TenantName,
  session: Uuid,
  /** The id of the API key that created the ticket, or `root`; `generation` is how often that key had been rolled. */
  key: Schema.String,
  generation: Schema.Int,
  roles: Schema.Array(TicketRole),
  /** Seconds since 1970. */
  expires: Schema.Int,
})
export type TicketClaims = typeof Claims.Type

const decodeClaims = Schema.decodeUnknownOption(Schema.fromJsonString(Claims))

/** `KEY_ID.CLAIMS.SIGNATURE`; the signature covers key id and claims. A key that an operator stored may have a longer id. */
const FORM = /^([0-9a-f]{8,32})\.([\w-]+)\.([\w-]+)$/

/** Whether a text has the form of a ticket. */
export const looksLikeTicket = (text: string): boolean => FORM.test(text.slice(0, 2048))

/** How often an isolate reads the signing key from D1, in ms; a new key is in use everywhere within that time. */
const SIGNING_MS = 60_000
const MAX_UNKNOWN = 1000

interface KnownKeys {
  signing: { readonly key: TicketKey; readonly until: number } | null
  readonly byId: Map<string, { readonly key: TicketKey | null; readonly until: number }>
}

const known = new WeakMap<D1Database, KnownKeys>()

const keysOf = (db: D1Database): KnownKeys => {
  const found = known.get(db)
  if (found !== undefined) return found
  const made: KnownKeys = { signing: null, byId: new Map() }
  known.set(db, made)
  return made
}

/** Returns the text of a ticket: the id of the signing key, the claims and the HMAC-SHA-256, the last two in base64url. */
export const signTicket = Effect.fnUntraced(function* (db: D1Database, claims: TicketClaims, now: number) {
  const keys = keysOf(db)
  if (keys.signing === null || keys.signing.until <= now) {
    const fresh = { id: randomHex(4), secret: randomHex(32) }
    keys.signing = { key: yield* fromStore(signingKey(db, fresh, now)), until: now + SIGNING_MS }
  }
  const { id, secret } = keys.signing.key
  const signed = `${id}.${Base64Url.encode(JSON.stringify(claims))}`
  const signature = yield* Effect.promise(async () =>
    crypto.subtle.sign("HMAC", await hmacKey(secret), new TextEncoder().encode(signed)),
  )
  return `${signed}.${Base64Url.encode(new Uint8Array(signature))}`
})

/** The claims of a ticket, or null when this server did not sign it. The caller checks its expiry and its API key. */
export const verifyTicket = Effect.fnUntraced(function* (db: D1Database, ticket: string, now: number) {
  const match = ticket.length > 2048 ? null : FORM.exec(ticket)
  if (match === null) return null
  const [, id = "", payload = "", signature = ""] = match
  const key = yield* keyOf(db, id, now)
  const signed = Result.getOrUndefined(Base64Url.decode(signature))
  const bytes = Result.getOrUndefined(Base64Url.decode(payload))
  if (key === null || signed === undefined || bytes === undefined) return null
  const genuine = yield* Effect.promise(async () =>
    crypto.subtle.verify("HMAC", await hmacKey(key.secret), signed, new TextEncoder().encode(`${id}.${payload}`)),
  )
  if (!genuine) return null
  const claims = decodeClaims(new TextDecoder().decode(bytes))
  return claims._tag === "Some" ? claims.value : null
})

const keyOf = Effect.fnUntraced(function* (db: D1Database, id: string, now: number) {
  const { byId } = keysOf(db)
  const found = byId.get(id)
  if (found !== undefined && found.until > now) return found.key
  const key = yield* fromStore(findTicketKey(db, id))
  if (byId.size >= MAX_UNKNOWN) byId.clear()
  byId.set(id, { key, until: now + SIGNING_MS })
  return key
})

const hmacKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ])

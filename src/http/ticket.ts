// Tickets: short-lived proofs for clients that cannot send headers, each for one session and a few endpoints.
// Invariant: a ticket says nothing that its HMAC does not cover, and dies with the root key that signed it.
import { Schema } from "effect"
import { TenantName, TicketScope } from "../schemas/api.ts"
import { Uuid } from "../schemas/ids.ts"

const Claims = Schema.Struct({
  tenant: TenantName,
  session: Uuid,
  scopes: Schema.Array(TicketScope),
  /** Seconds since 1970. */
  expires: Schema.Int,
})
export type TicketClaims = typeof Claims.Type

const decodeClaims = Schema.decodeUnknownOption(Schema.fromJsonString(Claims))

/** The text of a ticket: the claims and their HMAC-SHA-256, both in base64url. */
export const signTicket = async (rootKey: string, claims: TicketClaims): Promise<string> => {
  const payload = toBase64Url(new TextEncoder().encode(JSON.stringify(claims)))
  const signature = await crypto.subtle.sign("HMAC", await ticketKey(rootKey), new TextEncoder().encode(payload))
  return `${payload}.${toBase64Url(new Uint8Array(signature))}`
}

/** What a ticket says, or null when it is not one of ours. Its expiry is for the caller to judge. */
export const verifyTicket = async (rootKey: string, ticket: string): Promise<TicketClaims | null> => {
  const [payload, signature, ...rest] = ticket.slice(0, 2048).split(".")
  if (payload === undefined || signature === undefined || rest.length > 0) return null
  const signed = fromBase64Url(signature)
  const bytes = fromBase64Url(payload)
  if (signed === null || bytes === null) return null
  const genuine = await crypto.subtle.verify(
    "HMAC",
    await ticketKey(rootKey),
    signed,
    new TextEncoder().encode(payload),
  )
  if (!genuine) return null
  const claims = decodeClaims(new TextDecoder().decode(bytes))
  return claims._tag === "Some" ? claims.value : null
}

/** A key of its own, so that no other use of the root key can be mistaken for a ticket. */
const ticketKey = async (rootKey: string): Promise<CryptoKey> => {
  const encode = (text: string) => new TextEncoder().encode(text)
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const root = await crypto.subtle.importKey("raw", encode(rootKey), hmac, false, ["sign"])
  const derived = await crypto.subtle.sign("HMAC", root, encode("perch/ticket/v1"))
  return crypto.subtle.importKey("raw", derived, hmac, false, ["sign", "verify"])
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

const fromBase64Url = (text: string): Uint8Array | null => {
  if (!/^[\w-]+$/.test(text)) return null
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0))
  } catch {
    return null // a length that no base64 text has
  }
}

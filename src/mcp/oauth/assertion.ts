// Receives a client's private key; returns the assertion with which the client authenticates at a token endpoint
// (`private_key_jwt`, RFC 7523).
// Invariant: the key is never sent, only a signature that is valid for one audience and for five minutes.
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { SigningAlgorithm } from "../../schemas/sdk/options/mcp-oauth.ts"
import { cannot, type OAuthError } from "./oauth-error.ts"

export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

const LIFETIME_SECONDS = 300

/** The key with which a client signs. */
export interface ClientKey {
  readonly privateKey: string
  readonly keyId?: string
  readonly signingAlgorithm?: SigningAlgorithm
}

type Signing = SubtleCryptoImportKeyAlgorithm & SubtleCryptoSignAlgorithm

const SIGNINGS: Readonly<Record<SigningAlgorithm, Signing>> = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  EdDSA: { name: "Ed25519" },
}

/** Kinds of keys by the object identifiers (DER, hexadecimal) at the start of a PKCS #8 document, with their algorithms. */
const KINDS: ReadonlyArray<readonly [identifier: string, algorithms: ReadonlyArray<SigningAlgorithm>]> = [
  ["06092a864886f70d010101", ["RS256", "PS256"]],
  ["06082a8648ce3d030107", ["ES256"]],
  ["06052b81040022", ["ES384"]],
  ["06032b6570", ["EdDSA"]],
]
const HEAD_BYTES = 32

/** The algorithm of a key: `wanted`, or the first one of its kind; null if it is no key, or not of the wanted kind. */
export const algorithmOf = (pem: string, wanted?: SigningAlgorithm): SigningAlgorithm | null => {
  const der = derOf(pem)
  if (der === null) return null
  const head = Buffer.from(der.subarray(0, HEAD_BYTES)).toString("hex")
  const [, algorithms = []] = KINDS.find(([identifier]) => head.includes(identifier)) ?? []
  return algorithms.find((one) => wanted === undefined || one === wanted) ?? null
}

const derOf = (pem: string): Uint8Array | null => {
  const [, text] = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----$/.exec(pem.trim()) ?? []
  return text === undefined ? null : new Uint8Array(Buffer.from(text, "base64"))
}

/** The assertion (a JWT) of `client` for `audience`. `now` is in milliseconds since 1970. Fails when the key can't sign. */
export const assertion = (
  { privateKey, keyId, signingAlgorithm }: ClientKey,
  client: string,
  audience: string,
  now: number,
): Effect.Effect<string, OAuthError> => {
  const der = derOf(privateKey)
  const alg = algorithmOf(privateKey, signingAlgorithm)
  if (der === null || alg === null) return Effect.fail(NO_KEY)
  const signing = SIGNINGS[alg]
  const issued = Math.floor(now / 1000)
  const header = { alg, typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) }
  const claims = {
    iss: client,
    sub: client,
    aud: audience,
    jti: crypto.randomUUID(),
    iat: issued,
    exp: issued + LIFETIME_SECONDS,
  }
  const text = [header, claims].map((part) => Base64Url.encode(JSON.stringify(part))).join(".")
  return Effect.tryPromise({
    try: async () => {
      const key = await crypto.subtle.importKey("pkcs8", der, signing, false, ["sign"])
      const signature = await crypto.subtle.sign(signing, key, new TextEncoder().encode(text))
      return `${text}.${Base64Url.encode(new Uint8Array(signature))}`
    },
    catch: () => NO_KEY,
  })
}

const NO_KEY = cannot("oauth.privateKey is not a key that can sign.")

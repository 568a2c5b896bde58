// Receives a text and the root key; encrypts the text, and decrypts it again.
// Invariant: what is sealed can be opened only with the same root key and for the same owner; a copy of the database alone
// does not reveal it.
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import * as Base64Url from "effect/encoding/Base64Url"
import { joinBytes } from "../net/join-bytes.ts"

const IV_BYTES = 12

/** Encrypts with AES-GCM under a key derived from the root key; `unseal` needs the same `owner`. Returns base64. */
export const seal = async (rootKey: string, owner: string, text: string): Promise<string> =>
  Base64.encode(await encrypted(rootKey, owner, text))

/** Rejects when the text was sealed under another root key or for another owner. */
export const unseal = async (rootKey: string, owner: string, sealed: string): Promise<string> =>
  decrypted(rootKey, owner, Result.getOrThrow(Base64.decode(sealed)))

const encrypted = async (rootKey: string, owner: string, text: string): Promise<Uint8Array> => {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const cipher = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: encode(owner) },
    await sealingKey(rootKey),
    encode(text),
  )
  return joinBytes([iv, new Uint8Array(cipher)])
}

const decrypted = async (rootKey: string, owner: string, bytes: Uint8Array): Promise<string> => {
  const plain = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES), additionalData: encode(owner) },
    await sealingKey(rootKey),
    bytes.subarray(IV_BYTES),
  )
  return new TextDecoder().decode(plain)
}

/** Derives a key for sealing alone, so that nothing made for another use of the root key can be opened here. */
const sealingKey = async (rootKey: string): Promise<CryptoKey> => {
  const root = await crypto.subtle.importKey("raw", encode(rootKey), "HKDF", false, ["deriveKey"])
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encode("perch/seal/v1") }
  return crypto.subtle.deriveKey(derivation, root, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
}

const encode = (text: string) => new TextEncoder().encode(text)

/** The content of an authorization's `state`, readable by Perch alone. `expires_at` is in milliseconds since 1970. */
export interface AuthorizationState {
  readonly tenant: string
  readonly session: string
  readonly nonce: string
  readonly expires_at: number
}

const STATE = "mcp-authorization-state"

/** Seals the state as text for a URL. */
export const sealState = async (rootKey: string, state: AuthorizationState): Promise<string> =>
  Base64Url.encode(await encrypted(rootKey, STATE, JSON.stringify(state)))

/** Null when the text was not sealed by `sealState` under this root key. */
export const unsealState = async (rootKey: string, text: string): Promise<AuthorizationState | null> => {
  try {
    // Only `sealState` seals under this owner, so the JSON is such a state.
    const bytes = Result.getOrThrow(Base64Url.decode(text))
    return JSON.parse(await decrypted(rootKey, STATE, bytes)) as AuthorizationState
  } catch {
    return null
  }
}

// Receives a text and the root key; encrypts the text, and decrypts it again.
// Invariant: what is sealed can be opened only with the same root key and for the same owner; a copy of the database alone
// does not reveal it.

const IV_BYTES = 12

/** Encrypts with AES-GCM under a key derived from the root key; `unseal` needs the same `owner`. */
export const seal = async (rootKey: string, owner: string, text: string): Promise<string> => {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const cipher = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: encode(owner) },
    await sealingKey(rootKey),
    encode(text),
  )
  return toBase64(new Uint8Array([...iv, ...new Uint8Array(cipher)]))
}

/** Rejects when the text was sealed under another root key or for another owner. */
export const unseal = async (rootKey: string, owner: string, sealed: string): Promise<string> => {
  const bytes = Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0))
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

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

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
  (await seal(rootKey, STATE, JSON.stringify(state))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")

/** Null when the text was not sealed by `sealState` under this root key. */
export const unsealState = async (rootKey: string, text: string): Promise<AuthorizationState | null> => {
  try {
    // Only `sealState` seals under this owner, so the JSON is such a state.
    return JSON.parse(
      await unseal(rootKey, STATE, text.replaceAll("-", "+").replaceAll("_", "/")),
    ) as AuthorizationState
  } catch {
    return null
  }
}

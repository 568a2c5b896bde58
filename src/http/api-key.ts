// The text of an API key: `perch_{tenant}_{id}_{secret}`. Makes, reads, hashes and compares keys.
// Invariant: keys are only ever compared by their SHA-256, in a time that does not depend on where they differ.

const KEY = /^perch_([a-z0-9-]{1,40})_([0-9a-f]{16})_([0-9a-f]{48})$/

export interface ApiKey {
  readonly tenant: string
  readonly id: string
  readonly text: string
}

/** A new key for a tenant: 192 random bits. */
export const makeApiKey = (tenant: string): ApiKey => {
  const id = randomHex(8)
  return { tenant, id, text: `perch_${tenant}_${id}_${randomHex(24)}` }
}

/** The parts of a tenant's key, or null when the text is not one. */
export const parseApiKey = (text: string): ApiKey | null => {
  const match = KEY.exec(text)
  if (match === null) return null
  const [, tenant = "", id = ""] = match
  return { tenant, id, text }
}

/** SHA-256 in hex. */
export const hashApiKey = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))))

/** Compares two hashes without stopping at the first difference. */
export const sameHash = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

const randomHex = (bytes: number): string => toHex(crypto.getRandomValues(new Uint8Array(bytes)))

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

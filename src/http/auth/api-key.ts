// The text of an API key: `perch_{tenant}_{id}_{secret}{checksum}`. Generates, parses and hashes keys.
// Invariants: keys are compared only by their SHA-256, in constant time; a text with a wrong checksum is refused without a
// read of D1.
import { toHex } from "../../schemas/ids.ts"

const KEY = /^perch_([a-z0-9-]{1,40})_([0-9a-f]{16})_([0-9a-f]{48})([0-9a-f]{8})?$/

export interface ApiKey {
  readonly tenant: string
  readonly id: string
  readonly text: string
}

/** Generates a key for a tenant: 192 random bits and their checksum. With the id of a key, generates a new secret for it. */
export const makeApiKey = (tenant: string, id: string = randomHex(8)): ApiKey => {
  const text = `perch_${tenant}_${id}_${randomHex(24)}`
  return { tenant, id, text: `${text}${checksum(text)}` }
}

/** The parts of a tenant's key, or null when the text is not one. Keys of earlier versions have no checksum. */
export const parseApiKey = (text: string): ApiKey | null => {
  const match = KEY.exec(text)
  if (match === null) return null
  const [, tenant = "", id = "", , sum] = match
  return sum === undefined || sum === checksum(text.slice(0, -sum.length)) ? { tenant, id, text } : null
}

/** Whether a text is meant as a tenant's key, even if it is incomplete or mistyped. */
export const looksLikeApiKey = (text: string): boolean => text.startsWith("perch_")

/** SHA-256 in hex. */
export const hashApiKey = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))))

export const randomHex = (bytes: number): string => toHex(crypto.getRandomValues(new Uint8Array(bytes)))

/** CRC-32 (IEEE) of an ASCII text, in hex: detects typos and truncated keys; it is not a security measure. */
const checksum = (text: string): string => {
  let crc = 0xffff_ffff
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0)
  }
  return ((crc ^ 0xffff_ffff) >>> 0).toString(16).padStart(8, "0")
}

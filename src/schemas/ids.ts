// Receives the time and randomness; returns the ids of sessions, messages and keys.
// Invariant: a session id and a message uuid are always lower-case UUIDs, as official clients require.
import * as Schema from "effect/Schema"

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID in lower case. */
export const Uuid = Schema.String.check(Schema.isPattern(UUID, { message: "Expected a lower-case UUID" }))
export type Uuid = typeof Uuid.Type

export const isUuid = (value: string): boolean => UUID.test(value)

/** The bytes as two lower-case digits each. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const format = (bytes: Uint8Array, version: 7 | 8): string => {
  bytes[6] = (bytes[6]! & 0x0f) | (version << 4)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const text = toHex(bytes)
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-")
}

/** A UUIDv7: sorts by `now` (milliseconds since 1970). */
export const uuidV7 = (now: number): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  let rest = now
  for (let index = 5; index >= 0; index -= 1) {
    bytes[index] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return format(bytes, 7)
}

/** A UUIDv8 that is a hash of the given texts: the same texts return the same id. */
export const uuidV8 = async (...texts: ReadonlyArray<string>): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(texts)))
  return uuidOfDigest(new Uint8Array(digest))
}

/** A UUIDv8 of a digest of at least 16 bytes. */
export const uuidOfDigest = (digest: Uint8Array): string => format(digest.slice(0, 16), 8)

// This isolate's cache of API keys: receives an id, returns the key's state as D1 had it at most `CACHE_MS` ago.
// Invariant: one D1 read per key and `CACHE_MS`, also for ids that do not exist; while D1 can't be reached, a cached state is
// used for at most `STALE_MS`. A key's last use is written at most once a minute, and no request waits for that.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type ApiKeyState, findApiKeys, touchApiKey } from "../../store/api-keys.ts"
import { type ApiError, fromStore } from "../errors/errors.ts"
import { noteDefinitions } from "./definition-versions.ts"

/** Streams check their key every 15 s (`HEARTBEAT_MS`), so they end within a minute of their key. */
const CACHE_MS = 40_000
/** A revoked key is refused everywhere within this time, even if D1 can't be reached. */
const STALE_MS = 60_000
/** An unknown secret may be a new one, so D1 is read again, but at most once in this time, since it may also be a guess. */
export const NEW_SECRET_MS = 1_000
const CACHE_SIZE = 2000
const TOUCH_MS = 60_000

interface Entry {
  readonly key: ApiKeyState | null
  /** When the key was read from D1, in milliseconds since 1970. */
  readonly checked: number
}

const entries = new Map<string, Entry>()
const touched = new Map<string, number>()

/** Drops a key from this isolate's cache; other isolates read D1 again within `CACHE_MS`. */
export const forgetApiKey = (id: string): void => {
  entries.delete(id)
}

/** True when this isolate has read a key with this id from D1. */
export const isKnownKey = (id: string): boolean => entries.get(id)?.key != null

/**
 * The key with this id, or null, as D1 had it at most `maxAge` ms ago, and when it was read. While D1 can't be reached, the
 * state of at most `STALE_MS` ago; without one it fails with `service_unavailable_error`.
 */
export const keyState = Effect.fnUntraced(function* (
  db: D1Database,
  id: string,
  maxAge: number = CACHE_MS,
): Effect.fn.Return<Entry, ApiError> {
  const now = yield* Clock.currentTimeMillis
  const known = entries.get(id)
  if (known !== undefined && known.checked + maxAge > now && known.checked <= now) return known
  const found = yield* Effect.result(fromStore(findApiKeys(db, [id])))
  if (found._tag === "Failure") {
    if (known !== undefined && known.checked + STALE_MS > now && known.checked <= now) return known
    return yield* found.failure
  }
  const [key = null] = found.success
  if (key?.definitions !== undefined) noteDefinitions(key.tenant, key.definitions)
  const entry: Entry = { key, checked: now }
  if (entries.size >= CACHE_SIZE) entries.delete(entries.keys().next().value ?? "")
  entries.set(id, entry)
  return entry
})

/** Records that a key was used, without delaying the request. */
export const noteUse = (db: D1Database, id: string, now: number, later: (work: Promise<unknown>) => void): void => {
  const before = touched.get(id)
  if (before !== undefined && before + TOUCH_MS > now && before <= now) return
  if (touched.size >= CACHE_SIZE) touched.delete(touched.keys().next().value ?? "")
  touched.set(id, now)
  // Losing this write is harmless: the next use of the key writes it again.
  later(Effect.runPromise(Effect.ignore(touchApiKey(db, id, now))))
}

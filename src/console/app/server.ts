// The signed-in server: the typed client and the transport of one API key, which session storage keeps until the tab closes.
// Invariant: the key leaves this file only in requests to the page's own origin.
import { computed, signal } from "@preact/signals"
import { type PerchClient, perchClient } from "../../client/api/perch-client.ts"
import { PerchError } from "../../client/api/perch-error.ts"
import { Transport } from "../../client/api/transport.ts"

const KEY = "perch.key"
/** Storage item with the id of a key that came from a sign-in code. Only this page has that key, so signing out revokes it. */
const KEY_ID = "perch.key.id"

export interface Server {
  readonly client: PerchClient
  /** For routes without a method in the typed client. */
  readonly transport: Transport
  /** The tenant of the key; `root` for the root key. */
  readonly tenant: string
}

const serverOf = (apiKey: string): Server => ({
  client: perchClient({ url: location.origin, apiKey }),
  transport: new Transport({ url: location.origin, apiKey }),
  tenant: /^perch_([^_]+)_[^_]+_/.exec(apiKey)?.[1] ?? "root",
})

const key = signal<string | null>(sessionStorage.getItem(KEY))

/** The reason why the server has ended the sign-in; null otherwise. */
export const endedBecause = signal<string | null>(null)

/** Null until a key is entered. */
export const server = computed(() => (key.value === null ? null : serverOf(key.value)))

/** The server, for code that only runs while signed in. */
export const signedIn = (): Server => {
  const { value } = server
  if (value === null) throw new Error("Nothing is signed in.")
  return value
}

/** Tests the key with a request; throws a PerchError with the reason when the server rejects it. */
export const signIn = async (apiKey: string): Promise<void> => {
  await new Transport({ url: location.origin, apiKey, maxRetries: 1 }).json("GET", "/v1/sessions", {
    query: { limit: 1 },
  })
  sessionStorage.setItem(KEY, apiKey)
  sessionStorage.removeItem(KEY_ID)
  endedBecause.value = null
  key.value = apiKey
}

export const keepKeyId = (id: string): void => sessionStorage.setItem(KEY_ID, id)

export const signOut = (): void => {
  const id = sessionStorage.getItem(KEY_ID)
  // If this request fails, the key still expires in a few hours.
  if (id !== null) server.value?.transport.send("DELETE", `/v1/admin/keys/${encodeURIComponent(id)}`).catch(() => {})
  sessionStorage.removeItem(KEY)
  sessionStorage.removeItem(KEY_ID)
  key.value = null
}

/** The message of an error, as one sentence. If the key is no longer valid, this ends the sign-in and shows the reason there. */
export const messageOf = (error: unknown): string => {
  const message = sentenceOf(error instanceof Error ? error.message : String(error))
  if (error instanceof PerchError && error.status === 401 && key.value !== null) {
    endedBecause.value = message
    signOut()
  }
  return message
}

const sentenceOf = (message: string): string => (/[\p{L}\p{N}")]$/u.test(message) ? `${message}.` : message)

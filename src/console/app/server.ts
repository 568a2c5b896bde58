// The signed-in server: the typed client and the transport of one API key, which session storage keeps until the tab closes.
// Invariant: the key leaves this file in requests to the page's own origin alone.
import { computed, signal } from "@preact/signals"
import { type PerchClient, perchClient } from "../../client/api/perch-client.ts"
import { PerchError } from "../../client/api/perch-error.ts"
import { Transport } from "../../client/api/transport.ts"

const KEY = "perch.key"
/** The id of a key that a sign-in code gave: this page alone has it, so that signing out ends it. */
const KEY_ID = "perch.key.id"

export interface Server {
  readonly client: PerchClient
  /** For routes that the typed client has no method for. */
  readonly transport: Transport
  /** The tenant of the key. The root key is the tenant `root`. */
  readonly tenant: string
}

const serverOf = (apiKey: string): Server => ({
  client: perchClient({ url: location.origin, apiKey }),
  transport: new Transport({ url: location.origin, apiKey }),
  tenant: /^perch_([^_]+)_[^_]+_/.exec(apiKey)?.[1] ?? "root",
})

const key = signal<string | null>(sessionStorage.getItem(KEY))

/** Why the server has ended the sign-in; null while it has not. */
export const endedBecause = signal<string | null>(null)

/** Null until a key is entered. */
export const server = computed(() => (key.value === null ? null : serverOf(key.value)))

/** For code below the sign-in: there is a server. */
export const signedIn = (): Server => {
  const { value } = server
  if (value === null) throw new Error("Nothing is signed in.")
  return value
}

/** Tries the key with a request; throws a PerchError with the reason when the server refuses it. */
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
  // The key ends by itself in a few hours, should this request fail.
  if (id !== null) server.value?.transport.send("DELETE", `/v1/admin/keys/${encodeURIComponent(id)}`).catch(() => {})
  sessionStorage.removeItem(KEY)
  sessionStorage.removeItem(KEY_ID)
  key.value = null
}

/** One sentence for people. A key that is no good any more leads back to the sign-in, which shows why. */
export const messageOf = (error: unknown): string => {
  const message = sentenceOf(error instanceof Error ? error.message : String(error))
  if (error instanceof PerchError && error.status === 401 && key.value !== null) {
    endedBecause.value = message
    signOut()
  }
  return message
}

const sentenceOf = (message: string): string => (/[\p{L}\p{N}")]$/u.test(message) ? `${message}.` : message)

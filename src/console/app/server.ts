// The signed-in server: the typed client and the transport of one API key, which session storage keeps until the tab closes.
// Invariant: the key leaves this file only in requests to the page's own origin.
import { computed, signal } from "@preact/signals"
import { type PerchClient, perchClient } from "../../client/api/perch-client.ts"
import { PerchError } from "../../client/api/perch-error.ts"
import { Transport } from "../../client/api/transport.ts"
import { sentenceOf } from "../kit/text/sentence-of.ts"
import { reported } from "../network/pending-requests.ts"
import { noteServerTime } from "../store/server-time.ts"

const KEY = "perch.key"
/** Storage item with the id of a key that came from a sign-in code. Only this page has that key, so signing out revokes it. */
const KEY_ID = "perch.key.id"
/** Storage item with the tenant whose data the tab keeps after the server has rejected its key. */
const LEFT_BY = "perch.left"

export interface Server {
  readonly client: PerchClient
  /** For routes without a method in the typed client. */
  readonly transport: Transport
  /** The tenant of the key; `root` for the root key. */
  readonly tenant: string
}

const tenantOf = (apiKey: string): string => /^perch_([^_]+)_[^_]+_/.exec(apiKey)?.[1] ?? "root"

/** Creates a server, and a function that switches to another key of the same tenant. After the sign-out all requests reject. */
const connect = (apiKey: string) => {
  let current = apiKey
  const send = reported(async (input, init) => {
    if (!isSignedIn(made)) throw new TypeError("the page is signed out")
    const headers = new Headers(init?.headers)
    headers.set("authorization", `Bearer ${current}`)
    const response = await fetch(input, { ...init, headers })
    noteServerTime(response.headers.get("date"), Date.now())
    return response
  })
  const options = { url: location.origin, apiKey, fetch: send }
  const made: Server = {
    client: perchClient(options),
    transport: new Transport(options),
    tenant: tenantOf(apiKey),
  }
  return { made, use: (next: string) => (current = next) }
}

let connected: ReturnType<typeof connect> | null = null

/** False after the sign-out from this server: pending work for it should stop. */
export const isSignedIn = (of: Server): boolean => connected?.made === of

/** Returns the same server for another key of its tenant, so that the page keeps its state after a key was rejected. */
const serverOf = (apiKey: string): Server => {
  if (connected?.made.tenant !== tenantOf(apiKey)) connected = connect(apiKey)
  connected.use(apiKey)
  return connected.made
}

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
  const options = { url: location.origin, apiKey, maxRetries: 1, fetch: reported(fetch) }
  await new Transport(options).json("GET", "/v1/sessions", { query: { limit: 1 } })
  const before = key.value === null ? sessionStorage.getItem(LEFT_BY) : tenantOf(key.value)
  if (before !== null && before !== tenantOf(apiKey)) forget()
  sessionStorage.setItem(KEY, apiKey)
  sessionStorage.removeItem(KEY_ID)
  sessionStorage.removeItem(LEFT_BY)
  endedBecause.value = null
  key.value = apiKey
}

export const keepKeyId = (id: string): void => sessionStorage.setItem(KEY_ID, id)

/** Signs out, and deletes everything that was written here, so that the next person does not see it. */
export const signOut = (): void => {
  const id = sessionStorage.getItem(KEY_ID)
  // If this request fails, the key still expires in a few hours.
  if (id !== null) server.value?.transport.send("DELETE", `/v1/admin/keys/${encodeURIComponent(id)}`).catch(() => {})
  forget()
  key.value = null
}

/** Deletes everything that the tab and the page keep for a tenant. */
const forget = (): void => {
  connected = null
  sessionStorage.clear()
}

/** Ends the sign-in because the server rejects the key. Written text is kept for the next key of the tenant. */
const endSignIn = (tenant: string, reason: string): void => {
  endedBecause.value = reason
  sessionStorage.removeItem(KEY)
  sessionStorage.removeItem(KEY_ID)
  sessionStorage.setItem(LEFT_BY, tenant)
  key.value = null
}

/** The message of an error, as one sentence. If the key is no longer valid, this ends the sign-in and shows the reason there. */
export const messageOf = (error: unknown): string => {
  const message = sentenceOf(error instanceof Error ? error.message : String(error))
  if (error instanceof PerchError && error.status === 401 && key.value !== null) endSignIn(tenantOf(key.value), message)
  return message
}

// Receives a request to an authorization server; returns the JSON of its response.
// Invariant: only URLs that sessions may fetch are requested; no request with a secret follows a redirect; an error contains
// no more of the response than its status and OAuth error code.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { GuardedFetch } from "../../net/guarded-fetch.ts"
import { parseJson } from "../../schemas/bounded-json.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { cannot, OAuthError } from "./oauth-error.ts"

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 15_000
const LIMITS = { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, secure: true } as const

type Json = Readonly<Record<string, unknown>>

/** The JSON object at a URL; null when there is none. */
export const getJson = (fetch: GuardedFetch, url: string): Effect.Effect<Json | null, OAuthError> =>
  fetch(url, { ...LIMITS, headers: { accept: "application/json" }, follows: sameOrigin }).pipe(
    Effect.map(({ status, bytes }) => (status === 200 ? objectIn(bytes) : null)),
    Effect.mapError(({ message }) => cannot(message)),
  )

const sameOrigin = (from: URL, to: URL): boolean => from.origin === to.origin

/** Posts a form; returns the JSON object of the response. */
export const postForm = (
  fetch: GuardedFetch,
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Effect.Effect<Json, OAuthError> =>
  post(fetch, url, new URLSearchParams(form).toString(), {
    "content-type": "application/x-www-form-urlencoded",
    ...headers,
  })

/** Posts an object as JSON; returns the JSON object of the response. */
export const postJson = (fetch: GuardedFetch, url: string, body: Json): Effect.Effect<Json, OAuthError> =>
  post(fetch, url, JSON.stringify(body), { "content-type": "application/json" })

const post = Effect.fnUntraced(function* (
  fetch: GuardedFetch,
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Effect.fn.Return<Json, OAuthError> {
  const order = { ...LIMITS, method: "POST", body, headers: { accept: "application/json", ...headers } } as const
  const answer = yield* fetch(url, { ...order, follows: () => false }).pipe(
    Effect.mapError(({ kind, message }) => new OAuthError({ message, isTemporary: kind !== "refused" })),
  )
  const { host } = new URL(url)
  if (answer.redirect !== undefined) return yield* cannot(`${host} redirects the request, which is not followed.`)
  const json = objectIn(answer.bytes)
  if (answer.status >= 200 && answer.status < 300 && json !== null) return json
  const code = codeOf(json)
  return yield* new OAuthError({
    message: `${host} refused the request with status ${answer.status}${code === undefined ? "" : ` (${code})`}.`,
    isTemporary: answer.status >= 500 || answer.status === 429,
  })
})

const objectIn = (bytes: Uint8Array): Json | null => {
  const parsed = parseJson(new TextDecoder().decode(bytes))
  return Result.isSuccess(parsed) && isPlainObject(parsed.success) ? parsed.success : null
}

/** The OAuth error code in a response: only lower-case letters and `_`, so that it can be shown. */
const codeOf = (json: Json | null): string | undefined => {
  const code = json?.["error"]
  return typeof code === "string" && /^[a-z_]{1,60}$/.test(code) ? code : undefined
}

// Receives a URL that a caller of the API chose; sends one request there and returns the response with its body unread, for
// responses that are streams.
// Invariant: each address is checked as by `guardedFetch`, and a redirect is followed only on the same server with the
// same method, so that headers with secrets and the message reach no other server.
import * as Effect from "effect/Effect"
import { checkAddress, FETCH_MARK, FetchError, type FetchSettings, MAX_REDIRECTS, REDIRECTS } from "./guarded-fetch.ts"

export interface OpenOrder {
  readonly method: "GET" | "POST" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Aborts the request and the response's body. */
  readonly signal: AbortSignal
}

export type GuardedOpen = (url: string, order: OpenOrder) => Effect.Effect<Response, FetchError>

/** Sends the request. The caller must read the body, or abort. */
export const guardedOpen = (settings: FetchSettings): GuardedOpen =>
  Effect.fnUntraced(function* (url, { method, headers, body, signal }) {
    let address = url
    for (let hops = 0; ; hops += 1) {
      const { href, host, origin } = yield* checkAddress(settings, address, false, signal)
      const init = { method, headers: { ...headers, [FETCH_MARK]: "1" }, redirect: "manual", signal } as const
      const response = yield* Effect.tryPromise({
        try: () => settings.fetch(href, body === undefined ? init : { ...init, body }),
        catch: () => new FetchError({ kind: "failed", message: `${host} could not be reached.` }),
      })
      const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
      if (location === null) return response
      void response.body?.cancel().catch(() => undefined)
      if (hops >= MAX_REDIRECTS) {
        return yield* new FetchError({
          kind: "too_many_redirects",
          message: `${host} redirects more than ${MAX_REDIRECTS} times.`,
        })
      }
      const next = URL.canParse(location, href) ? new URL(location, href) : undefined
      const keepsMethod = method === "GET" || response.status === 307 || response.status === 308
      if (next?.origin !== origin || !keepsMethod) {
        return yield* new FetchError({
          kind: "refused",
          message: `${host} redirects to another URL, which is not followed. Configure that URL.`,
        })
      }
      address = next.href
    }
  })

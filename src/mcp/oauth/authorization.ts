// The authorization code grant with PKCE: the page that a user visits, and the tokens for the code that it returns.
// Invariant: a code is useless without its verifier, which the session sends only to the token endpoint.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Base64Url from "effect/encoding/Base64Url"
import type { GuardedFetch } from "../../net/guarded-fetch.ts"
import { cannot, type OAuthError } from "./oauth-error.ts"
import { register, requestTokens, type Tokens, TokenSource } from "./tokens.ts"

/** An authorization for which the user was asked. */
export const Pending = Schema.Struct({ source: TokenSource, redirectUri: Schema.String, verifier: Schema.String })
export type Pending = typeof Pending.Type

/** What is known before the user is asked. Without a `client`, the session registers as one. */
export type Wanted = Omit<TokenSource, "client"> & { readonly client?: TokenSource["client"] }

export interface Begun {
  readonly pending: Pending
  /** The page for the user. */
  readonly url: string
}

export const beginAuthorization = Effect.fnUntraced(function* (
  fetch: GuardedFetch,
  wanted: Wanted,
  redirectUri: string,
  state: string,
): Effect.fn.Return<Begun, OAuthError> {
  const { server, scope, resource } = wanted
  const { authorization_endpoint: page, code_challenge_methods_supported: ways } = server
  if (page === undefined) return yield* cannot("The authorization server has no authorization page for users.")
  if (ways !== undefined && !ways.includes("S256"))
    return yield* cannot("The authorization server does not support PKCE with S256.")
  const client = wanted.client ?? (yield* register(fetch, server, redirectUri, scope))
  const verifier = Base64Url.encode(crypto.getRandomValues(new Uint8Array(32)))
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)))
  const url = new URL(page)
  const query = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: Base64Url.encode(new Uint8Array(digest)),
    code_challenge_method: "S256",
    resource,
    ...(scope === undefined ? {} : { scope }),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { pending: { source: { ...wanted, client }, redirectUri, verifier }, url: url.href }
})

/** Requests the tokens for a code. `issuer` is the one that the page returned with it (RFC 9207). */
export const finishAuthorization = Effect.fnUntraced(function* (
  fetch: GuardedFetch,
  { source, redirectUri, verifier }: Pending,
  code: string,
  issuer: string | undefined,
  now: number,
): Effect.fn.Return<Tokens, OAuthError> {
  if (issuer !== undefined && source.server.issuer !== undefined && issuer !== source.server.issuer) {
    return yield* cannot("The code was issued by another authorization server.")
  }
  const grant = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier }
  return yield* requestTokens(fetch, source, grant, now)
})

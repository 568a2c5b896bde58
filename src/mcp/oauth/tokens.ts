// Receives an authorization server, a client and a grant; returns tokens. Also registers clients.
// Invariant: secrets are sent only to the token endpoint, with a method that the server supports.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { GuardedFetch } from "../../net/guarded-fetch.ts"
import { SigningAlgorithm } from "../../schemas/sdk/options/mcp-oauth.ts"
import { assertion, ASSERTION_TYPE } from "./assertion.ts"
import { AuthorizationServer } from "./discover.ts"
import { cannot, type OAuthError } from "./oauth-error.ts"
import { postForm, postJson } from "./oauth-http.ts"

const opt = Schema.optionalKey

/** The session's client id at an authorization server, and its credential: a secret, a key or nothing. */
const OAuthClient = Schema.Struct({
  id: Schema.String,
  secret: opt(Schema.String),
  key: opt(
    Schema.Struct({
      privateKey: Schema.String,
      keyId: opt(Schema.String),
      signingAlgorithm: opt(SigningAlgorithm),
    }),
  ),
})
type OAuthClient = typeof OAuthClient.Type

/** The server and client of tokens, and the resource and scope that they are for. */
export const TokenSource = Schema.Struct({
  server: AuthorizationServer,
  client: OAuthClient,
  resource: Schema.String,
  scope: opt(Schema.String),
})
export type TokenSource = typeof TokenSource.Type

/** `ends` is the expiry in milliseconds since 1970; null when the server does not name it. */
export const Tokens = Schema.Struct({
  access: Schema.String,
  refresh: opt(Schema.String),
  ends: Schema.NullOr(Schema.Finite),
})
export type Tokens = typeof Tokens.Type

const Answer = Schema.Struct({
  access_token: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(20_000)),
  token_type: opt(Schema.String),
  expires_in: opt(Schema.Unknown),
  refresh_token: opt(Schema.String.check(Schema.isMaxLength(20_000))),
})
const isAnswer = Schema.is(Answer)

export const requestTokens = Effect.fnUntraced(function* (
  fetch: GuardedFetch,
  { server, client, resource, scope }: TokenSource,
  grant: Readonly<Record<string, string>>,
  now: number,
): Effect.fn.Return<Tokens, OAuthError> {
  const { form, headers } = yield* credentials(server, client, now)
  const scoped = scope === undefined || grant["grant_type"] === "authorization_code" ? {} : { scope }
  const answer = yield* postForm(fetch, server.token_endpoint, { ...grant, ...scoped, resource, ...form }, headers)
  const { token_type: type = "bearer" } = answer
  if (
    !isAnswer(answer) ||
    typeof type !== "string" ||
    type.toLowerCase() !== "bearer" ||
    /[^\x21-\x7e]/.test(answer.access_token)
  ) {
    return yield* cannot(`${new URL(server.token_endpoint).host} returned no bearer token.`)
  }
  const seconds = Number(answer.expires_in)
  const refresh = answer.refresh_token ?? grant["refresh_token"]
  return {
    access: answer.access_token,
    ...(refresh === undefined ? {} : { refresh }),
    ends: answer.expires_in !== undefined && Number.isFinite(seconds) ? now + seconds * 1000 : null,
  }
})

interface Credentials {
  readonly form: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** An assertion if the client has a key; with a secret `client_secret_basic`, unless the server lists only `_post`. */
const credentials = Effect.fnUntraced(function* (
  server: AuthorizationServer,
  client: OAuthClient,
  now: number,
): Effect.fn.Return<Credentials, OAuthError> {
  const { id, key } = client
  if (key === undefined) return secretOf(server, client)
  const form = {
    client_id: id,
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: yield* assertion(key, id, server.issuer ?? server.token_endpoint, now),
  }
  return { form, headers: {} }
})

const secretOf = (
  { token_endpoint_auth_methods_supported: ways }: AuthorizationServer,
  { id, secret }: OAuthClient,
): Credentials => {
  if (secret === undefined) return { form: { client_id: id }, headers: {} }
  if (methodOf(ways) === "client_secret_post") return { form: { client_id: id, client_secret: secret }, headers: {} }
  return { form: {}, headers: { authorization: `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}` } }
}

/** How a client sends its secret to a server that supports these methods. */
const methodOf = (ways: ReadonlyArray<string> = []): "client_secret_basic" | "client_secret_post" =>
  ways.includes("client_secret_post") && !ways.includes("client_secret_basic")
    ? "client_secret_post"
    : "client_secret_basic"

const formEncoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2)

const Registered = Schema.Struct({ client_id: Schema.String, client_secret: opt(Schema.String) })
const isRegistered = Schema.is(Registered)

/** Registers the session as a client (RFC 7591). Fails when the server has no registration endpoint. */
export const register = Effect.fnUntraced(function* (
  fetch: GuardedFetch,
  { registration_endpoint: url, token_endpoint_auth_methods_supported: ways }: AuthorizationServer,
  redirectUri: string,
  scope: string | undefined,
): Effect.fn.Return<OAuthClient, OAuthError> {
  if (url === undefined) {
    return yield* cannot("The authorization server registers no clients. Configure oauth.clientId.")
  }
  const isPublic = ways === undefined || ways.includes("none")
  const answer = yield* postJson(fetch, url, {
    client_name: "Perch",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: isPublic ? "none" : methodOf(ways),
    ...(scope === undefined ? {} : { scope }),
  })
  if (!isRegistered(answer)) return yield* cannot(`${new URL(url).host} registered no client.`)
  const { client_id: id, client_secret: secret } = answer
  return { id, ...(secret === undefined ? {} : { secret }) }
})

// Receives the URL of an MCP server and its challenge to a request without a token; returns its authorization server, found
// by RFC 9728, then RFC 8414 or OpenID Connect's discovery.
// Invariant: metadata is used only for the server or issuer that it names itself.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { GuardedFetch } from "../../net/guarded-fetch.ts"
import { getJson } from "./oauth-http.ts"
import { cannot, type OAuthError } from "./oauth-error.ts"

const opt = Schema.optionalKey
const Address = Schema.String.check(Schema.isPattern(/^https?:\/\//), Schema.isMaxLength(2000))

const Resource = Schema.Struct({
  resource: Address,
  authorization_servers: opt(Schema.Array(Address)),
  scopes_supported: opt(Schema.Array(Schema.String)),
})
const isResource = Schema.is(Resource)

/** The fields of an authorization server's metadata that are used. */
export const AuthorizationServer = Schema.Struct({
  issuer: opt(Schema.String),
  authorization_endpoint: opt(Address),
  token_endpoint: Address,
  registration_endpoint: opt(Address),
  token_endpoint_auth_methods_supported: opt(Schema.Array(Schema.String)),
  code_challenge_methods_supported: opt(Schema.Array(Schema.String)),
  scopes_supported: opt(Schema.Array(Schema.String)),
})
export type AuthorizationServer = typeof AuthorizationServer.Type
const isServer = Schema.is(AuthorizationServer)

export interface Discovered {
  readonly server: AuthorizationServer
  /** The resource for which tokens are requested (RFC 8707). */
  readonly resource: string
  readonly scope?: string
}

/** The parameters of `WWW-Authenticate` in the response that refuses a request. */
export interface Challenge {
  readonly metadata?: string
  readonly scope?: string
  /** Set when the token is valid, but its scope is too small for the request. */
  readonly insufficient?: true
}

export const challengeIn = (header: string | null): Challenge => {
  const metadata = valueOf(header, "resource_metadata")
  const scope = valueOf(header, "scope")
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(scope === undefined ? {} : { scope }),
    ...(valueOf(header, "error") === "insufficient_scope" ? { insufficient: true } : {}),
  }
}

const valueOf = (header: string | null, name: string): string | undefined => {
  const [, quoted, plain] =
    new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]{1,2000})"|([^\\s,"]{1,2000}))`, "i").exec(header ?? "") ?? []
  return quoted ?? plain
}

export const discover = Effect.fnUntraced(function* (
  fetch: GuardedFetch,
  url: string,
  challenge: Challenge,
): Effect.fn.Return<Discovered, OAuthError> {
  const found = yield* resourceOf(fetch, url, challenge)
  const issuer = found?.authorization_servers?.[0] ?? new URL(url).origin
  const server = yield* serverOf(fetch, issuer, found?.authorization_servers !== undefined)
  const scope = challenge.scope ?? found?.scopes_supported?.join(" ")
  return { server, resource: found?.resource ?? bare(url), ...(scope === undefined || scope === "" ? {} : { scope }) }
})

/** The URL as a resource identifier: without its query and fragment. */
export const bare = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return pathname === "/" ? origin : `${origin}${pathname}`
}

const resourceOf = Effect.fnUntraced(function* (fetch: GuardedFetch, url: string, { metadata }: Challenge) {
  const { origin, pathname } = new URL(url)
  const known = `${origin}/.well-known/oauth-protected-resource`
  const named = metadata !== undefined && URL.canParse(metadata, url) ? [new URL(metadata, url).href] : []
  for (const place of new Set([...named, ...(pathname === "/" ? [] : [`${known}${pathname}`]), known])) {
    const json = yield* getJson(fetch, place)
    if (!isResource(json)) continue
    // A token for another server must not be requested, nor sent to this one.
    if (covers(json.resource, url)) return json
    return yield* cannot("The server's OAuth metadata belongs to another server.")
  }
  return null
})

const covers = (resource: string, url: string): boolean => {
  if (!URL.canParse(resource)) return false
  const [a, b] = [new URL(resource), new URL(url)]
  const slashed = (path: string) => (path.endsWith("/") ? path : `${path}/`)
  return a.origin === b.origin && slashed(b.pathname).startsWith(slashed(a.pathname))
}

/** True when the metadata is the issuer's; on its whole origin, if the MCP server named no issuer (MCP of March 2025). */
const isOf = (found: string | undefined, issuer: string, named: boolean): boolean =>
  found === undefined ||
  found.replace(/\/$/, "") === issuer.replace(/\/$/, "") ||
  (!named && URL.canParse(found) && new URL(found).origin === new URL(issuer).origin)

const serverOf = Effect.fnUntraced(function* (
  fetch: GuardedFetch,
  issuer: string,
  named: boolean,
): Effect.fn.Return<AuthorizationServer, OAuthError> {
  if (!URL.canParse(issuer)) return yield* cannot("The server's OAuth metadata specifies no authorization server.")
  const { origin, pathname } = new URL(issuer)
  const path = pathname === "/" ? "" : pathname.replace(/\/$/, "")
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
  for (const place of places) {
    const json = yield* getJson(fetch, place)
    if (!isServer(json)) continue
    return isOf(json.issuer, issuer, named)
      ? json
      : yield* cannot("The authorization server's metadata belongs to another authorization server.")
  }
  if (named) return yield* cannot(`${new URL(issuer).host} has no OAuth metadata.`)
  // The defaults of MCP of March 2025, for servers without any metadata.
  return {
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  }
})

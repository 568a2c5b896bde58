// How a session signs in to a remote MCP server: the shape of `oauth` in a server's configuration.
import * as Schema from "effect/Schema"
import { HttpUrl } from "../../http-url.ts"

const opt = Schema.optionalKey

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4000))

/** How assertions are signed (RFC 7518). */
export const SigningAlgorithm = Schema.Literals(["RS256", "PS256", "ES256", "ES384", "EdDSA"])
export type SigningAlgorithm = typeof SigningAlgorithm.Type

/** The key with which a client without a secret signs its assertions (`private_key_jwt`, RFC 7523). */
const KEY = {
  /** The private key, PKCS #8 in PEM. */
  privateKey: opt(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(10_000))),
  /** The key's id, for a server that knows several of the client's. */
  keyId: opt(Text),
  /** By default the algorithm that fits the key: RS256, ES256, ES384 or EdDSA. */
  signingAlgorithm: opt(SigningAlgorithm),
}

/** The session signs in as itself: with a client id, and a secret or a private key. */
export const ClientCredentials = Schema.Struct({
  grant: Schema.Literal("client_credentials"),
  clientId: Text,
  clientSecret: opt(Text),
  ...KEY,
  /** The address for token requests; by default the one in the server's metadata. */
  tokenUrl: opt(HttpUrl),
  scope: opt(Text),
})

/** A user signs in on a page. Without a client id the session registers itself, if the server allows it. */
export const AuthorizationCode = Schema.Struct({
  grant: Schema.Literal("authorization_code"),
  clientId: opt(Text),
  clientSecret: opt(Text),
  ...KEY,
  /** The address where users sign in; with `tokenUrl` as well, no metadata is discovered. */
  authorizationUrl: opt(HttpUrl),
  tokenUrl: opt(HttpUrl),
  scope: opt(Text),
})

export const OAuthConfig = Schema.Union([ClientCredentials, AuthorizationCode])
export type OAuthConfig = typeof OAuthConfig.Type

// How a session signs in to a remote MCP server: what the configuration names, in one form.
import * as Schema from "effect/Schema"

const opt = Schema.optionalKey

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4000))
const Address = Schema.String.check(
  Schema.isPattern(/^https?:\/\//, { message: "Expected an address that begins with http:// or https://" }),
  Schema.isMaxLength(2000, { message: "Expected an address of at most 2000 characters" }),
)

/** How assertions are signed (RFC 7518). */
export const SigningAlgorithm = Schema.Literals(["RS256", "PS256", "ES256", "ES384", "EdDSA"])
export type SigningAlgorithm = typeof SigningAlgorithm.Type

/** What a client signs its assertions with (`private_key_jwt`, RFC 7523), where it has no secret. */
const KEY = {
  /** PKCS #8 in PEM. */
  privateKey: opt(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(10_000))),
  /** The key's id, for a server that knows several of the client's. */
  keyId: opt(Text),
  /** Without it, the one that goes with the key: RS256, ES256, ES384 or EdDSA. */
  signingAlgorithm: opt(SigningAlgorithm),
}

/** As itself: a client id, with a secret or a private key. */
export const ClientCredentials = Schema.Struct({
  grant: Schema.Literal("client_credentials"),
  clientId: Text,
  clientSecret: opt(Text),
  ...KEY,
  /** Where tokens are requested; without it, the address that the server's metadata names. */
  tokenUrl: opt(Address),
  scope: opt(Text),
})

/** In the name of a user, who visits a page. Without a client id the session registers itself, where the server allows it. */
export const AuthorizationCode = Schema.Struct({
  grant: Schema.Literal("authorization_code"),
  clientId: opt(Text),
  clientSecret: opt(Text),
  ...KEY,
  /** Where users sign in; given together with `tokenUrl`, nothing is discovered. */
  authorizationUrl: opt(Address),
  tokenUrl: opt(Address),
  scope: opt(Text),
})

export const OAuthConfig = Schema.Union([ClientCredentials, AuthorizationCode])
export type OAuthConfig = typeof OAuthConfig.Type

// Why there is no token for a remote MCP server.
import * as Schema from "effect/Schema"

/** `message` contains no token, no secret, and of URLs no more than the host. */
export class OAuthError extends Schema.TaggedError<OAuthError>()("OAuthError", {
  message: Schema.String,
  /** True when the same request may succeed later: the authorization server is out of reach, out of order or overloaded. */
  isTemporary: Schema.optionalKey(Schema.Boolean),
}) {}

export const cannot = (message: string): OAuthError => new OAuthError({ message })

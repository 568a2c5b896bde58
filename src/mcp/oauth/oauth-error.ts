// Why there is no token for a remote MCP server.
import * as Schema from "effect/Schema"

/** `message` holds no token, no secret, and of addresses no more than hosts. */
export class OAuthError extends Schema.TaggedError<OAuthError>()("OAuthError", { message: Schema.String }) {}

export const cannot = (message: string): OAuthError => new OAuthError({ message })

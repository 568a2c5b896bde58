// The address of a server that a session calls: a hook, an MCP server, a token endpoint.
// Invariant: shape only; which addresses may be called is decided by the rules of each caller.
import * as Schema from "effect/Schema"

export const HttpUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\//, { message: "Expected a URL that starts with http:// or https://" }),
  Schema.isMaxLength(2000, { message: "Expected a URL of at most 2000 characters" }),
)

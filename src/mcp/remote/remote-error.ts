// Why a remote MCP server sent no response. A message contains no more of a URL than its host, and no header.
import * as Schema from "effect/Schema"

/**
 * `unauthorized`: the server requires credentials, or different ones. `session_lost`: the server no longer knows the session, and
 * did not execute the request. `failed`: anything else; whether the server executed the request is unknown.
 */
export class RemoteError extends Schema.TaggedError<RemoteError>()("RemoteError", {
  kind: Schema.Literals(["unauthorized", "session_lost", "failed"]),
  message: Schema.String,
}) {}

export const failed = (message: string): RemoteError => new RemoteError({ kind: "failed", message })

/** The error for a response whose status is no success. */
export const statusError = (status: number): RemoteError =>
  status === 401 || status === 403
    ? new RemoteError({ kind: "unauthorized", message: `The server refused the credentials (status ${status}).` })
    : failed(`The server answered with status ${status}.`)

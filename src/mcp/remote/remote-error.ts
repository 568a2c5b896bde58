// Why a remote MCP server gave no answer. A message holds no more of an address than its host, and no header.
import * as Schema from "effect/Schema"

/**
 * `unauthorized`: the server requires credentials, or others. `session_lost`: it does not know the session any more, and did
 * nothing. `failed`: anything else; whether the server did what it was asked is not known.
 */
export class RemoteError extends Schema.TaggedError<RemoteError>()("RemoteError", {
  kind: Schema.Literals(["unauthorized", "session_lost", "failed"]),
  message: Schema.String,
}) {}

export const failed = (message: string): RemoteError => new RemoteError({ kind: "failed", message })

/** What an answer with a status that is no success means. */
export const statusError = (status: number): RemoteError =>
  status === 401 || status === 403
    ? new RemoteError({ kind: "unauthorized", message: `The server refused the credentials (status ${status}).` })
    : failed(`The server answered with status ${status}.`)

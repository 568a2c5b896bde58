// Opens the sockets of a session's object: the live feed, an internal WebSocket whose text frames are feed lines, and the
// control protocol's, which is handed on to its client.
// Invariant: a session that cannot be read is an error value; the socket comes back unaccepted, so no line is lost
// before its reader listens.
import { type Actor, ACTOR_HEADER } from "../../schemas/access.ts"
import type { SessionStub } from "../../schemas/env.ts"
import type { RpcError, RpcResult } from "../../schemas/errors/rpc-error.ts"
import { isErrorType } from "../errors/errors.ts"

/** Where a feed begins: after a seq, or with what comes next. */
export type FeedStart = number | "head"

/** Opens the feed; called again, with the last seq seen, when the socket broke. */
export type OpenFeed = (after: FeedStart) => Promise<RpcResult<WebSocket>>

export const feedOf =
  (
    stub: () => SessionStub,
    query: { readonly turn?: string; readonly partials?: "true" | "turn"; readonly client?: string },
    actor?: Actor,
  ): OpenFeed =>
  async (after) => {
    const search = new URLSearchParams({ after: String(after), ...query })
    const who: Record<string, string> = actor === undefined ? {} : { [ACTOR_HEADER]: JSON.stringify(actor) }
    const response = await stub().fetch(`http://session/feed?${search}`, { headers: { Upgrade: "websocket", ...who } })
    return response.webSocket ? { ok: true, value: response.webSocket } : { ok: false, error: await rpcError(response) }
  }

/** The control protocol's socket of a client: the answer to its handshake, with the socket in it. */
export const socketOf = async (
  stub: SessionStub,
  query: Readonly<Record<string, string>>,
  actor: Actor,
): Promise<RpcResult<Response & { readonly webSocket: WebSocket }>> => {
  const response = await stub.fetch(`http://session/socket?${new URLSearchParams(query)}`, {
    headers: { Upgrade: "websocket", [ACTOR_HEADER]: JSON.stringify(actor) },
  })
  return hasSocket(response) ? { ok: true, value: response } : { ok: false, error: await rpcError(response) }
}

const hasSocket = (response: Response): response is Response & { readonly webSocket: WebSocket } =>
  Boolean(response.webSocket)

/** Closes a feed that has no reader. */
export const dropFeed = (feed: RpcResult<WebSocket> | null): void => {
  if (feed === null || !feed.ok) return
  feed.value.accept()
  closeSocket(feed.value)
}

export const closeSocket = (socket: WebSocket): void => {
  try {
    socket.close(1000)
  } catch {
    // A socket that broke or was closed by the other side refuses to be closed again; there is nothing left to do.
  }
}

/** The error that an object's `fetch` answers, as JSON `RpcError`. */
export const rpcError = async (response: Response): Promise<RpcError> => {
  const body = await response.json<unknown>().catch(() => null)
  if (
    typeof body === "object" &&
    body !== null &&
    "type" in body &&
    typeof body.type === "string" &&
    isErrorType(body.type) &&
    "message" in body &&
    typeof body.message === "string"
  ) {
    const retry = "retry_after" in body && typeof body.retry_after === "number" ? body.retry_after : undefined
    return { type: body.type, message: body.message, ...(retry === undefined ? {} : { retry_after: retry }) }
  }
  throw new Error(`the session's object answered ${response.status} without an error body`)
}

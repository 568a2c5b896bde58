// Opens the sockets of a session's object: the live feed, an internal WebSocket whose text frames are feed lines, and the
// control protocol's socket, which is passed on to its client.
// Invariant: a session that can't be read is an error value; the returned socket is not accepted yet, so no line is lost
// before its reader listens.
import { type Actor, ACTOR_HEADER } from "../../schemas/access.ts"
import type { SessionStub } from "../../schemas/env.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import { type SubmitArgs, SUBMISSION_HEADER, type Submitted, SUBMITTED_HEADER } from "../../schemas/rpc/turns.ts"
import { rpcError } from "../object-call.ts"

/** Where a feed starts: after a seq, or with the next event. */
export type FeedStart = number | "head"

/**
 * Opens the feed; called again with the last seq that was seen when the socket breaks. Its reader requests each page of a long
 * replay (`MORE`).
 */
export type OpenFeed = (after: FeedStart) => Promise<RpcResult<WebSocket>>

export const feedOf =
  (
    stub: () => Pick<SessionStub, "fetch">,
    query: {
      readonly turn?: string
      readonly partials?: "true" | "turn"
      readonly client?: string
      readonly signals?: string
      readonly facts?: "1"
      readonly workflow?: string
    },
    actor?: Actor,
  ): OpenFeed =>
  async (after) => {
    const search = new URLSearchParams({ after: String(after), paged: "1", ...query })
    const actorHeader: Record<string, string> = actor === undefined ? {} : { [ACTOR_HEADER]: JSON.stringify(actor) }
    const response = await stub().fetch(`http://session/feed?${search}`, {
      headers: { Upgrade: "websocket", ...actorHeader },
    })
    return response.webSocket ? { ok: true, value: response.webSocket } : { ok: false, error: await rpcError(response) }
  }

/** The most characters of a prompt in a handshake's header; longer prompts are submitted by a separate call. */
const MAX_SUBMISSION = 8 * 1024

/** Encodes a prompt as an ASCII header; null when it is too long. */
export const submissionHeader = (args: SubmitArgs): string | null => {
  const json = JSON.stringify(args)
  if (json.length > MAX_SUBMISSION) return null
  return json.replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

export interface SubmittedWithFeed {
  readonly submitted: Submitted
  readonly feed: WebSocket
}

/** Submits a prompt and opens the feed of its turn, which starts right after it, in one call of the object. */
export const submitWithFeed = async (
  stub: Pick<SessionStub, "fetch">,
  submission: string,
  query: Readonly<Record<string, string>>,
): Promise<RpcResult<SubmittedWithFeed>> => {
  const headers = { Upgrade: "websocket", [SUBMISSION_HEADER]: submission }
  const response = await stub.fetch(`http://session/query?${new URLSearchParams({ paged: "1", ...query })}`, {
    headers,
  })
  const submitted = response.headers.get(SUBMITTED_HEADER)
  if (!response.webSocket || submitted === null) return { ok: false, error: await rpcError(response) }
  // The object wrote this header.
  return { ok: true, value: { submitted: JSON.parse(submitted) as Submitted, feed: response.webSocket } }
}

/** Opens a client's socket of the control protocol; returns the handshake's response, which has the socket. */
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

/** Closes a socket, unless it is closed; the reason is cut to the 123 bytes that a close frame can have. */
export const closeSocket = (socket: WebSocket, code = 1000, reason = ""): void => {
  try {
    const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(123))
    socket.close(code, reason.slice(0, read))
  } catch {
    // Closing a socket that broke or was closed by the other side throws; there is nothing left to do.
  }
}

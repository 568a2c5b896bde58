// Opens the sockets of a session's object: the live feed, an internal WebSocket whose text frames are feed lines, and the
// control protocol's, which is handed on to its client.
// Invariant: a session that cannot be read is an error value; the socket comes back unaccepted, so no line is lost
// before its reader listens.
import { type Actor, ACTOR_HEADER } from "../../schemas/access.ts"
import type { SessionStub } from "../../schemas/env.ts"
import type { RpcError, RpcResult } from "../../schemas/errors/rpc-error.ts"
import { type SubmitArgs, SUBMISSION_HEADER, type Submitted, SUBMITTED_HEADER } from "../../schemas/rpc/turns.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { isErrorType } from "../errors/errors.ts"

/** Where a feed begins: after a seq, or with what comes next. */
export type FeedStart = number | "head"

/** Opens the feed; called again, with the last seq seen, when the socket broke. Its reader asks for each page of a long replay (`MORE`). */
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
    const who: Record<string, string> = actor === undefined ? {} : { [ACTOR_HEADER]: JSON.stringify(actor) }
    const response = await stub().fetch(`http://session/feed?${search}`, { headers: { Upgrade: "websocket", ...who } })
    return response.webSocket ? { ok: true, value: response.webSocket } : { ok: false, error: await rpcError(response) }
  }

/** What a handshake can hold: longer prompts are submitted by a call of their own. */
const MAX_SUBMISSION = 8 * 1024

/** The prompt as a header takes it; null for one that is too long. */
export const submissionHeader = (args: SubmitArgs): string | null => {
  const json = JSON.stringify(args)
  if (json.length > MAX_SUBMISSION) return null
  return json.replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

export interface SubmittedWithFeed {
  readonly submitted: Submitted
  readonly feed: WebSocket
}

/** Submits a prompt and opens the feed of its turn, which begins right behind it, in one call of the object. */
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
  // The object wrote it.
  return { ok: true, value: { submitted: JSON.parse(submitted) as Submitted, feed: response.webSocket } }
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
  const isError =
    isPlainObject(body) &&
    typeof body["type"] === "string" &&
    isErrorType(body["type"]) &&
    typeof body["message"] === "string"
  // The object writes nothing else under these names.
  if (isError) return body as unknown as RpcError
  throw new Error(`the session's object answered ${response.status} without an error body`)
}

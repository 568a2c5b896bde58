// The transports for messages to and from one remote server: streamable HTTP, or the older SSE.
import * as Effect from "effect/Effect"
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import type { AuthorizedOpen } from "../oauth/server-auth.ts"
import { failed, RemoteError } from "./remote-error.ts"

/** A connection. Its methods reject with RemoteError. */
export interface Transport {
  /** Sends a message; resolves to the response of a request, and to null for anything else. */
  send(message: JsonRpcMessage, signal: AbortSignal): Promise<JsonRpcMessage | null>
  /** Opens the stream for the server's own messages. Resolves when it is open, or when the transport opens none. */
  listen(): Promise<void>
  /** Ends that stream; false when the connection ends with it. */
  rest(): boolean
  /** Ends the connection, and rejects whatever waits for a response. */
  close(): void
}

export interface TransportDeps {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly open: AuthorizedOpen
  /** Redacts secrets in what the server sent. */
  readonly clean: (text: string) => string
  /** Receives the server's own requests and notifications; `within` is the request in whose response one arrived, if known. */
  readonly receive: (message: ServerMessage, within?: string | number) => void
}

/** A request or notification of the server. */
export type ServerMessage = Extract<JsonRpcMessage, { readonly method: string }>

export const isServerMessage = (message: JsonRpcMessage): message is ServerMessage => "method" in message

/** The HTTP response to a request, with its body unread. Rejects with RemoteError when there is none. */
export const openRequest = async (
  { url, headers, open }: Pick<TransportDeps, "url" | "headers" | "open">,
  order: {
    readonly method: "GET" | "POST"
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly signal: AbortSignal
  },
): Promise<Response> => {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const opened = await Effect.runPromise(Effect.result(open(url, { ...order, headers: { ...own, ...order.headers } })))
  if (opened._tag === "Failure") {
    const { _tag: tag, message } = opened.failure
    throw tag === "OAuthError" ? new RemoteError({ kind: "unauthorized", message }) : failed(message)
  }
  return opened.success
}

/** Closes a response whose body is not read. */
export const discard = (response: Response): void => void response.body?.cancel().catch(() => undefined)

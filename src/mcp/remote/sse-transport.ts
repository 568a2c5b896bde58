// The older SSE transport: a stream of events, the first of which names the URL to which messages are posted.
// Invariant: messages are posted only to the stream's own origin, and when the stream ends, every message that waits for a
// response is rejected.
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { orAborted } from "../or-aborted.ts"
import { eventsOf, messagesIn } from "./messages.ts"
import { failed, RemoteError, statusError } from "./remote-error.ts"
import { discard, isServerMessage, openRequest, type Transport, type TransportDeps } from "./transport.ts"

const ENDED = failed("The connection to the server was lost before it responded.")

const GIVEN_UP = failed("The message was cancelled.")

const SESSION_LOST = new RemoteError({ kind: "session_lost", message: ENDED.message })

export class SseTransport implements Transport {
  readonly #deps: TransportDeps
  readonly #closed = new AbortController()
  readonly #waiting = new Map<string | number, PromiseWithResolvers<JsonRpcMessage>>()
  #endpoint: Promise<string> | null = null

  constructor(deps: TransportDeps) {
    this.#deps = deps
  }

  async send(message: JsonRpcMessage, signal: AbortSignal): Promise<JsonRpcMessage | null> {
    if (this.#closed.signal.aborted) throw SESSION_LOST
    const url = await orAborted(this.#connected(), signal, GIVEN_UP)
    const id = isServerMessage(message) ? message.id : undefined
    const answer = Promise.withResolvers<JsonRpcMessage>()
    // The rejection is awaited below; the stream may end before that, while the message is being posted.
    answer.promise.catch(() => undefined)
    if (id !== undefined) this.#waiting.set(id, answer)
    try {
      await this.#post(url, message, signal)
      return id === undefined ? null : await orAborted(answer.promise, signal, GIVEN_UP)
    } finally {
      if (id !== undefined) this.#waiting.delete(id)
    }
  }

  async #post(url: string, message: JsonRpcMessage, signal: AbortSignal): Promise<void> {
    const order = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
      signal: AbortSignal.any([signal, this.#closed.signal]),
    } as const
    const response = await openRequest({ ...this.#deps, url }, order).catch((error: unknown) => {
      // It is unknown whether the server has accepted the message.
      throw this.#closed.signal.aborted ? ENDED : error
    })
    discard(response)
    if (response.status === 404) throw SESSION_LOST
    if (!response.ok) throw statusError(response.status)
  }

  /** Does nothing: the stream is open from the first message on. */
  async listen(): Promise<void> {}

  rest(): boolean {
    this.close()
    return false
  }

  close(): void {
    this.#closed.abort()
    for (const { reject } of this.#waiting.values()) reject(ENDED)
    this.#waiting.clear()
  }

  #connected(): Promise<string> {
    if (this.#endpoint !== null) return this.#endpoint
    const endpoint = Promise.withResolvers<string>()
    endpoint.promise.catch(() => undefined)
    this.#endpoint = endpoint.promise
    const end = (error: unknown) => {
      endpoint.reject(error instanceof RemoteError ? error : ENDED)
      this.close()
    }
    this.#readEvents(endpoint.resolve).then(() => end(ENDED), end)
    return endpoint.promise
  }

  async #readEvents(found: (url: string) => void): Promise<void> {
    const { signal } = this.#closed
    const response = await openRequest(this.#deps, { method: "GET", headers: { accept: "text/event-stream" }, signal })
    if (!response.ok) {
      discard(response)
      throw statusError(response.status)
    }
    for await (const { event, data } of eventsOf(response.body)) {
      if (event === "endpoint") found(this.#endpointOf(data))
      else if (event === "message" && data !== "") this.#take(data)
    }
  }

  #endpointOf(data: string): string {
    const base = this.#deps.url
    const url = URL.canParse(data, base) ? new URL(data, base) : null
    if (url?.origin !== new URL(base).origin) throw failed("The server specifies another server to post messages to.")
    return url.href
  }

  #take(data: string): void {
    for (const message of messagesIn(data, this.#deps.clean)) {
      if (isServerMessage(message)) this.#deps.receive(message)
      else if (message.id !== undefined) this.#waiting.get(message.id)?.resolve(message)
    }
  }
}

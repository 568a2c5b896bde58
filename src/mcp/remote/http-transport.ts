// Streamable HTTP: each message is a POST, which is answered by the response as JSON or by a stream that contains it.
// Invariant: every later request has the session id and protocol version that the server chose; a stream that breaks off is
// resumed if the server numbers its events, after the delay that it asks for; a message is never sent twice.
import * as Effect from "effect/Effect"
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { eventsOf, messagesIn, textOf } from "./messages.ts"
import { failed, RemoteError, statusError } from "./remote-error.ts"
import { discard, isServerMessage, openRequest, type Transport, type TransportDeps } from "./transport.ts"

/** How often a stream is resumed when its server names no delay. */
const MAX_RESUMES = 3
const MIN_WAIT_MS = 100
const MAX_WAIT_MS = 60_000
/** The status of a server with one stream per session that has not yet noticed the end of the previous one. */
const TAKEN = 409
const TAKEN_MS = 250
const MAX_TRIES = 5
/** Milliseconds to wait for the headers of a stream: some servers send none before the first event. */
const OPENED_MS = 1000
const BROKEN_OFF = "The connection to the server was lost before it responded."
const STREAM = "text/event-stream"

export class HttpTransport implements Transport {
  readonly #deps: TransportDeps
  readonly #closed = new AbortController()
  #listening: { readonly stop: AbortController; readonly opened: Promise<void> } | null = null
  #session: string | null = null
  #version: string | null = null

  constructor(deps: TransportDeps) {
    this.#deps = deps
  }

  async send(message: JsonRpcMessage, signal: AbortSignal): Promise<JsonRpcMessage | null> {
    const until = AbortSignal.any([signal, this.#closed.signal])
    const response = await openRequest(this.#deps, {
      method: "POST",
      headers: { accept: `application/json, ${STREAM}`, "content-type": "application/json", ...this.#own },
      body: JSON.stringify(message),
      signal: until,
    })
    if (!response.ok) {
      discard(response)
      throw response.status === 404 && this.#session !== null ? SESSION_LOST : statusError(response.status)
    }
    this.#session = response.headers.get("mcp-session-id") ?? this.#session
    if (!isRequest(message)) {
      discard(response)
      return null
    }
    const answer = await this.#answerIn(response, message.id, until)
    if (message.method === "initialize") this.#version = versionIn(answer)
    return answer
  }

  async listen(): Promise<void> {
    if (this.#closed.signal.aborted) return
    this.#listening ??= this.#listen()
    await this.#listening.opened
  }

  #listen(): { readonly stop: AbortController; readonly opened: Promise<void> } {
    const stop = new AbortController()
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const limit = setTimeout(resolve, OPENED_MS)
    // A server without such a stream refuses the request; a stream that breaks off is opened again with the next turn.
    this.#readEvents(AbortSignal.any([stop.signal, this.#closed.signal]), resolve)
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(limit)
        resolve()
      })
    return { stop, opened }
  }

  rest(): boolean {
    this.#listening?.stop.abort()
    this.#listening = null
    return true
  }

  close(): void {
    this.#closed.abort()
  }

  get #own(): Record<string, string> {
    return {
      ...(this.#session === null ? {} : { "mcp-session-id": this.#session }),
      ...(this.#version === null ? {} : { "mcp-protocol-version": this.#version }),
    }
  }

  /** Reads the listening stream. When it ends, it is opened again if the server has named a delay, until the signal aborts. */
  async #readEvents(signal: AbortSignal, opened: () => void): Promise<void> {
    for (let last: string | undefined; ;) {
      let wait: number | null = null
      const response = await this.#stream(last === undefined ? {} : { "last-event-id": last }, signal)
      opened()
      const onRetry = (milliseconds: number) => (wait = milliseconds)
      for await (const { id, data } of eventsOf(response.body, onRetry)) {
        last = id ?? last
        this.#take(data)
      }
      if (wait === null) return
      await pause(wait, signal)
    }
  }

  /** Opens a stream with a GET; retries while the server answers 409. */
  async #stream(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const order = { method: "GET", headers: { accept: STREAM, ...this.#own, ...headers }, signal } as const
    for (let tries = 1; ; tries += 1) {
      const response = await openRequest(this.#deps, order)
      if (response.ok && isStream(response)) return response
      discard(response)
      if (response.status !== TAKEN || tries >= MAX_TRIES) {
        throw response.ok ? failed(BROKEN_OFF) : statusError(response.status)
      }
      await pause(TAKEN_MS, signal)
    }
  }

  async #answerIn(first: Response, id: string | number, signal: AbortSignal): Promise<JsonRpcMessage | null> {
    if (!isStream(first)) return this.#pick(await broken(textOf(first)), id)
    let response = first
    let last: string | undefined
    let wait: number | null = null
    for (let resumes = 0; ; resumes += 1) {
      try {
        for await (const { id: at, data } of eventsOf(response.body, (milliseconds) => (wait = milliseconds))) {
          last = at ?? last
          const answer = this.#pick(data, id)
          if (answer !== null) return answer
        }
      } catch (error) {
        if (error instanceof RemoteError || signal.aborted) throw error
      }
      // A server that names a delay may end the stream any number of times, until the call's time limit.
      if (last === undefined || (wait === null && resumes >= MAX_RESUMES)) throw failed(BROKEN_OFF)
      if (wait !== null) await pause(wait, signal)
      response = await this.#stream({ "last-event-id": last }, signal)
    }
  }

  /** The response with this id in a text, or null; requests and notifications in it are passed to `receive`. */
  #pick(text: string, id: string | number): JsonRpcMessage | null {
    return this.#take(text, id).find((message) => !isServerMessage(message) && message.id === id) ?? null
  }

  #take(text: string, within?: string | number): ReadonlyArray<JsonRpcMessage> {
    if (text.trim() === "") return []
    const messages = messagesIn(text, this.#deps.clean)
    for (const message of messages) if (isServerMessage(message)) this.#deps.receive(message, within)
    return messages
  }
}

const SESSION_LOST = new RemoteError({ kind: "session_lost", message: "The server has ended its session." })

/** Waits for the delay that a server asks for, within bounds. Rejects when the signal aborts. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  Effect.runPromise(Effect.sleep(Math.min(Math.max(milliseconds, MIN_WAIT_MS), MAX_WAIT_MS)), { signal })

const isRequest = (
  message: JsonRpcMessage,
): message is Extract<JsonRpcMessage, { readonly method: string; readonly id: string | number }> =>
  isServerMessage(message) && message.id !== undefined

const isStream = (response: Response): boolean =>
  response.headers.get("content-type")?.toLowerCase().startsWith(STREAM) === true

const versionIn = (answer: JsonRpcMessage | null): string | null => {
  const version = answer !== null && "result" in answer ? Reflect.get(answer.result, "protocolVersion") : null
  return typeof version === "string" ? version : null
}

/** Replaces the error of a body that breaks off, which may contain URLs, by a RemoteError. */
const broken = <A>(read: Promise<A>): Promise<A> =>
  read.catch((error: unknown) => {
    throw error instanceof RemoteError ? error : failed(BROKEN_OFF)
  })

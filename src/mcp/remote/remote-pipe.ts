// Receives messages for one remote server; sends them over its transport and returns the responses.
// Invariant: when the server has ended its session, a new one is started with the same `initialize` request, once per message
// and only for a message that the server did not accept. The server's own requests are always answered. Outside turns and
// calls no stream is open.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { type McpPipe, McpPipeError, newRequestId } from "../client-server.ts"
import type { Visits } from "../needed-pages.ts"
import type { AuthorizedOpen } from "../oauth/server-auth.ts"
import { HttpTransport } from "./http-transport.ts"
import type { RemoteConfig } from "./remote-config.ts"
import { failed, RemoteError } from "./remote-error.ts"
import { cleaningOf } from "./secrets.ts"
import { type CallFacts, type RequestFacts, ServerRequests } from "./server-requests.ts"
import { SseTransport } from "./sse-transport.ts"
import type { ServerMessage, Transport } from "./transport.ts"

export interface RemotePipeDeps {
  readonly config: RemoteConfig
  readonly open: AuthorizedOpen
  /** The server's tokens: secrets in addition to those in its configuration. */
  readonly secrets?: () => ReadonlyArray<string>
  /** Returns the JSON-RPC response to a request of the server. */
  readonly answer: (message: ServerRequest, about: RequestFacts) => Promise<Readonly<Record<string, unknown>>>
  /** Called when the server announces that its list of tools or prompts has changed. */
  readonly listsChanged: () => void
  /** Called when the server announces that the user is done with a page. */
  readonly pageDone: (elicitationId: string) => void
  /** Records the server's responses, or replaces them. */
  readonly capture?: PipeCapture
}

/** Sends a message to a server when it is run; its failure contains no secret. */
export type RemoteSend = Effect.Effect<JsonRpcMessage | null, RemoteError>
export type PipeCapture = (message: JsonRpcMessage, send: RemoteSend) => RemoteSend

export type ServerRequest = ServerMessage & { readonly id: string | number }

/** The time limit for initializing a server again, or for sending it a response. */
const OWN_MS = 30_000

const MayChange = Schema.Struct({ listChanged: Schema.optionalKey(Schema.Boolean) })
const Capabilities = Schema.Struct({
  capabilities: Schema.Struct({
    tools: Schema.optionalKey(MayChange),
    prompts: Schema.optionalKey(MayChange),
  }),
})
const capabilitiesIn = Schema.decodeUnknownOption(Capabilities)

export class RemotePipe implements McpPipe {
  readonly #deps: RemotePipeDeps
  readonly #clean: ReturnType<typeof cleaningOf>
  #transport: Transport | null = null
  #initializing: Promise<Transport> | null = null
  #initializeRequest: JsonRpcMessage | null = null
  #holds = 0
  #sending = 0
  readonly #requests = new ServerRequests()
  /** Pages that a call needs visited, by elicitation id; resolved when the server announces that the user is done. */
  readonly #pages = new Map<string, PromiseWithResolvers<void>>()
  /** True when the last failure was that the server requires different credentials. */
  unauthorized = false
  /** The capabilities in the server's response to `initialize`. */
  can: { readonly listChanged: boolean } = { listChanged: false }

  constructor(deps: RemotePipeDeps) {
    this.#deps = deps
    this.#clean = cleaningOf(deps.config, deps.secrets)
  }

  send(message: JsonRpcMessage, timeoutMs: number): Effect.Effect<JsonRpcMessage | null, McpPipeError> {
    const sent: RemoteSend = Effect.tryPromise({
      try: (signal) => this.#counted(message, signal),
      catch: (error) => (error instanceof RemoteError ? error : failed("The connection to the server failed.")),
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(failed(`The server did not respond within ${timeoutMs} ms.`)),
      }),
      Effect.mapError(({ kind, message: why }) => new RemoteError({ kind, message: this.#clean.failure(why) })),
    )
    return Effect.mapError(this.#deps.capture?.(message, sent) ?? sent, ({ kind, message: why }) => {
      this.unauthorized = kind === "unauthorized"
      return new McpPipeError({ message: why })
    })
  }

  /** Asks the user to visit pages as if the server had sent an `elicitation/create` request. */
  visits(call: CallFacts): Visits {
    return {
      ask: (page) =>
        Effect.gen({ self: this }, function* () {
          const id = yield* newRequestId
          this.#pages.set(page.elicitationId, Promise.withResolvers())
          const params: Readonly<Record<string, unknown>> = { ...page, mode: "url" }
          const message = { jsonrpc: "2.0", id, method: "elicitation/create", params } as const
          const answer = yield* Effect.promise((signal) => this.#deps.answer(message, { call, signal }))
          return Reflect.get(Object(answer["result"]), "action") === "accept"
        }),
      done: (ids) => Effect.promise(() => Promise.all(ids.map((id) => this.#pages.get(id)?.promise))),
    }
  }

  /** Keeps the stream for the server's own messages open until `release` has been called as often. */
  hold(): void {
    this.#holds += 1
    void this.#transport?.listen()
  }

  release(): void {
    this.#holds -= 1
    this.#rest()
  }

  /** Ends the connection; the next message starts another. */
  close(): void {
    this.#transport?.close()
    this.#transport = null
    this.#requests.withdrawAll()
  }

  async #counted(message: JsonRpcMessage, signal: AbortSignal): Promise<JsonRpcMessage | null> {
    this.#sending += 1
    this.#requests.callBegins(message)
    try {
      return await this.#send(message, signal)
    } finally {
      this.#sending -= 1
      this.#requests.callEnds(message)
      this.#rest()
    }
  }

  #rest(): void {
    if (this.#holds > 0 || this.#sending > 0 || this.#transport === null) return
    if (!this.#transport.rest()) this.#transport = null
  }

  async #send(message: JsonRpcMessage, signal: AbortSignal): Promise<JsonRpcMessage | null> {
    if ("method" in message && message.method === "initialize") {
      this.#initializeRequest = message
      this.close()
      const transport = this.#make()
      this.#transport = transport
      return this.#initialized(await transport.send(message, signal))
    }
    const transport = await this.#open(message)
    try {
      const answer = await transport.send(message, signal)
      // A stream may be opened only after the server was initialized.
      if (isInitialized(message) && this.#holds > 0) void transport.listen()
      return answer
    } catch (error) {
      if (!(error instanceof RemoteError) || error.kind !== "session_lost" || signal.aborted) throw error
      if (this.#transport === transport) this.close()
      return await (await this.#open(message)).send(message, signal)
    }
  }

  /** The connection for a message. Outside turns, a call opens the stream for the server's own requests until the call has ended. */
  async #open(message: JsonRpcMessage): Promise<Transport> {
    const transport = this.#transport ?? (await this.#initialize())
    if (this.#holds === 0 && isCall(message)) await transport.listen()
    return transport
  }

  #make(): Transport {
    const { config, open } = this.#deps
    const { url, headers } = config
    const deps = { url, headers, open, clean: this.#clean.message }
    const receive = (message: ServerMessage, within?: string | number) => this.#receive(transport, message, within)
    const transport: Transport =
      config.type === "http" ? new HttpTransport({ ...deps, receive }) : new SseTransport({ ...deps, receive })
    return transport
  }

  /** Starts another session with the server. */
  #initialize(): Promise<Transport> {
    this.#initializing ??= this.#initializeNow().finally(() => {
      this.#initializing = null
    })
    return this.#initializing
  }

  async #initializeNow(): Promise<Transport> {
    if (this.#initializeRequest === null) throw failed("The server is not initialized yet.")
    const signal = AbortSignal.timeout(OWN_MS)
    const transport = this.#make()
    try {
      const answer = this.#initialized(await transport.send(this.#initializeRequest, signal))
      if (answer === null || !("result" in answer)) throw failed("The server did not start a new session.")
      await transport.send({ jsonrpc: "2.0", method: INITIALIZED }, signal)
    } catch (error) {
      transport.close()
      throw error
    }
    this.#transport = transport
    if (this.#holds > 0) void transport.listen()
    return transport
  }

  #initialized(answer: JsonRpcMessage | null): JsonRpcMessage | null {
    const result = answer !== null && "result" in answer ? capabilitiesIn(answer.result) : undefined
    if (result?._tag === "Some") {
      const { tools, prompts } = result.value.capabilities
      this.can = { listChanged: tools?.listChanged === true || prompts?.listChanged === true }
    }
    return answer
  }

  #receive(transport: Transport, message: ServerMessage, within: string | number | undefined): void {
    const { id } = message
    if (id === undefined) return this.#notified(message)
    const { facts, done } = this.#requests.begin(id, within)
    const answer = async () => {
      const response = await this.#deps.answer({ ...message, id }, facts)
      // The server does not wait for the response to a withdrawn request.
      if (facts.signal.aborted) return
      // `answer` returns a JSON-RPC response.
      await transport.send(response as JsonRpcMessage, AbortSignal.timeout(OWN_MS))
    }
    // The response is dropped when the server is gone.
    answer()
      .catch(() => undefined)
      .finally(done)
  }

  #notified({ method, params = {} }: ServerMessage): void {
    if (CHANGES.has(method)) this.#deps.listsChanged()
    if (method === "notifications/cancelled") this.#requests.withdraw(Reflect.get(params, "requestId"))
    const done = method === "notifications/elicitation/complete" ? Reflect.get(params, "elicitationId") : undefined
    if (typeof done !== "string") return
    this.#pages.get(done)?.resolve()
    this.#deps.pageDone(done)
  }
}

const INITIALIZED = "notifications/initialized"

const CHANGES: ReadonlySet<string> = new Set(["notifications/tools/list_changed", "notifications/prompts/list_changed"])

const isCall = (message: JsonRpcMessage): boolean => "method" in message && message.method === "tools/call"

const isInitialized = (message: JsonRpcMessage): boolean => "method" in message && message.method === INITIALIZED

// The entry of the portable client: a Perch server's API over `fetch`, for Node, Deno, Bun, browsers and Workers.
// Invariant: neither this file nor any that it imports uses a module of a platform.
import type { PerchMessage } from "./messages.ts"
import { onceOnly, SessionClient, type Stoppable } from "./session-client.ts"
import type { CreateSession, FirstQuery, Page, Session } from "./session-shapes.ts"
import { Transport, type TransportOptions } from "./transport.ts"
import { type TurnOptions, type TurnOutcome, Turns } from "./turns.ts"

/** Which page of sessions `listSessions` reads. */
export interface ListSessions extends Stoppable {
  /** At most 100. */
  readonly limit?: number
  readonly cursor?: string
  /** `desc` (the newest first) is the default. */
  readonly order?: "asc" | "desc"
}

/** A client for a Perch server's API. `Message` is the type of the messages that it returns, such as the SDK's `SDKMessage`. */
export class PerchClient<Message = PerchMessage> {
  readonly #transport: Transport
  readonly #turns: Turns

  /** Throws a TypeError that names the option when `url`, `apiKey`, `maxRetries` or `timeoutMs` is not usable. */
  constructor(options: TransportOptions) {
    this.#transport = new Transport(options)
    this.#turns = new Turns(this.#transport)
  }

  /** The server's address. */
  get url(): string {
    return this.#transport.url
  }

  /** A session by its id. Sends no request. */
  session(id: string): SessionClient<Message> {
    return new SessionClient(this.#transport, id)
  }

  /** Creates a session. Throws ConflictError when there is one with this `id`, unless `on_exists` is `attach`. */
  async createSession(
    body: CreateSession = {},
    options: Stoppable & { readonly idempotencyKey?: string } = {},
  ): Promise<SessionClient<Message>> {
    const { signal } = options
    const { id } = await this.#transport.json<Session>("POST", "/v1/sessions", {
      json: body,
      signal,
      ...onceOnly(body, options),
    })
    return this.session(id)
  }

  /** A page of sessions. */
  listSessions({ signal, ...query }: ListSessions = {}): Promise<Page<Session>> {
    return this.#transport.json("GET", "/v1/sessions", { query: { ...query }, signal })
  }

  /** All sessions, page by page. */
  async *sessions({ order, signal }: Pick<ListSessions, "order" | "signal"> = {}): AsyncGenerator<Session, void> {
    let cursor: string | null | undefined
    do {
      const page = await this.listSessions({
        limit: 100,
        signal,
        ...(order === undefined ? {} : { order }),
        ...(cursor == null ? {} : { cursor }),
      })
      yield* page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /** Creates a session and runs its first prompt; the session's id is the `session_id` of the outcome. */
  query(query: string | FirstQuery, options: TurnOptions = {}): Promise<TurnOutcome> {
    return this.#turns.run(null, query, options)
  }

  /** Creates a session, runs its first prompt and yields the messages up to and including the result. */
  stream(query: string | FirstQuery, options: TurnOptions = {}): AsyncGenerator<Message, void> {
    return this.#turns.stream<Message>(null, query, options)
  }

  /**
   * Sends a request to any route of the API and returns its JSON. `path` starts with a slash. Throws a PerchError when it
   * fails. Failed requests are retried; a POST without an Idempotency-Key only after 429 or 503.
   */
  request<A>(
    method: string,
    path: string,
    options: {
      readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
      readonly json?: unknown
      readonly headers?: Readonly<Record<string, string | undefined>>
      readonly signal?: AbortSignal
    } = {},
  ): Promise<A> {
    const keyed = Object.keys(options.headers ?? {}).some((name) => name.toLowerCase() === "idempotency-key")
    const repeat = method.toUpperCase() === "POST" && !keyed ? "once" : "safe"
    return this.#transport.json<A>(method, path, { ...options, repeat })
  }
}

/**
 * Returns a client of a Perch server. The type of its messages can be set: `perchClient<SDKMessage>({ url, apiKey })`.
 *
 * Throws a TypeError that names the option when `url`, `apiKey`, `maxRetries` or `timeoutMs` is not usable. Requests that
 * fail later reject with a PerchError.
 */
export const perchClient = <Message = PerchMessage>(options: TransportOptions): PerchClient<Message> =>
  new PerchClient<Message>(options)

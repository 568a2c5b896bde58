// One session of a server: its turns, asks, log, messages and files.
// Invariant: constructing a client sends no request; each method calls one route of the API and keeps its field names.
import { newUuid } from "./new-uuid.ts"
import { readEventStream, type Streamed } from "./event-stream.ts"
import type { PerchMessage } from "./messages.ts"
import { SessionFiles } from "./session-files.ts"
import type {
  Ask,
  AskAnswer,
  SavedPermission,
  ForkSession,
  LogEvent,
  Page,
  PatchSession,
  Query,
  RevertOptions,
  RewindReport,
  Session,
  Ticket,
  TicketRole,
  Todo,
  Turn,
} from "./session-shapes.ts"
import { type RequestOptions, segment, sessionPath, type Transport } from "./transport.ts"
import { type TurnOptions, type TurnOutcome, Turns, type WaitOptions } from "./turns.ts"

/** Options of every method: `signal` aborts its request. */
export interface Stoppable {
  readonly signal?: AbortSignal | undefined
}

/** Reads a past state: the one right after the event whose `seq` is `at`. */
export interface At {
  readonly at?: number
}

/** Where `events()` starts, and whether it yields fragments. */
export interface EventsOptions extends Stoppable {
  /** The seq after which it starts; `head` starts with the next event. The default is the whole log. */
  readonly after?: number | "head"
  /** Also yields fragments of answers while the model writes them. */
  readonly partials?: boolean
}

/** A page of the log. `last_seq` is the seq of the newest event. */
export interface LogPage {
  readonly events: ReadonlyArray<LogEvent>
  readonly has_more: boolean
  readonly last_seq: number
}

/** A page of messages; `next_cursor` is null at the end. */
export interface MessagePage<Message> {
  readonly messages: ReadonlyArray<Message>
  readonly has_more: boolean
  readonly next_cursor: string | null
  /** The seq of the newest event when the page was read: a stream with it as `after` continues from the page. */
  readonly last_seq: number
}

/** One session by its id: its prompts, turns, asks, events and files. Constructing one sends no request. */
export class SessionClient<Message = PerchMessage> {
  readonly id: string
  /** The session's workspace. */
  readonly files: SessionFiles
  readonly #transport: Transport
  readonly #turns: Turns

  /** Throws a TypeError for an id that no session can have: empty, `.` or `..`. */
  constructor(transport: Transport, id: string) {
    sessionPath(id)
    this.id = id
    this.files = new SessionFiles(transport, id)
    this.#transport = transport
    this.#turns = new Turns(transport)
  }

  /** Throws NotFoundError when there is no such session. */
  get({ signal }: Stoppable = {}): Promise<Session> {
    return this.#json("GET", "", { signal })
  }

  /** Changes the title, metadata or options; options are merged by name and apply from the next turn on. */
  update(change: PatchSession, { signal }: Stoppable = {}): Promise<Session> {
    return this.#json("PATCH", "", { json: change, signal })
  }

  /** Creates a copy with the whole log and all files; with `at` the copy's conversation ends with that message. */
  fork(body: ForkSession = {}, options: Stoppable & { readonly idempotencyKey?: string } = {}): Promise<Session> {
    return this.#json("POST", "/fork", { json: body, signal: options.signal, ...onceOnly(body, options) })
  }

  /** Cuts the conversation off before a message, or a part of one; with `rewindFiles` restores the files of that moment too. */
  revert(messageID: string, { signal, ...rest }: Stoppable & RevertOptions = {}): Promise<Session> {
    // A second request would fail, since the message is gone.
    return this.#json("POST", "/revert", { json: { messageID, ...rest }, signal, repeat: "once" })
  }

  /** Undoes the reverts since the last prompt. Throws ConflictError when files have changed since and `files` is not set. */
  unrevert({ signal, ...rest }: Stoppable & { readonly files?: "restore" | "keep" } = {}): Promise<Session> {
    return this.#json("POST", "/unrevert", { json: rest, signal, repeat: "once" })
  }

  /** Erases the session on the server with all that belongs to it. */
  async delete({ signal }: Stoppable = {}): Promise<void> {
    await this.#json("DELETE", "", { signal, removes: true })
  }

  /** Creates a ticket, valid for at most an hour, for a client that must not have a key. Without `roles` it can only observe. */
  ticket(
    options: Stoppable & { readonly roles?: ReadonlyArray<TicketRole>; readonly ttlSeconds?: number } = {},
  ): Promise<Ticket> {
    const { roles, ttlSeconds, signal } = options
    const json = {
      ...(roles === undefined ? {} : { roles }),
      ...(ttlSeconds === undefined ? {} : { ttl_seconds: ttlSeconds }),
    }
    return this.#json("POST", "/tickets", { json, signal })
  }

  /** Runs a prompt; resolves when its turn has ended, or waits for an ask that `onAsk` does not answer. */
  query(query: string | Query, options: TurnOptions = {}): Promise<TurnOutcome> {
    return this.#turns.run(this.id, query, options)
  }

  /** Runs a prompt and yields its messages up to the result. Leaving the loop does not stop the turn; `interrupt()` does. */
  stream(query: string | Query, options: TurnOptions = {}): AsyncGenerator<Message, void> {
    return this.#turns.stream<Message>(this.id, query, options)
  }

  /** A page of turns, the newest first. */
  turns(
    query: Stoppable & { readonly limit?: number; readonly cursor?: string; readonly order?: "asc" | "desc" } = {},
  ): Promise<Page<Turn>> {
    const { signal, ...asked } = query
    return this.#json("GET", "/turns", { query: asked, signal })
  }

  /** Reads a turn at once, or with `wait` (seconds, at most 120) as soon as it has ended or is blocked by an ask. */
  turn(turnId: string, options: Stoppable & { readonly wait?: number } = {}): Promise<Turn> {
    return this.#turns.read(this.id, turnId, options)
  }

  /** Resolves when a turn has ended, or waits for an ask that `onAsk` does not answer. */
  wait(turnId: string, options: WaitOptions = {}): Promise<TurnOutcome> {
    return this.#turns.wait(this.id, turnId, options)
  }

  /** Interrupts the running turn. */
  interrupt({ signal }: Stoppable = {}): Promise<{
    readonly interrupted: boolean
    readonly still_queued: ReadonlyArray<string>
  }> {
    // A retry after a broken connection might interrupt the next turn.
    return this.#json("POST", "/interrupt", { json: {}, signal, repeat: "once" })
  }

  /** The session's open asks. */
  async asks({ signal }: Stoppable = {}): Promise<ReadonlyArray<Ask>> {
    return (await this.#json<{ pending: ReadonlyArray<Ask> }>("GET", "/permissions", { signal })).pending
  }

  /** Answers an ask. Repeating the same answer is no error; a different one throws ConflictError. */
  answer(requestId: string, answer: AskAnswer, { signal }: Stoppable = {}): Promise<void> {
    return this.#turns.answer(this.id, requestId, answer, signal)
  }

  /** The permissions saved by the reply `always`, for this session or for the whole tenant. */
  async savedPermissions({ signal }: Stoppable = {}): Promise<ReadonlyArray<SavedPermission>> {
    return (await this.#json<{ saved: ReadonlyArray<SavedPermission> }>("GET", "/permissions/saved", { signal })).saved
  }

  /** Revokes a saved permission: from its next tool call on, the session asks again. */
  async revokePermission(savedId: string, { signal }: Stoppable = {}): Promise<void> {
    const path = `/permissions/saved/${segment("The saved permission's id", savedId)}`
    await this.#json("DELETE", path, { signal, removes: true })
  }

  /**
   * Follows the log live: yields every message once and in order, and reconnects when a connection breaks. It ends when the
   * loop is left or `signal` aborts. After a reconnect the fragments of an unfinished answer start again from its
   * `message_start`.
   */
  async *events({ after: from = 0, partials, signal }: EventsOptions = {}): AsyncGenerator<Streamed<Message>, void> {
    // Resolved once, so that a connection that breaks before its first event does not restart from a later head.
    const after = from === "head" ? (await this.log({ limit: 1, order: "desc", signal })).last_seq : from
    const connect = (last: number | undefined, stop: AbortSignal): Promise<Response> =>
      this.#transport.send("GET", sessionPath(this.id, "/events/stream"), {
        query: { after: last ?? after, partials },
        headers: { accept: "text/event-stream" },
        signal: stop,
        repeat: "never",
      })
    const attempts = Math.max(this.#transport.reconnects, 2)
    yield* readEventStream<Message>({ connect, signal, attempts, after })
  }

  /** A page of the log, with events of every name. */
  log(
    query: Stoppable & {
      readonly after?: number
      readonly limit?: number
      readonly order?: "asc" | "desc"
      readonly name?: string
    } = {},
  ): Promise<LogPage> {
    const { signal, ...asked } = query
    return this.#json("GET", "/events", { query: asked, signal })
  }

  /** A page of the conversation as SDK messages. */
  messages(
    query: Stoppable & { readonly after?: string; readonly limit?: number } & At = {},
  ): Promise<MessagePage<Message>> {
    const { signal, ...asked } = query
    return this.#json("GET", "/messages", { query: { ...asked, format: "sdk" }, signal })
  }

  /** The latest list of TodoWrite, followed by the tasks of TaskCreate and TaskUpdate. */
  async todos({ signal, ...query }: Stoppable & At = {}): Promise<ReadonlyArray<Todo>> {
    return (await this.#json<{ todos: ReadonlyArray<Todo> }>("GET", "/todos", { query, signal })).todos
  }

  /** The uuids of the messages to which files can be rewound, the oldest first. */
  async checkpoints({ signal }: Stoppable = {}): Promise<ReadonlyArray<string>> {
    return (await this.#json<{ checkpoints: ReadonlyArray<string> }>("GET", "/checkpoints", { signal })).checkpoints
  }

  /** Restores the files to their state at a user message, or with `dryRun` reports what that would change. */
  rewind(
    userMessageId: string,
    { dryRun = false, signal }: Stoppable & { dryRun?: boolean } = {},
  ): Promise<RewindReport> {
    return this.#json("POST", "/rewind", { json: { user_message_id: userMessageId, dry_run: dryRun }, signal })
  }

  #json<A>(method: string, path: string, options: RequestOptions): Promise<A> {
    return this.#transport.json<A>(method, sessionPath(this.id, path), options)
  }
}

/**
 * Decides how a request that creates a session is sent: under an Idempotency-Key, so that it can be retried. With an `id` but
 * no key it is not retried unless `on_exists` is `attach`: a conflict could be caused by the session that it created itself.
 */
export const onceOnly = (
  { id, on_exists }: { readonly id?: string; readonly on_exists?: string },
  { idempotencyKey }: { readonly idempotencyKey?: string },
): Pick<RequestOptions, "headers" | "repeat"> => {
  const key = idempotencyKey ?? (id === undefined ? newUuid() : undefined)
  if (key === undefined) return on_exists === "attach" ? {} : { repeat: "once" }
  return { headers: { "idempotency-key": key } }
}

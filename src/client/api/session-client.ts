// One session of a server: its turns, questions, log, messages and files.
// Invariant: making it asks the server nothing; each method is one route of the API, under the route's own names.
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
import { type RequestOptions, sessionPath, type Transport } from "./transport.ts"
import { type TurnOptions, type TurnOutcome, Turns, type WaitOptions } from "./turns.ts"

/** Stops a request. */
export interface Stoppable {
  readonly signal?: AbortSignal | undefined
}

/** What is read as it was right after this event (its `seq`). */
export interface At {
  readonly at?: number
}

/** Where `events()` begins, and whether it yields fragments. */
export interface EventsOptions extends Stoppable {
  /** Begins behind this place of the log; `head` is what comes next (the default is the whole log). */
  readonly after?: number | "head"
  /** With fragments of answers that are being written. */
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
  /** The seq of the newest event when the page was read: a stream with it as `after` goes on from the page. */
  readonly last_seq: number
}

/** One session by its id: its prompts, turns, asks, events and files. Making one sends nothing. */
export class SessionClient<Message = PerchMessage> {
  readonly id: string
  /** Its workspace. */
  readonly files: SessionFiles
  readonly #transport: Transport
  readonly #turns: Turns

  /** Throws a TypeError for an id that no session can have: an empty one, `.` and `..`. */
  constructor(transport: Transport, id: string) {
    sessionPath(id)
    this.id = id
    this.files = new SessionFiles(transport, id)
    this.#transport = transport
    this.#turns = new Turns(transport)
  }

  // ---- the session

  /** Throws NotFoundError when there is no such session. */
  get({ signal }: Stoppable = {}): Promise<Session> {
    return this.#json("GET", "", { signal })
  }

  /** Changes its title, metadata or options; options are merged by name and hold from the next turn on. */
  update(change: PatchSession, { signal }: Stoppable = {}): Promise<Session> {
    return this.#json("PATCH", "", { json: change, signal })
  }

  /** A copy with the whole log and all files. */
  fork(body: ForkSession = {}, options: Stoppable & { readonly idempotencyKey?: string } = {}): Promise<Session> {
    return this.#json("POST", "/fork", { json: body, signal: options.signal, ...onceOnly(body, options) })
  }

  /** Ends the conversation before a message, or a part of one; the files go back too when asked. */
  revert(messageID: string, { signal, ...rest }: Stoppable & RevertOptions = {}): Promise<Session> {
    // Sent again, it would find the message gone.
    return this.#json("POST", "/revert", { json: { messageID, ...rest }, signal, repeat: "once" })
  }

  /** Brings back what was reverted since the last prompt. Files that were changed since are a ConflictError without `files`. */
  unrevert({ signal, ...rest }: Stoppable & { readonly files?: "restore" | "keep" } = {}): Promise<Session> {
    return this.#json("POST", "/unrevert", { json: rest, signal, repeat: "once" })
  }

  /** Erases it everywhere. */
  async delete({ signal }: Stoppable = {}): Promise<void> {
    await this.#json("DELETE", "", { signal })
  }

  /** A ticket for a client that must not hold a key, for at most an hour. Without roles it observes. */
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

  // ---- turns

  /** Runs a prompt; resolves when its turn has ended, or waits for an answer that `onAsk` does not give. */
  query(query: string | Query, options: TurnOptions = {}): Promise<TurnOutcome> {
    return this.#turns.run(this.id, queryOf(query), options)
  }

  /** Runs a prompt and yields its messages until the result. Leaving the loop stops nothing; `interrupt()` does. */
  stream(query: string | Query, options: TurnOptions = {}): AsyncGenerator<Message, void> {
    return this.#turns.stream<Message>(this.id, queryOf(query), options)
  }

  /** A page of turns, the newest first. */
  turns(
    query: Stoppable & { readonly limit?: number; readonly cursor?: string; readonly order?: "asc" | "desc" } = {},
  ): Promise<Page<Turn>> {
    const { signal, ...asked } = query
    return this.#turns.list(this.id, asked, signal)
  }

  /** A turn as it is now, or with `wait` (seconds, at most 120) when it has ended or an ask holds it up. */
  turn(turnId: string, options: Stoppable & { readonly wait?: number } = {}): Promise<Turn> {
    return this.#turns.read(this.id, turnId, options)
  }

  /** Resolves when a turn has ended, or waits for an answer that `onAsk` does not give. */
  wait(turnId: string, options: WaitOptions = {}): Promise<TurnOutcome> {
    return this.#turns.wait(this.id, turnId, options)
  }

  /** Ends the turn that runs. */
  interrupt({ signal }: Stoppable = {}): Promise<{
    readonly interrupted: boolean
    readonly still_queued: ReadonlyArray<string>
  }> {
    // Sent again after a broken connection it might end the next turn.
    return this.#json("POST", "/interrupt", { json: {}, signal, repeat: "once" })
  }

  // ---- questions

  /** What waits for an answer. */
  async asks({ signal }: Stoppable = {}): Promise<ReadonlyArray<Ask>> {
    return (await this.#turns.asks(this.id, signal)).pending
  }

  /** Answers a question. The same answer again is no error; another one is a ConflictError. */
  answer(requestId: string, answer: AskAnswer, { signal }: Stoppable = {}): Promise<void> {
    return this.#turns.answer(this.id, requestId, answer, signal)
  }

  /** What was answered with `always`, here or for the whole tenant. */
  async savedPermissions({ signal }: Stoppable = {}): Promise<ReadonlyArray<SavedPermission>> {
    return (await this.#turns.savedPermissions(this.id, signal)).saved
  }

  /** From the next call on the session asks again. */
  revokePermission(savedId: string, { signal }: Stoppable = {}): Promise<void> {
    return this.#turns.revokePermission(this.id, savedId, signal)
  }

  // ---- reading

  /**
   * Follows the log live: every message once and in order, over as many connections as it takes. It ends when the loop is
   * left or `signal` aborts. After a broken connection an answer that is being written begins again at its
   * `message_start`.
   */
  async *events({ after: from = 0, partials, signal }: EventsOptions = {}): AsyncGenerator<Streamed<Message>, void> {
    // A connection that breaks before its first event must not begin at a later head.
    const after = from === "head" ? (await this.log({ limit: 1, order: "desc", signal })).last_seq : from
    const connect = (last: number | undefined, stop: AbortSignal): Promise<Response> =>
      this.#transport.send("GET", sessionPath(this.id, "/events/stream"), {
        query: { after: last ?? after, partials },
        headers: { accept: "text/event-stream" },
        signal: stop,
      })
    const attempts = Math.max(this.#transport.maxRetries, 1) * 2
    yield* readEventStream<Message>({ connect, signal, attempts, after })
  }

  /** A page of the log with all that it records. */
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

  async todos({ signal, ...query }: Stoppable & At = {}): Promise<ReadonlyArray<Todo>> {
    return (await this.#json<{ todos: ReadonlyArray<Todo> }>("GET", "/todos", { query, signal })).todos
  }

  /** The uuids of the messages that files can be put back to, the oldest first. */
  async checkpoints({ signal }: Stoppable = {}): Promise<ReadonlyArray<string>> {
    return (await this.#json<{ checkpoints: ReadonlyArray<string> }>("GET", "/checkpoints", { signal })).checkpoints
  }

  /** Puts the files back to where they were at a message, or reports what that would change. */
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

const queryOf = (query: string | Query): Query => (typeof query === "string" ? { prompt: query } : query)

/**
 * How a request that makes a session is sent: under a key, so that it can be sent again. Without one an id of the caller's
 * own is a conflict when it is taken, and then it can't: the session might be the one that it made itself.
 */
export const onceOnly = (
  { id, on_exists }: { readonly id?: string; readonly on_exists?: string },
  { idempotencyKey }: { readonly idempotencyKey?: string },
): Pick<RequestOptions, "headers" | "repeat"> => {
  const key = idempotencyKey ?? (id === undefined ? newUuid() : undefined)
  if (key === undefined) return on_exists === "attach" ? {} : { repeat: "once" }
  return { headers: { "idempotency-key": key } }
}

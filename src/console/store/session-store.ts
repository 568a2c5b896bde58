// The state of a session for its screens: loads the newest messages, then follows all changes while the session is shown.
// Invariant: the stream starts at a place before the loaded page, and repeated frames change nothing, so no change is lost or
// duplicated after a network failure, a restart of the server or a reload.
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals"
import { NotFoundError, PerchError } from "../../client/api/perch-error.ts"
import { readEventStream } from "../../client/api/event-stream.ts"
import type { Ask, PatchSession, Session, SessionState, Todo } from "../../client/api/session-shapes.ts"
import { messageOf, type Server } from "../app/server.ts"
import { Conversation } from "./conversation.ts"
import { FileChanges } from "./file-changes.ts"
import type { Frame, MessageInfo, MessageWithParts, Part } from "./frames.ts"
import { LatestAnswer } from "./latest-answer.ts"

export type Connection = "connecting" | "live" | "reconnecting" | "gone"

interface Retry {
  readonly type: "retry"
  readonly message: string
  /** The time of the retry, in milliseconds since 1970. */
  readonly next: number
}

type Status = { readonly type: "busy" | "idle" } | Retry

interface MessagePage {
  readonly messages: ReadonlyArray<MessageWithParts>
  readonly has_more: boolean
  readonly next_cursor: string | null
  /** seq of the newest event when the page was read. */
  readonly last_seq: number
}

/** Messages in a page. Larger pages block scrolling for longer while they are rendered. */
const PAGE = 50
/** Frames after which a session's own fields (cost, title, model) may have changed. */
const CHANGES_SESSION = /^session\.(updated|idle|created|compacted)$/
const NONE: ReadonlyArray<string> = []
const ASKS = /^(permission|question|plan|client_tool|outcome|elicitation)\./

export class SessionStore {
  readonly id: string
  readonly server: Server
  readonly conversation = new Conversation()
  /** Null until it is loaded. */
  readonly session = signal<Session | null>(null)
  readonly connection = signal<Connection>("connecting")
  readonly error = signal<string | null>(null)
  readonly asks = signal<ReadonlyArray<Ask>>([])
  /** Ids of the asks that this page has settled by an answer, or by stopping their turn; also while the request runs. */
  readonly settledHere = signal<ReadonlySet<string>>(new Set())
  readonly todos = signal<ReadonlyArray<Todo>>([])
  readonly #files = new FileChanges()
  /** Changes when files have changed: in a turn, by a request, or while the stream was interrupted. */
  readonly fileChanges: ReadonlySignal<number> = this.#files.count
  /** seq of the last event that the screens have seen; advances with every event. */
  readonly seq = signal(0)
  /** Whether the session is gone for good: it takes no prompt and no answer. */
  readonly isErased = signal(false)
  readonly isLoading = signal(true)
  /** Null when the first message is loaded. */
  readonly olderCursor = signal<string | null>(null)
  /** Whether the newest message is visible: only then the oldest ones may be dropped. */
  #isAtEnd = true
  readonly #status = signal<Status | null>(null)
  /** The state from the stream if that has reported it, else from the session that was read. */
  readonly state = computed<SessionState>(() => {
    if (this.asks.value.length > 0) return "requires_action"
    const { value } = this.#status
    if (value === null) return this.session.value?.state ?? "idle"
    return value.type === "idle" ? "idle" : "running"
  })
  /** The retry of a failed model request; null if there is none. */
  readonly retry = computed<Retry | null>(() => (this.#status.value?.type === "retry" ? this.#status.value : null))
  /** The prompt that arrived while no turn was running: its turn is about to begin. */
  readonly #beginning = signal<string | null>(null)
  /** Ids of the prompts that are queued after a turn; they are shown in the queue and not in the conversation. */
  readonly waiting = computed<ReadonlyArray<string>>(() => {
    const { value: queued } = this.conversation.queued
    if (queued.length === 0 || this.state.value === "idle") return NONE
    // The first prompt of a session does not wait for another turn.
    const first = this.olderCursor.value === null ? this.conversation.ids.value[0] : undefined
    return queued.filter((id) => id !== this.#beginning.value && id !== first)
  })
  #stop: AbortController | null = null
  #wasConnected = false
  /** Whether the last attempt to load it could not reach the server. */
  #isUnreachable = false
  readonly #sessionReads = new LatestAnswer<Session>((session) => this.#take(session))
  /** Ids of the asks that the stream has reported as settled: a list that was read before may still have them. */
  readonly #settled = new Set<string>()
  readonly #todoReads = new LatestAnswer<ReadonlyArray<Todo>>((todos) => (this.todos.value = todos))
  readonly #askReads = new LatestAnswer<ReadonlyArray<Ask>>((asks) => this.#showOpen(asks))

  constructor(server: Server, id: string) {
    this.server = server
    this.id = id
  }

  /** Loads the session and follows it until `close`. A second call starts over. */
  open(): void {
    this.close()
    const stop = new AbortController()
    this.#stop = stop
    this.error.value = null
    this.#isUnreachable = false
    this.connection.value = "connecting"
    this.isLoading.value = this.conversation.ids.peek().length === 0
    void this.#run(stop.signal)
  }

  /** Call it after an error: opens the session again unless it is followed, and otherwise reads what may be missing. */
  again(): void {
    if (this.connection.peek() === "gone") return this.open()
    // An older page is read when its place is visible.
    this.error.value = null
    void this.refresh()
    void this.refreshAsks()
  }

  /** Opens the session again if the server could not be reached. Call it when the network is back. */
  resume(): void {
    if (this.#isUnreachable) this.open()
  }

  close(): void {
    this.#stop?.abort()
    this.#stop = null
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      // Both requests are sent at the same time, and everything else with the stream.
      const page = this.#page(undefined, signal)
      const session = this.#readSession(signal)
      const others = session.then(() => Promise.all([this.refreshAsks(), this.#readTodos(signal)]))
      const followed = Promise.all([page, session]).then(([newest, { last_seq }]) => {
        this.#showNewest(newest)
        return this.#follow(Math.min(newest.last_seq, last_seq), signal)
      })
      await Promise.all([others, followed])
    } catch (error) {
      if (signal.aborted) return
      this.close()
      this.#isUnreachable = error instanceof PerchError && error.retryable
      this.isErased.value = error instanceof NotFoundError
      this.connection.value = "gone"
      this.#report("The session", error)
      this.isLoading.value = false
    }
  }

  async #readSession(signal: AbortSignal): Promise<Session> {
    const session = await this.server.client.session(this.id).get({ signal })
    this.session.value = session
    this.seq.value = session.last_seq
    return session
  }

  /** Replaces everything that was shown before, because changes since then were not followed. */
  #showNewest({ messages, next_cursor }: MessagePage): void {
    batch(() => {
      if (this.conversation.ids.peek().length > 0) this.#files.note()
      this.conversation.replace(messages)
      this.#status.value = null
      this.#beginning.value = null
      this.olderCursor.value = next_cursor
      this.isLoading.value = false
    })
  }

  /** Loads the page before the first loaded message. */
  async loadOlder(): Promise<void> {
    const { value: cursor } = this.olderCursor
    const stop = this.#stop?.signal
    if (cursor === null || stop === undefined || this.isLoading.value) return
    this.isLoading.value = true
    try {
      const page = await this.#page(cursor, stop)
      if (stop.aborted) return
      this.conversation.addPage(page.messages, "before")
      this.olderCursor.value = page.next_cursor
    } catch (error) {
      if (!stop.aborted) this.#report("Older messages", error)
    } finally {
      if (!stop.aborted) this.isLoading.value = false
    }
  }

  /** Reads a page of messages. The response has the newest first; the returned page has the oldest first. */
  async #page(after: string | undefined, signal: AbortSignal | undefined): Promise<MessagePage> {
    const path = `/v1/sessions/${this.id}/messages`
    const query = { format: "parts", order: "desc", limit: PAGE, after }
    const page = await this.server.transport.json<MessagePage>("GET", path, { query, signal })
    return { ...page, messages: page.messages.toReversed() }
  }

  async #follow(after: number, signal: AbortSignal): Promise<void> {
    const path = `/v1/sessions/${this.id}/events/stream`
    const connect = async (last: number | undefined, stop: AbortSignal): Promise<Response> => {
      const query = { format: "parts", after: last ?? after }
      try {
        const response = await this.server.transport.send("GET", path, { query, signal: stop, repeat: "never" })
        this.connection.value = "live"
        return response
      } catch (error) {
        if (!signal.aborted) this.connection.value = "reconnecting"
        throw error
      }
    }
    for await (const { id, message } of readEventStream<Frame>({ connect, signal, after, attempts: Infinity })) {
      // The stream may start before the session's `last_seq`, and `seq` must not decrease.
      if (id !== undefined && id > this.seq.value) this.seq.value = id
      this.#apply(message)
    }
  }

  #apply(frame: Frame): void {
    if (frame.type === "message.updated" && this.state.peek() === "idle") this.#noteBeginning(frame)
    const { type, properties } = frame
    if (this.conversation.apply(frame)) {
      if (type === "message.removed") this.#checkCursor(String(properties["messageID"]))
      // A step that has changed files ends with a snapshot, long before its turn may end.
      const part = properties["part"] as Part | undefined // the format's own shape
      if (part?.type === "snapshot") this.#files.note()
      return
    }
    if (type === "session.status") {
      const { status } = properties as { readonly status?: Status } // the format's own shape
      this.#status.value = status ?? null
    } else if (type === "todo.updated") {
      const todos = (properties["todos"] as ReadonlyArray<Todo>) ?? [] // the format's own shape
      // A list that was requested before may be older.
      void this.#todoReads.of(Promise.resolve(todos))
    } else if (type === "session.diff" || type === "file.watcher.updated") {
      this.#files.note()
    } else if (type === "server.connected") {
      // Changes by requests are not replayed.
      if (this.#wasConnected) this.#files.note()
      this.#wasConnected = true
    } else if (type === "session.deleted") {
      // Further requests would fail with "not found" and replace the reason.
      this.close()
      batch(() => {
        this.isErased.value = true
        this.asks.value = []
        this.connection.value = "gone"
        this.error.value = "This session was erased."
      })
    } else if (ASKS.test(type)) {
      this.#noteSettled(frame)
      void this.refreshAsks()
    }
    if (CHANGES_SESSION.test(type)) void this.refresh()
    if (type === "session.idle") this.#forgetOldest()
  }

  #noteBeginning({ properties }: Frame): void {
    const { id, sdk } = properties["info"] as MessageInfo // the format's own shape
    if (sdk?.queued === true) this.#beginning.value = id
  }

  /** The page before the first loaded message can't be read when that message was removed: its cursor is no longer valid. */
  #checkCursor(removed: string): void {
    if (removed !== this.olderCursor.peek()) return
    const first = this.conversation.ids.peek()[0]
    this.olderCursor.value = first ?? null
    // A revert to an older message has removed everything that was loaded.
    if (first === undefined) this.open()
  }

  set isAtEnd(isAtEnd: boolean) {
    const isBack = isAtEnd && !this.#isAtEnd
    this.#isAtEnd = isAtEnd
    if (isBack && this.state.peek() === "idle") this.#forgetOldest()
  }

  /** Drops the oldest messages, so that memory stays bounded however much was followed or read. */
  #forgetOldest(): void {
    if (this.#isAtEnd && this.conversation.keepBounded())
      this.olderCursor.value = this.conversation.ids.peek()[0] ?? null
  }

  /** The session's directory, which never changes. Rejects with a PerchError if it is not loaded yet and can't be read. */
  async directory(): Promise<string> {
    const { cwd } =
      this.session.peek() ?? (await this.server.client.session(this.id).get({ signal: this.#stop?.signal }))
    return cwd
  }

  /** Call it when this page has changed files. */
  noteFileChanges(): void {
    this.#files.note()
  }

  /** Reads the session's own fields again. */
  refresh(): Promise<void> {
    const session = this.server.client.session(this.id).get({ signal: this.#stop?.signal })
    return this.#sessionReads.of(session).catch((error: unknown) => this.#report("The session", error))
  }

  /** Changes the session. A change that was read before the answer arrives is kept. Rejects with the error of the request. */
  async update(change: PatchSession): Promise<void> {
    await this.#sessionReads.of(this.server.client.session(this.id).update(change))
  }

  /** Takes the session from an answer, unless a newer one was read in the meantime. */
  #take(session: Session): void {
    if (session.last_seq < (this.session.peek()?.last_seq ?? 0)) return
    const isRestored = session.revert?.snapshot !== this.session.peek()?.revert?.snapshot
    this.session.value = session
    // A revert, or its undoing, has restored files.
    if (isRestored) this.#files.note()
  }

  /** Marks asks as settled by this page; without ids all open ones. Returns a function that undoes this after a failure. */
  settleHere(ids: ReadonlyArray<string> = this.asks.peek().map(({ request_id: id }) => id)): () => void {
    this.settledHere.value = new Set([...this.settledHere.peek(), ...ids])
    return () => {
      this.settledHere.value = new Set([...this.settledHere.peek()].filter((id) => !ids.includes(id)))
    }
  }

  #noteSettled({ properties: { requestID } }: Frame): void {
    if (typeof requestID !== "string") return
    this.#settled.add(requestID)
    this.#showOpen(this.asks.peek())
  }

  #showOpen(asks: ReadonlyArray<Ask>): void {
    this.asks.value = asks.filter(({ request_id: id }) => !this.#settled.has(id))
  }

  refreshAsks(): Promise<void> {
    const asks = this.server.client.session(this.id).asks({ signal: this.#stop?.signal })
    return this.#askReads.of(asks).catch((error: unknown) => this.#report("The asks", error))
  }

  /** A read that ended because the session was left is no failure. */
  #report(unread: string, error: unknown): void {
    if (!(error instanceof DOMException)) this.error.value = `${unread} could not be read. ${messageOf(error)}`
  }

  async #readTodos(signal: AbortSignal): Promise<void> {
    await this.#todoReads.of(this.server.client.session(this.id).todos({ signal }))
  }
}

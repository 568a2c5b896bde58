// The state of a session for its screens: loads the newest messages, then follows all changes while the session is shown.
// Invariant: the stream starts at a place before the loaded page, and repeated frames change nothing, so no change is lost or
// duplicated after a network failure, a restart of the server or a reload.
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals"
import { NotFoundError, PerchError } from "../../client/api/perch-error.ts"
import { readEventStream, type Streamed } from "../../client/api/event-stream.ts"
import type { Ask, PatchSession, Session, SessionState, Todo } from "../../client/api/session-shapes.ts"
import type { Server } from "../app/server.ts"
import { changesSession } from "./changes-session.ts"
import { Conversation } from "./conversation.ts"
import { FileChanges } from "./file-changes.ts"
import type { Frame, MessageInfo, Part } from "./frames.ts"
import { LatestAnswer } from "./latest-answer.ts"
import { type MessagePage, type PageOrder, readMessages } from "./message-page.ts"
import { MessageWindow } from "./message-window.ts"
import { OpenAsks } from "./open-asks.ts"
import { ReadErrors } from "./read-errors.ts"
import { TaskBatches } from "./task-batches.ts"

export type Connection = "connecting" | "live" | "reconnecting" | "gone"

interface Retry {
  readonly type: "retry"
  readonly message: string
  /** The time of the retry, in milliseconds since 1970. */
  readonly next: number
}

type Status = { readonly type: "busy" | "idle" } | Retry

const NONE: ReadonlyArray<string> = []
const ASKS = /^(permission|question|plan|client_tool|outcome|elicitation)\./

export class SessionStore {
  readonly id: string
  readonly server: Server
  readonly conversation = new Conversation()
  /** As `todos`: null until it is read. */
  readonly session = signal<Session | null>(null)
  readonly todos = signal<ReadonlyArray<Todo> | null>(null)
  readonly connection = signal<Connection>("connecting")
  readonly #errors = new ReadErrors()
  readonly error = this.#errors.shown
  readonly #openAsks = new OpenAsks()
  readonly asks: ReadonlySignal<ReadonlyArray<Ask>> = this.#openAsks.asks
  readonly settledHere: ReadonlySignal<ReadonlySet<string>> = this.#openAsks.settledHere
  readonly #files = new FileChanges()
  /** Changes when files have changed: in a turn, by a request, or while the stream was interrupted. */
  readonly fileChanges: ReadonlySignal<number> = this.#files.count
  /** seq of the last event that the screens have seen; advances with every event. */
  readonly seq = signal(0)
  /** Whether the session is gone for good: it takes no prompt and no answer. */
  readonly isErased = signal(false)
  readonly isLoading = signal(true)
  readonly #window = new MessageWindow(this.conversation)
  readonly olderCursor: ReadonlySignal<string | null> = this.#window.older
  readonly newerCursor: ReadonlySignal<string | null> = this.#window.newer
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
  /** Whether a frame has reported a change of the session's own fields that is not read yet. */
  #isStale = false
  /** Ends the stream that is followed. */
  #stream: AbortController | null = null
  /** Whether the last attempt to load it could not reach the server. */
  #isUnreachable = false
  readonly #sessionReads = new LatestAnswer<Session>((session) => this.#take(session))
  readonly #todoReads = new LatestAnswer<ReadonlyArray<Todo>>((todos) => (this.todos.value = todos))
  readonly #askReads = new LatestAnswer<ReadonlyArray<Ask>>((asks) => this.#openAsks.show(asks))

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

  /** Is called when the network is back: opens the session again if it could not be reached, or if a part of it could not be read. */
  resume(): void {
    if (this.#isUnreachable || (this.connection.peek() !== "gone" && this.error.peek() !== null)) this.again()
  }

  close(): void {
    this.#stop?.abort()
    this.#stop = null
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      // Both requests are sent at the same time, and everything else with the stream.
      const page = readMessages(this.server, this.id, "desc", undefined, signal)
      const session = this.#readSession(signal)
      const others = session.then(() =>
        Promise.all([this.refreshAsks(), this.#todoReads.of(this.server.client.session(this.id).todos({ signal }))]),
      )
      const followed = Promise.all([page, session]).then(([newest, { last_seq }]) => {
        batch(() => {
          this.#status.value = null
          this.#beginning.value = null
          this.#showNewest(newest)
        })
        return this.#follow(Math.min(newest.last_seq, last_seq), signal)
      })
      await Promise.all([others, followed])
    } catch (error) {
      this.#fail(error, signal)
    }
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    this.close()
    this.#isUnreachable = error instanceof PerchError && error.retryable
    this.isErased.value = error instanceof NotFoundError
    this.connection.value = "gone"
    this.#errors.report("The session", error)
    this.isLoading.value = false
  }

  async #readSession(signal: AbortSignal): Promise<Session> {
    const session = await this.server.client.session(this.id).get({ signal })
    this.session.value = session
    this.seq.value = session.last_seq
    return session
  }

  /** Replaces everything that was shown before, because changes since then were not followed. */
  #showNewest({ messages, next_cursor }: MessagePage): void {
    if (this.conversation.ids.peek().length > 0) this.#files.note()
    this.conversation.replace(messages)
    this.#window.older.value = next_cursor
    this.#window.newer.value = null
    this.isLoading.value = false
  }

  /** Loads the page before the first loaded message. */
  loadOlder(): Promise<void> {
    return this.#load("desc", this.olderCursor.value, ({ messages, next_cursor }) => {
      this.conversation.addPage(messages, "before")
      this.#window.older.value = next_cursor
    })
  }

  /** Loads the page after the last loaded message, when newer ones are missing. */
  loadNewer(): Promise<void> {
    return this.#load("asc", this.newerCursor.value, ({ messages, next_cursor, last_seq }, signal) => {
      this.conversation.addPage(messages, "after")
      this.#window.newer.value = next_cursor
      this.#window.bound()
      if (next_cursor === null) this.#followFrom(last_seq, signal)
    })
  }

  /** Loads the newest messages instead of those that are loaded. */
  loadNewest(): Promise<void> {
    return this.#load("desc", undefined, (page, signal) => {
      this.#showNewest(page)
      this.#followFrom(page.last_seq, signal)
    })
  }

  /** Reads the stream again from `seq`, once all messages up to there are loaded: frames about missing messages were ignored. */
  #followFrom(seq: number, signal: AbortSignal): void {
    this.#follow(seq, signal).catch((error: unknown) => this.#fail(error, signal))
  }

  async #load(
    order: PageOrder,
    cursor: string | null | undefined,
    add: (page: MessagePage, signal: AbortSignal) => void,
  ): Promise<void> {
    const stop = this.#stop?.signal
    if (cursor === null || stop === undefined || this.isLoading.value) return
    this.isLoading.value = true
    try {
      const page = await readMessages(this.server, this.id, order, cursor, stop)
      if (!stop.aborted) batch(() => add(page, stop))
    } catch (error) {
      if (!stop.aborted) this.#errors.report(order === "desc" ? "Older messages" : "Newer messages", error)
    } finally {
      if (!stop.aborted) this.isLoading.value = false
    }
  }

  /** Follows the stream until `stop`, or until it is called again. */
  async #follow(after: number, stop: AbortSignal): Promise<void> {
    this.#stream?.abort()
    const stream = (this.#stream = new AbortController())
    const signal = AbortSignal.any([stop, stream.signal])
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
    // After a pause, thousands of frames may arrive at once: the page is rendered once for all of them.
    const received = new TaskBatches<Streamed<Frame>>((all) => {
      batch(() => all.forEach((one) => this.#receive(one)))
      if (this.#isStale) void this.refresh()
    })
    signal.addEventListener("abort", () => received.close(), { once: true })
    try {
      for await (const one of readEventStream<Frame>({ connect, signal, after, attempts: Infinity })) received.add(one)
    } catch (error) {
      received.close()
      if (!stream.signal.aborted) throw error
    }
  }

  #receive({ id, message }: Streamed<Frame>): void {
    // The stream may start before the session's `last_seq`, and `seq` must not decrease.
    if (id !== undefined && id > this.seq.value) this.seq.value = id
    this.#apply(message)
    if (changesSession(message)) this.#isStale = true
  }

  #apply(frame: Frame): void {
    const { type, properties } = frame
    if (type === "message.updated") {
      const info = properties["info"] as MessageInfo // the format's own shape
      if (!this.#window.has(info)) return
      if (info.sdk?.queued === true && this.state.peek() === "idle") this.#beginning.value = info.id
    }
    if (this.conversation.apply(frame)) {
      if (type === "message.updated") this.#window.noteAdded()
      // A revert to an older message has removed everything that was loaded.
      if (type === "message.removed" && this.#window.noteRemoved(String(properties["messageID"]))) this.open()
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
      // The stream begins with what changes from now on, and the list of files may have been read earlier.
      this.#files.note()
    } else if (type === "session.deleted") {
      // Further requests would fail with "not found" and replace the reason.
      this.close()
      batch(() => {
        this.isErased.value = true
        this.#openAsks.show([])
        this.connection.value = "gone"
        this.error.value = "This session was erased."
      })
    } else if (ASKS.test(type)) {
      this.#openAsks.noteSettled(properties["requestID"])
      void this.refreshAsks()
    }
    if (type === "session.idle") this.#window.bound()
  }

  set isAtEnd(isAtEnd: boolean) {
    this.#window.isAtEnd = isAtEnd
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
    this.#isStale = false
    const session = this.server.client.session(this.id).get({ signal: this.#stop?.signal })
    return this.#errors.of("The session", this.#sessionReads.of(session))
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
    return this.#openAsks.settleHere(ids)
  }

  refreshAsks(): Promise<void> {
    const asks = this.server.client.session(this.id).asks({ signal: this.#stop?.signal })
    return this.#errors.of("The asks", this.#askReads.of(asks))
  }
}

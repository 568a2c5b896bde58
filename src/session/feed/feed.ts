// Receives events as they are written; sends them to every socket that listens, and what was before to a new one.
// Invariant: a socket gets each durable event once, in order, whatever was written while its replay ran; control frames
// are never replayed, what of them still waits for an answer is sent again.
import type { RawStreamEvent } from "../../model/messages-api.ts"
import type { Actor } from "../../schemas/access.ts"
import type { PayloadOf } from "../../schemas/log/event-payloads.ts"
import type { EphemeralEvent } from "../../schemas/log/events.ts"
import type { PendingAsk } from "../../schemas/rpc/turns.ts"
import { controlFrameOf } from "./ask-frames.ts"
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { askLine, isViewer, openedAsk, viewerLine } from "./viewer-lines.ts"
import { ephemeralLine, frameLine, lineOf, type Listener, readAttachment, type SocketQuery } from "./listener.ts"
import type { SessionLog, StoredEvent } from "../storage/log.ts"

/** Lines are joined up to about this many characters. */
const LONGEST_MESSAGE = 64 * 1024
/** Characters of replay between two pauses. */
const REPLAY_PAGE = 4 * 1024 * 1024

export interface FeedDeps {
  readonly accept: (socket: WebSocket) => void
  readonly sockets: () => ReadonlyArray<WebSocket>
  readonly log: () => SessionLog
  /** True when the options of the running turn ask for stream events. */
  readonly turnWantsPartials: () => boolean
  /** The stream events that bring a client to where the running answer is, if one streams. */
  readonly partialNow: () => {
    readonly turn: string
    readonly events: ReadonlyArray<RawStreamEvent>
    readonly wrap: (event: RawStreamEvent) => PayloadOf<"sdk:stream_event">
  } | null
  /** True while a prompt is open. */
  readonly busy: () => boolean
  /** The asks that are open. */
  readonly asks: () => ReadonlyArray<PendingAsk>
  /** Frames for this client that wait for an answer; asks are among them when it may answer those. */
  readonly unanswered: (client: string, answers: boolean) => ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Answers for this client that came while it had no socket; they are given once. */
  readonly missed: (client: string) => ReadonlyArray<Readonly<Record<string, unknown>>>
}

export class Feed {
  readonly #deps: FeedDeps
  readonly #listeners = new WeakMap<WebSocket, Listener>()
  /** The sockets, until one comes or goes: to ask for them costs more than most lines. */
  #known: ReadonlyArray<WebSocket> | null = null
  /** Lines that were said since the last pause for breath, by socket: they travel as one message. */
  readonly #unsent = new Map<WebSocket, string>()
  /** What is unsent lets a model request go first. */
  #aside = false
  /** While set, events wait here: a client gets something else first. */
  #held: Array<() => void> | null = null
  /** Questions that clients know to be withdrawn before the event that settles them. */
  readonly #withdrawn = new Set<string>()
  /** Questions that are unsent; they travel behind the lines of the same moment, as a message of their own. */
  readonly #questions = new Map<WebSocket, string>()
  /** A control frame is unsent: somebody waits for its answer, or must not give it any more. */
  #urgent = false

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** Takes a new socket: the log after `after`, then the answer that streams now, then whatever comes. */
  async open(socket: WebSocket, query: SocketQuery): Promise<void> {
    const log = this.#deps.log()
    const last = log.lastSeq
    const start = query.after === "head" ? last : query.after
    const { after: _, ...kept } = query
    const listener: Listener = { ...kept, replayed: Math.min(start, last) }
    this.#deps.accept(socket)
    this.#known = null
    socket.serializeAttachment(kept)
    this.#listeners.set(socket, listener)
    if (start > last) this.#note(socket, listener, "feed:truncated", { last_seq: last })
    // A client that begins is told what waits in the answer to its `initialize`; one that comes back, here.
    await this.#replay(socket, listener, start > 0 && query.after !== "head")
  }

  async #replay(socket: WebSocket, listener: Listener, knownClient: boolean): Promise<void> {
    const log = this.#deps.log()
    let size = 0
    for (const stored of log.all(listener.replayed ?? 0)) {
      listener.replayed = stored.event.seq
      const text = this.#lineOf(listener, stored, this.#wholeOf(stored))
      if (text === null) continue
      if (!this.#send(socket, text)) return
      size += text.length
      if (size < REPLAY_PAGE) continue
      size = 0
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    // Between the last read above and here nothing can be written: there is no await.
    listener.replayed = null
    this.#note(socket, listener, "feed:live", { last_seq: log.lastSeq })
    if (listener.form === "numbered") this.#send(socket, this.#deps.busy() ? "=busy" : "=idle")
    this.#sendPartial(socket, listener)
    if (isViewer(listener)) for (const ask of this.#deps.asks()) this.#send(socket, askLine(ask))
    if (listener.client === null) return
    for (const frame of this.#deps.missed(listener.client)) this.#send(socket, frameLine(listener, frame))
    if (!knownClient) return
    for (const frame of this.#deps.unanswered(listener.client, mayAnswer(listener))) {
      this.#send(socket, frameLine(listener, frame))
    }
  }

  /** Brings a client that joins in the middle of an answer to where the answer is. */
  #sendPartial(socket: WebSocket, listener: Listener): void {
    const partial = this.#deps.partialNow()
    if (partial === null || !this.#wants(listener, partial.turn, "sdk:stream_event")) return
    for (const event of partial.events) {
      const wrapped = { name: "sdk:stream_event" as const, turn: partial.turn, payload: partial.wrap(event) }
      this.#send(socket, ephemeralLine(listener, wrapped))
    }
  }

  /** Keeps events back from the sockets; the function that it returns publishes them. */
  hold(): () => void {
    const held: Array<() => void> = []
    this.#held = held
    return () => {
      this.#held = null
      for (const publish of held) publish()
    }
  }

  /** Tells clients that a question needs no answer any more; the event that settles it tells them nothing new then. */
  withdraw(requestId: string): void {
    this.#withdrawn.add(requestId)
    const frame = { type: "control_cancel_request", request_id: requestId }
    for (const socket of this.#sockets) {
      const listener = this.#listener(socket)
      if (listener.replayed !== null || !mayAnswer(listener)) continue
      this.#ask(socket, frameLine(listener, frame), frame.type)
    }
  }

  publish(events: ReadonlyArray<StoredEvent>): void {
    if (this.#held !== null) return void this.#held.push(() => this.publish(events))
    const sockets = this.#sockets
    if (sockets.length === 0) return this.#withdrawn.clear()
    for (const stored of events) {
      const told = controlFrameOf(stored.event)
      const frame = told !== null && this.#isWithdrawn(told.frame) ? null : told
      const ask = this.#askOpenedBy(stored)
      const whole = this.#wholeOf(stored)
      for (const socket of sockets) {
        const listener = this.#listener(socket)
        if (listener.replayed !== null) continue
        const text = ask !== null && isViewer(listener) ? ask : this.#lineOf(listener, stored, whole)
        if (text !== null) this.#send(socket, text)
        if (frame !== null && listener.client !== frame.except && mayAnswer(listener)) {
          this.#ask(socket, frameLine(listener, frame.frame), frame.frame["type"])
        }
      }
      for (const event of stored.after ?? []) this.emit(event)
    }
  }

  /** The line of a durable event for a listener, or null when it is not for that one. */
  #lineOf(listener: Listener, stored: StoredEvent, whole: () => string): string | null {
    const own = listener.turn === null || stored.event.turn === listener.turn ? lineOf(listener, stored, whole) : null
    return own === null && isViewer(listener) ? viewerLine(stored, listener) : own
  }

  /** The payload's JSON with its media: made once for all who need it, and not before. */
  #wholeOf({ json }: StoredEvent): () => string {
    let whole: string | undefined
    return () => (whole ??= this.#deps.log().media.whole(json))
  }

  #askOpenedBy(stored: StoredEvent): string | null {
    const opened = openedAsk(stored)
    const ask = opened === null ? undefined : this.#deps.asks().find(({ request_id }) => request_id === opened)
    return ask === undefined ? null : askLine(ask)
  }

  #isWithdrawn({ type, request_id: id }: Readonly<Record<string, unknown>>): boolean {
    return type === "control_cancel_request" && this.#withdrawn.delete(String(id))
  }

  emit(event: EphemeralEvent): void {
    if (this.#held !== null) return void this.#held.push(() => this.emit(event))
    const lines = new Map<string, string>()
    for (const socket of this.#sockets) {
      const listener = this.#listener(socket)
      if (listener.replayed !== null || !this.#wants(listener, event.turn, event.name)) continue
      const text = lines.get(listener.form) ?? ephemeralLine(listener, event)
      lines.set(listener.form, text)
      this.#send(socket, text)
    }
  }

  /** Sends a control frame to one client; false when it is not attached. */
  frame(client: string, frame: Readonly<Record<string, unknown>>): boolean {
    let sent = false
    for (const socket of this.#deps.sockets()) {
      const listener = this.#listener(socket)
      if (listener.client !== client) continue
      const text = frameLine(listener, frame)
      const asked = this.#questions.get(socket)
      // What else is asked at the moment of a question stays behind it: the first answer counts.
      if (asked === undefined || frame["type"] !== "control_request") sent = this.#send(socket, text) || sent
      else {
        this.#questions.set(socket, `${asked}\n${text}`)
        sent = true
      }
    }
    if (sent) this.#flushNow()
    return sent
  }

  /** Tells sockets that count their lines how things stand: `+N` to one of them, `=idle` or `=busy` to all. */
  mark(text: string, to?: WebSocket): void {
    for (const socket of to === undefined ? this.#deps.sockets() : [to]) {
      const { form, replayed } = this.#listener(socket)
      if (form === "numbered" && replayed === null) this.#send(socket, text)
    }
  }

  /** Whose socket it is. */
  actorOf(socket: WebSocket): Actor | undefined {
    return this.#listener(socket).actor
  }

  /** The client that a socket belongs to. */
  clientOf(socket: WebSocket): string | null {
    return this.#listener(socket).client
  }

  formOf(socket: WebSocket): Listener["form"] {
    return this.#listener(socket).form
  }

  /** True while the client has a socket, other than `besides`. */
  isAttached(client: string, besides?: WebSocket): boolean {
    return this.#deps
      .sockets()
      .some(
        (socket) =>
          socket !== besides && socket.readyState === WebSocket.OPEN && this.#listener(socket).client === client,
      )
  }

  /** True when some socket wants the stream events of `turn`. */
  wantsPartials(turn: string): boolean {
    return this.#sockets.some(
      (socket) => socket.readyState === WebSocket.OPEN && this.#wants(this.#listener(socket), turn, "sdk:stream_event"),
    )
  }

  /** A socket has gone. */
  left(): void {
    this.#known = null
  }

  get #sockets(): ReadonlyArray<WebSocket> {
    this.#known ??= this.#deps.sockets()
    return this.#known
  }

  /** How many of the open sockets are feeds of the Worker, or clients of the control protocol. */
  count(feeds: boolean): number {
    let count = 0
    for (const socket of this.#deps.sockets()) {
      if (socket.readyState === WebSocket.OPEN && (this.#listener(socket).form === "feed") === feeds) count += 1
    }
    return count
  }

  get size(): number {
    return this.#deps.sockets().length
  }

  #note(socket: WebSocket, listener: Listener, name: string, payload: unknown): void {
    if (listener.form !== "feed") return
    this.#send(socket, encodeFeedLine({ seq: null, at: 0, turn: null, name, json: JSON.stringify(payload) }))
  }

  /** Takes a line; all lines of one moment become one message. False when the socket is gone. */
  #send(socket: WebSocket, text: string): boolean {
    if (socket.readyState !== WebSocket.OPEN) return false
    const before = this.#unsent.get(socket)
    if (this.#unsent.size === 0 && this.#questions.size === 0) queueMicrotask(() => this.#flushSoon())
    this.#unsent.set(socket, before === undefined ? text : `${before}\n${text}`)
    if ((before?.length ?? 0) + text.length >= LONGEST_MESSAGE) this.#flush()
    return true
  }

  /**
   * A question goes behind the lines of the same moment, in a message of its own: whoever answers it has read what it is
   * about. Its withdrawal never comes before it.
   */
  #ask(socket: WebSocket, text: string, type: unknown): void {
    const before = this.#questions.get(socket)
    if (type !== "control_request" && before === undefined) this.#send(socket, text)
    else if (socket.readyState === WebSocket.OPEN) {
      if (this.#unsent.size === 0 && this.#questions.size === 0) queueMicrotask(() => this.#flushSoon())
      this.#questions.set(socket, before === undefined ? text : `${before}\n${text}`)
    }
    this.#flushNow()
  }

  /**
   * A model request is about to be sent: clients hear of what came before it a moment later, or it would wait until the
   * Worker has written their lines.
   */
  deferFlush(): void {
    this.#aside = this.#unsent.size > 0 && !this.#urgent
  }

  #flushNow(): void {
    this.#urgent = true
    if (!this.#aside) return
    this.#aside = false
    queueMicrotask(() => this.#flush())
  }

  #flushSoon(): void {
    if (this.#aside) setTimeout(() => this.#flush(), 0)
    else this.#flush()
  }

  #flush(): void {
    this.#aside = false
    this.#urgent = false
    const unsent = [...this.#unsent, ...this.#questions]
    this.#unsent.clear()
    this.#questions.clear()
    for (const [socket, lines] of unsent) {
      // A socket that closed meanwhile opens again with its cursor.
      if (socket.readyState !== WebSocket.OPEN) continue
      // Clients of the control protocol take a line only with its newline.
      socket.send(this.#listener(socket).form === "feed" ? lines : `${lines}\n`)
    }
  }

  #wants(listener: Listener, turn: string | null, name: string): boolean {
    if (listener.turn !== null && listener.turn !== turn) return false
    return listener.partials === "yes" || !ON_REQUEST.has(name) || this.#deps.turnWantsPartials()
  }

  /** After hibernation the socket's own attachment says what it asked for; its replay was over before. */
  #listener(socket: WebSocket): Listener {
    const known = this.#listeners.get(socket)
    if (known !== undefined) return known
    const listener: Listener = { ...readAttachment(socket), replayed: null }
    this.#listeners.set(socket, listener)
    return listener
  }
}

/** Questions go to clients that may answer them. */
const mayAnswer = ({ client, actor }: Listener): boolean =>
  client !== null && (actor === undefined || actor.roles.includes("answer"))

/** What only clients get that want partial messages. */
const ON_REQUEST: ReadonlySet<string> = new Set(["sdk:stream_event", "sdk:system/status"])

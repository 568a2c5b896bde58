// Receives events as they are written; sends them to every socket that listens, and replays the log to a new one.
// Invariant: a socket gets each durable event once, in order, whatever was written while its replay ran.
import type { EphemeralEvent } from "../../schemas/log/events.ts"
import type { SessionLife } from "../life.ts"
import { pendingAsk } from "../storage/ask-store.ts"
import type { StoredEvent } from "../storage/log.ts"
import { type ControlFrame, controlFrameOf } from "./ask-frames.ts"
import { baseLine, factsStart } from "./base-line.ts"
import { movedBy } from "./moved-by.ts"
import { ephemeralKey, ephemeralLine, frameLine, type SocketQuery } from "./listener.ts"
import { type FeedContext, Listeners } from "./listeners.ts"
import { Outgoing } from "./outgoing.ts"
import { Unread, UNREAD, unreadReason } from "./unread.ts"
import { Replay } from "./replay.ts"
import { storedLine, wholeOf } from "./stored-line.ts"
import { askLine, isViewer, openedAsk } from "./viewer-lines.ts"
import { mayAnswer, wantsEvent } from "./wanted.ts"

/** The session that the feed reads; there may be none. */
type FeedLife = Pick<SessionLife, "existing" | "session">

export class Feed {
  readonly listeners: Listeners
  readonly #life: FeedLife
  readonly #now: () => number
  readonly #outgoing: Outgoing
  readonly #replay: Replay
  readonly #unread: Unread
  /** While set, events wait here, so that a client is sent something else first. */
  #postponed: Array<() => void> | null = null
  /** Asks whose withdrawal was sent to clients before the event that settles them. */
  readonly #withdrawn = new Set<string>()

  constructor(context: FeedContext, life: FeedLife) {
    this.#life = life
    this.#now = context.now
    this.listeners = new Listeners(context)
    this.#unread = new Unread(context.now)
    this.#outgoing = new Outgoing(this.listeners, this.#unread, () => this.#closeUnread())
    const parts = { outgoing: this.#outgoing, unread: this.#unread, close: this.#close }
    this.#replay = new Replay(life, this.listeners, parts, context.now)
  }

  /** Accepts a new socket, and sends it the log after `after`, then the answer that streams now, then live events. */
  async open(socket: WebSocket, query: SocketQuery): Promise<void> {
    const last = this.#life.existing.core.log.lastSeq
    const start = query.after === "head" ? last : query.after
    const after = Math.min(start, last)
    const { core } = this.#life.existing
    const from = query.facts === true ? factsStart(core, after) : after
    const { client } = query
    const isKnown =
      (query.after !== "head" && query.after > 0) || (client !== null && core.clients.hasInitialized(client))
    const listener = this.listeners.accept(socket, query, from, { isKnown, since: last })
    if (start > last) this.#replay.note(socket, listener, "feed:truncated", { last_seq: last })
    if (query.facts === true) this.#outgoing.line(socket, baseLine(core, from, after))
    await this.#replay.run(socket, listener)
  }

  /** Sends the next page of a feed's replay, which its reader has requested. */
  async more(socket: WebSocket): Promise<void> {
    const listener = this.listeners.of(socket)
    if (listener.replayed === null || this.#life.session === null) return
    await this.#replay.run(socket, listener)
    // The replay has ended: its position is removed from the socket's attachment.
    if (listener.replayed === null) this.listeners.keep(socket, listener)
  }

  /** Call it when a socket has closed. */
  left(socket: WebSocket): void {
    this.listeners.left()
    this.#unread.left(socket)
  }

  /** True when a client's line only confirms what the client has read. */
  confirm(socket: WebSocket, line: string): boolean {
    if (!this.#unread.confirm(socket, line)) return false
    this.#outgoing.requestReceipt(socket)
    return true
  }

  /** Closes sockets whose clients may not read, with the place from which they continue. */
  #closeUnread(): void {
    for (const socket of this.#unread.excess()) {
      this.#close(socket, this.listeners.of(socket).replayed ?? this.#life.session?.core.log.lastSeq ?? 0)
    }
  }

  /** Closes a client's socket, which has everything up to the event `after`. */
  readonly #close = (socket: WebSocket, after: number): void => {
    this.#outgoing.flush()
    if (socket.readyState !== WebSocket.OPEN) return
    socket.close(UNREAD, unreadReason(after))
    const { client } = this.listeners.of(socket)
    // The client may answer the close frame late or never; from now on it has its time to reconnect.
    if (client !== null && !this.listeners.isAttached(client, socket))
      this.#life.session?.core.clients.detached(client, false)
  }

  /** True while the unread bytes of all clients leave no room for another client. */
  get mustRefuseClients(): boolean {
    return this.#unread.mustRefuseSockets
  }

  /** Sends events that were written. */
  publish(events: ReadonlyArray<StoredEvent>): void {
    if (this.#postponed !== null) return void this.#postponed.push(() => this.publish(events))
    const { sockets } = this.listeners
    if (sockets.length === 0) return this.#withdrawn.clear()
    for (const stored of events) {
      this.#publishOne(stored, sockets)
      for (const event of stored.after ?? []) this.emit(event)
    }
  }

  #publishOne(stored: StoredEvent, sockets: ReadonlyArray<WebSocket>): void {
    const implied = controlFrameOf(stored.event)
    const frame = implied !== null && this.#isWithdrawn(implied.frame) ? null : implied
    const ask = this.#askOpenedBy(stored)
    const whole = wholeOf(stored, this.#life.existing.core.log.media)
    const moved = movedBy(this.#life.existing.core, stored.event)
    for (const socket of sockets) {
      const listener = this.listeners.of(socket)
      if (listener.replayed !== null) continue
      const text = ask !== null && isViewer(listener) ? ask : storedLine(listener, stored, whole, moved)
      if (text !== null && listener.form !== "feed" && !this.#unread.fits(text)) {
        this.#close(socket, stored.event.seq - 1)
        continue
      }
      if (text !== null) this.#outgoing.line(socket, text)
      if (frame !== null && listener.client !== frame.except && mayAnswer(listener)) {
        this.#outgoing.askFrame(socket, frameLine(listener, frame.frame), frame.frame["type"])
      }
    }
  }

  #askOpenedBy(stored: StoredEvent): string | null {
    const opened = openedAsk(stored)
    const asks = opened === null ? [] : this.#life.existing.core.askStore.open
    const ask = asks.find(({ requestId }) => requestId === opened)
    return ask === undefined ? null : askLine(pendingAsk(ask))
  }

  #isWithdrawn({ type, request_id: id }: ControlFrame): boolean {
    return type === "control_cancel_request" && this.#withdrawn.delete(String(id))
  }

  /** Sends an event that is not stored. */
  emit(event: EphemeralEvent): void {
    if (this.#postponed !== null) return void this.#postponed.push(() => this.emit(event))
    const lines = new Map<string, string>()
    for (const socket of this.listeners.sockets) {
      const listener = this.listeners.of(socket)
      if (listener.replayed !== null) continue
      if (!wantsEvent(listener, event.turn, event.name, this.#life.session?.core)) continue
      const key = ephemeralKey(listener)
      const text = lines.get(key) ?? ephemeralLine(listener, event, this.#now())
      lines.set(key, text)
      this.#outgoing.line(socket, text)
    }
  }

  /** Sends a control frame to one client; false when it is not attached. */
  frame(client: string, frame: ControlFrame): boolean {
    let sent = false
    for (const socket of this.listeners.current()) {
      const listener = this.listeners.of(socket)
      if (listener.client !== client) continue
      sent = this.#outgoing.frame(socket, frameLine(listener, frame), frame["type"]) || sent
    }
    return sent
  }

  /** Sends a mark to sockets with numbered lines: `+N` to one of them, `=idle` or `=busy` to all. */
  mark(text: string, to?: WebSocket): void {
    for (const socket of to === undefined ? this.listeners.current() : [to]) {
      const { form, replayed } = this.listeners.of(socket)
      if (form === "numbered" && replayed === null) this.#outgoing.line(socket, text)
    }
  }

  /** Holds events back from the sockets; the function that it returns publishes them. */
  hold(): () => void {
    const postponed: Array<() => void> = []
    this.#postponed = postponed
    return () => {
      this.#postponed = null
      for (const publish of postponed) publish()
    }
  }

  /** Notifies clients that an ask needs no answer any more; they are not notified again by the event that settles it. */
  withdraw(requestId: string): void {
    this.#withdrawn.add(requestId)
    const frame = { type: "control_cancel_request", request_id: requestId }
    for (const socket of this.listeners.sockets) {
      const listener = this.listeners.of(socket)
      if (listener.replayed !== null || !mayAnswer(listener)) continue
      this.#outgoing.askFrame(socket, frameLine(listener, frame), frame.type)
    }
  }

  /** True when a socket subscribes to the stream events of `turn`. */
  wantsPartials(turn: string): boolean {
    const core = this.#life.session?.core
    return this.listeners.sockets.some(
      (socket) =>
        socket.readyState === WebSocket.OPEN && wantsEvent(this.listeners.of(socket), turn, "sdk:stream_event", core),
    )
  }

  /** Call it when a model request is about to be sent: delays unsent lines, so that the request goes first. */
  deferFlush(): void {
    this.#outgoing.deferFlush()
  }

  /** Sends unsent lines now, and not at the end of the moment: a message that is sent after a write waits for its commit. */
  flush(): void {
    this.#outgoing.flush()
  }
}

// Receives events as they are written; sends them to every socket that listens, and what was before to a new one.
// Invariant: a socket gets each durable event once, in order, whatever was written while its replay ran.
import type { RawStreamEvent } from "../model/messages-api.ts"
import type { EphemeralEvent } from "../schemas/events.ts"
import { encodeFeedLine } from "../schemas/session-rpc.ts"
import type { SessionLog, StoredEvent } from "./log.ts"

/** What a socket asked for. `partials: "turn"`: stream events if the turn's own options ask for them. */
interface Listener {
  readonly turn: string | null
  readonly partials: "yes" | "turn"
  /** Set while the replay runs: the seq up to which it has been sent. */
  replayed: number | null
}

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
    readonly wrap: (event: RawStreamEvent) => unknown
  } | null
}

export class Feed {
  readonly #deps: FeedDeps
  readonly #listeners = new WeakMap<WebSocket, Listener>()
  /** Lines that were said since the last pause for breath, by socket: they travel as one message. */
  readonly #unsent = new Map<WebSocket, string>()

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** Takes a new socket: the log after `after`, then the answer that streams now, then whatever comes. */
  async open(
    socket: WebSocket,
    query: { readonly after: number | "head"; readonly turn: string | null; readonly partials: "yes" | "turn" },
  ): Promise<void> {
    const log = this.#deps.log()
    const last = log.lastSeq
    const start = query.after === "head" ? last : query.after
    const listener: Listener = { turn: query.turn, partials: query.partials, replayed: Math.min(start, last) }
    this.#deps.accept(socket)
    socket.serializeAttachment({ turn: listener.turn, partials: listener.partials })
    this.#listeners.set(socket, listener)
    if (start > last) this.#send(socket, line("feed:truncated", { last_seq: last }))
    await this.#replay(socket, listener)
  }

  async #replay(socket: WebSocket, listener: Listener): Promise<void> {
    const log = this.#deps.log()
    let size = 0
    for (const stored of log.all(listener.replayed ?? 0)) {
      listener.replayed = stored.event.seq
      if (listener.turn !== null && stored.event.turn !== listener.turn) continue
      const text = lineOf(stored)
      if (!this.#send(socket, text)) return
      size += text.length
      if (size < REPLAY_PAGE) continue
      size = 0
      await scheduler.wait(0)
    }
    // Between the last read above and here nothing can be written: there is no await.
    listener.replayed = null
    this.#send(socket, line("feed:live", { last_seq: log.lastSeq }))
    const partial = this.#deps.partialNow()
    if (partial === null || !this.#wants(listener, partial.turn)) return
    for (const event of partial.events) {
      this.#send(
        socket,
        encodeFeedLine({
          seq: null,
          at: 0,
          turn: partial.turn,
          name: "sdk:stream_event",
          json: JSON.stringify(partial.wrap(event)),
        }),
      )
    }
  }

  publish(events: ReadonlyArray<StoredEvent>): void {
    const sockets = this.#deps.sockets()
    if (sockets.length === 0) return
    for (const stored of events) {
      let text: string | null = null
      for (const socket of sockets) {
        const listener = this.#listener(socket)
        if (listener.replayed !== null) continue
        if (listener.turn !== null && stored.event.turn !== listener.turn) continue
        text ??= lineOf(stored)
        this.#send(socket, text)
      }
    }
  }

  emit(event: EphemeralEvent): void {
    let text: string | null = null
    for (const socket of this.#deps.sockets()) {
      const listener = this.#listener(socket)
      if (listener.replayed !== null || !this.#wants(listener, event.turn)) continue
      text ??= encodeFeedLine({
        seq: null,
        at: 0,
        turn: event.turn,
        name: event.name,
        json: JSON.stringify(event.payload),
      })
      this.#send(socket, text)
    }
  }

  /** True when some socket wants the stream events of `turn`. */
  wantsPartials(turn: string): boolean {
    return this.#deps.sockets().some((socket) => this.#wants(this.#listener(socket), turn))
  }

  get size(): number {
    return this.#deps.sockets().length
  }

  /** Takes a line; all lines of one moment become one message. False when the socket is gone. */
  #send(socket: WebSocket, text: string): boolean {
    if (socket.readyState !== WebSocket.OPEN) return false
    const before = this.#unsent.get(socket)
    if (this.#unsent.size === 0) queueMicrotask(() => this.#flush())
    this.#unsent.set(socket, before === undefined ? text : `${before}\n${text}`)
    if ((before?.length ?? 0) + text.length >= LONGEST_MESSAGE) this.#flush()
    return true
  }

  #flush(): void {
    const unsent = [...this.#unsent]
    this.#unsent.clear()
    for (const [socket, lines] of unsent) {
      // A socket that closed meanwhile opens again with its cursor.
      if (socket.readyState === WebSocket.OPEN) socket.send(lines)
    }
  }

  #wants(listener: Listener, turn: string | null): boolean {
    if (listener.turn !== null && listener.turn !== turn) return false
    return listener.partials === "yes" || this.#deps.turnWantsPartials()
  }

  /** After hibernation the socket's own attachment says what it asked for; its replay was over before. */
  #listener(socket: WebSocket): Listener {
    const known = this.#listeners.get(socket)
    if (known !== undefined) return known
    // The attachment is what `open` stored.
    const kept = socket.deserializeAttachment() as { turn: string | null; partials: "yes" | "turn" }
    const listener: Listener = { ...kept, replayed: null }
    this.#listeners.set(socket, listener)
    return listener
  }
}

const lineOf = ({ event, json }: StoredEvent): string =>
  encodeFeedLine({ seq: event.seq, at: event.at, turn: event.turn, name: event.name, json })

const line = (name: string, payload: unknown): string =>
  encodeFeedLine({ seq: null, at: 0, turn: null, name, json: JSON.stringify(payload) })

// Brings a new socket up to date: sends the log after its cursor, the answer that streams now, and the requests that wait for
// it.
// Invariant: events that are written while the replay runs are part of it; control frames are never replayed, but those that
// still wait for an answer are sent again, and asks that were settled while the client was away are withdrawn. Of a long log, a
// feed gets one page, and the next when its reader requests it.
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { SessionLife } from "../life.ts"
import { pendingAsk } from "../storage/ask-store.ts"
import { controlFrameOf } from "./ask-frames.ts"
import { movedBy } from "./moved-by.ts"
import { runningAnswer, unanswered } from "./catch-up.ts"
import { ephemeralLine, frameLine, type Listener } from "./listener.ts"
import type { Listeners } from "./listeners.ts"
import type { Outgoing } from "./outgoing.ts"
import { storedLine, wholeOf } from "./stored-line.ts"
import { askLine, isViewer } from "./viewer-lines.ts"
import type { Unread } from "./unread.ts"
import { mayAnswer, wantsEvent } from "./wanted.ts"

/**
 * Characters of replay in one page. The reader of a feed requests the next page; clients of the control protocol, which can't,
 * get it after a pause, in which they confirm what they have read if many characters are unread.
 */
const PAGE = 512 * 1024

export interface ReplayParts {
  readonly outgoing: Outgoing
  readonly unread: Unread
  readonly close: (socket: WebSocket, after: number) => void
}

export class Replay {
  readonly #life: Pick<SessionLife, "existing">
  readonly #listeners: Pick<Listeners, "keep">
  readonly #outgoing: Outgoing
  readonly #now: () => number
  readonly #unread: Unread
  /** Closes a client's socket; the client continues after this event. */
  readonly #close: (socket: WebSocket, after: number) => void

  constructor(
    life: Pick<SessionLife, "existing">,
    listeners: Pick<Listeners, "keep">,
    { outgoing, unread, close }: ReplayParts,
    now: () => number,
  ) {
    this.#life = life
    this.#listeners = listeners
    this.#now = now
    this.#outgoing = outgoing
    this.#unread = unread
    this.#close = close
  }

  /** Sends the events after `listener.replayed`. For a paged feed it ends with the page, and is called again for the next one. */
  async run(socket: WebSocket, listener: Listener): Promise<void> {
    const { core } = this.#life.existing
    const { log } = core
    let size = 0
    for (const stored of log.all(listener.replayed ?? 0, { most: PAGE })) {
      const before = listener.replayed ?? 0
      listener.replayed = stored.event.seq
      this.#withdraw(socket, listener, stored.event)
      const text = storedLine(listener, stored, wholeOf(stored, log.media), movedBy(core, stored.event))
      if (text === null) continue
      if (listener.form !== "feed" && !this.#unread.fits(text)) return this.#close(socket, before)
      if (!this.#outgoing.line(socket, text)) return
      size += text.length
      if (size < PAGE) continue
      if (listener.paged === true) return this.#endPage(socket, listener)
      size = 0
      this.#outgoing.flush()
      if (this.#unread.mustPauseReplays) await this.#unread.confirmed(socket)
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    // Between the last read above and here nothing can be written: there is no await.
    listener.replayed = null
    this.note(socket, listener, "feed:live", { last_seq: log.lastSeq })
    if (listener.form === "numbered") this.#outgoing.line(socket, core.isBusy ? "=busy" : "=idle")
    this.#sendPartial(socket, listener)
    if (isViewer(listener)) {
      for (const ask of core.askStore.open) this.#outgoing.line(socket, askLine(pendingAsk(ask)))
    }
    if (listener.client === null) return
    for (const frame of core.clients.missed(listener.client)) this.#outgoing.line(socket, frameLine(listener, frame))
    // A new client gets open requests in the answer to its `initialize`; one that has had that answer gets them here.
    if (listener.isKnown !== true) return
    for (const frame of unanswered(core, listener.client, mayAnswer(listener))) {
      this.#outgoing.line(socket, frameLine(listener, frame))
    }
  }

  /** Withdraws an ask that was settled while the client was away: it may still show the ask. */
  #withdraw(socket: WebSocket, listener: Listener, event: LogEvent): void {
    if (event.name !== EventNames.askSettled || listener.isKnown !== true || !mayAnswer(listener)) return
    const settled = controlFrameOf(event)
    if (settled !== null && settled.except !== listener.client)
      this.#outgoing.line(socket, frameLine(listener, settled.frame))
  }

  /** Ends a page. The object may hibernate until the reader requests the next one: the position is stored with the socket. */
  #endPage(socket: WebSocket, listener: Listener): void {
    this.#listeners.keep(socket, listener)
    this.note(socket, listener, "feed:page", { last_seq: listener.replayed })
  }

  /** Sends a line about the feed itself, for the Worker. */
  note(socket: WebSocket, listener: Listener, name: string, payload: unknown): void {
    if (listener.form !== "feed") return
    this.#outgoing.line(socket, encodeFeedLine({ seq: null, at: 0, turn: null, name, json: JSON.stringify(payload) }))
  }

  /** Sends a client that connects in the middle of an answer what was streamed of it so far. */
  #sendPartial(socket: WebSocket, listener: Listener): void {
    const { core, runner } = this.#life.existing
    const partial = runningAnswer(runner, core.id)
    if (partial === null || !wantsEvent(listener, partial.turn, "sdk:stream_event", core)) return
    for (const event of partial.events) {
      const wrapped = { name: "sdk:stream_event" as const, turn: partial.turn, payload: partial.wrap(event) }
      this.#outgoing.line(socket, ephemeralLine(listener, wrapped, this.#now()))
    }
  }
}

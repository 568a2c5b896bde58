// Brings a new socket up to date: sends the log after its cursor, the answer that streams now, and the requests that wait for
// it.
// Invariant: events that are written while the replay runs are part of it; control frames are never replayed, but those that
// still wait for an answer are sent again.
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import type { SessionLife } from "../life.ts"
import { pendingAsk } from "../storage/ask-store.ts"
import { movedBy } from "./moved-by.ts"
import { runningAnswer, unanswered } from "./catch-up.ts"
import { ephemeralLine, frameLine, type Listener } from "./listener.ts"
import type { Outgoing } from "./outgoing.ts"
import { storedLine, wholeOf } from "./stored-line.ts"
import { askLine, isViewer } from "./viewer-lines.ts"
import { mayAnswer, wantsEvent } from "./wanted.ts"

/** Characters of replay between two pauses. */
const REPLAY_PAGE = 4 * 1024 * 1024

export class Replay {
  readonly #life: Pick<SessionLife, "existing">
  readonly #outgoing: Outgoing
  readonly #now: () => number

  constructor(life: Pick<SessionLife, "existing">, outgoing: Outgoing, now: () => number) {
    this.#life = life
    this.#now = now
    this.#outgoing = outgoing
  }

  /** `isKnown`: the client has reconnected, so requests that wait for its answer are sent again. */
  async run(socket: WebSocket, listener: Listener, isKnown: boolean): Promise<void> {
    const { core } = this.#life.existing
    const { log } = core
    let size = 0
    for (const stored of log.all(listener.replayed ?? 0)) {
      listener.replayed = stored.event.seq
      const text = storedLine(listener, stored, wholeOf(stored, log.media), movedBy(core, stored.event))
      if (text === null) continue
      if (!this.#outgoing.line(socket, text)) return
      size += text.length
      if (size < REPLAY_PAGE) continue
      size = 0
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
    if (!isKnown) return
    for (const frame of unanswered(core, listener.client, mayAnswer(listener))) {
      this.#outgoing.line(socket, frameLine(listener, frame))
    }
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

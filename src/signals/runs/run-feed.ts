// The sockets on which a run's log is followed: sends what was before, and what is committed from then on, as feed lines.
// Invariant: a socket gets each signal once and in order; a long log comes in parts, after each of which the reader opens
// the feed again at its place.
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import type { RunSignal } from "../../schemas/api/workflows.ts"
import type { RunBook } from "./run-book.ts"

/** What one socket is sent of the past. */
const PART_BYTES = 4 * 1024 * 1024
const PART_SIGNALS = 5000

export class RunFeed {
  readonly #state: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">
  readonly #book: RunBook

  constructor(state: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">, book: RunBook) {
    this.#state = state
    this.#book = book
  }

  /** Opens a feed after a seq, or after the last one (`head`). */
  open(after: string): Response {
    const { 0: client, 1: server } = new WebSocketPair()
    this.#state.acceptWebSocket(server)
    const { lastSeq } = this.#book.existing
    const from = after === "head" ? lastSeq : Number(after)
    if (from > lastSeq) server.send(line(null, "feed:truncated", JSON.stringify({ last_seq: lastSeq })))
    const rows = this.#book.page(from, PART_SIGNALS, PART_BYTES)
    for (const { seq, json } of rows) server.send(signalLine(seq, json))
    const sent = rows.at(-1)?.seq ?? lastSeq
    if (sent < lastSeq) server.close(1000, "more follows")
    else server.send(line(null, "feed:live", JSON.stringify({ last_seq: lastSeq })))
    return new Response(null, { status: 101, webSocket: client })
  }

  publish(signals: ReadonlyArray<RunSignal>): void {
    const sockets = signals.length === 0 ? [] : this.#state.getWebSockets()
    for (const { seq, ...signal } of signals) {
      const text = signalLine(seq, JSON.stringify(signal))
      for (const socket of sockets) if (socket.readyState === WebSocket.OPEN) socket.send(text)
    }
  }

  /** The run was erased. */
  close(): void {
    for (const socket of this.#state.getWebSockets()) socket.close(1000, "the run was deleted")
  }
}

/** A signal as it is stored, with its seq. */
const signalLine = (seq: number, json: string): string => {
  // The book writes its id and name first; a name is no JSON that could hold another one.
  const { name } = JSON.parse(json) as Pick<RunSignal, "name">
  return line(seq, name, `{"seq":${seq},${json.slice(1)}`)
}

const line = (seq: number | null, name: string, json: string): string =>
  encodeFeedLine({ seq, at: 0, turn: null, name, json })
